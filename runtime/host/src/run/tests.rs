//! Whole runs on a backend of closures, with a reference compiled from C++.

use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::sync::OnceLock;

use gicc_abi::ABI_VERSION;
use gicc_abi::codes::{Compare, ErrorCode};
use gicc_abi::heap::peer_address;
use gicc_abi::layout::{ChannelRecord, Error, ModuleRecord};
use gicc_abi::manifest::{Kernel, KernelParameter, Manifest, ParameterKind};

use super::*;
use crate::backend::fake::{self, Device, Fake};
use crate::bench::BenchOptions;

const DESCRIPTION: &str = r#"
pes = [1, 2, 4]
[parameters]
n = { random = [1, 300] }
shift = { random = [0, 7], per_pe = true }
[buffers.source]
type = "f32"
length = "n + 8"
init = { uniform = [-1.0, 1.0] }
[buffers.landing]
type = "f32"
length = "n"
symmetric = true
output = "exact"
[buffers.flags]
type = "u64"
length = "n_pes"
symmetric = true
init = "zero"
[[launches]]
kernel = "push"
grid = 1
block = 32
arguments = ["landing", { buffer = "source", offset = "shift" }, "flags", "n"]
"#;

const REFERENCE: &str = r#"
#include <gicc/reference.h>
GICC_REFERENCE(run) {
  int64_t n = run.parameter("n");
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    int from = (pe + run.n_pes() - 1) % run.n_pes();
    auto source = run.buffer<float>("source", from);
    auto landing = run.buffer<float>("landing", pe);
    for (int64_t i = 0; i < n; ++i) landing[i] = source[i + run.parameter("shift", from)];
  }
}
"#;

/// The reference of [`DESCRIPTION`], compiled once.
fn common_reference() -> &'static [u8] {
    static OBJECT: OnceLock<Vec<u8>> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = compile_reference(folder.path(), REFERENCE);
        std::fs::read(folder.path().join(file)).expect("the object")
    })
}

/// Builds a shared object from C++ source.
fn compile_reference(folder: &Path, source: &str) -> String {
    let cpp = folder.join("reference.cpp");
    std::fs::write(&cpp, source).expect("the source");
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
    let arguments = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", include];
    let out = folder.join("reference.so");
    let status = Command::new("c++").args(arguments).arg(&cpp).arg("-o").arg(&out).status();
    assert!(status.expect("a C++ compiler").success());
    "reference.so".into()
}

fn folder(description: &str, reference: Option<&str>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let pointer = |name: &str| KernelParameter { name: name.into(), bytes: 8, align: 8, kind: ParameterKind::Pointer };
    let n = KernelParameter { name: "n".into(), bytes: 8, align: 8, kind: ParameterKind::Integer };
    let parameters = vec![pointer("landing"), pointer("source"), pointer("flags"), n];
    let kernel =
        |name: &str, symbol: &str| Kernel { symbol: symbol.into(), name: name.into(), parameters: parameters.clone() };
    let manifest = Manifest {
        abi_version: ABI_VERSION,
        source: "kernel.cu".into(),
        images: vec![],
        kernels: vec![kernel("push", "_Z4push"), kernel("spill", "_Z5spill")],
        reference: match reference {
            Some(source) if source == REFERENCE => {
                std::fs::write(folder.path().join("reference.so"), common_reference()).expect("a file");
                Some("reference.so".into())
            }
            other => other.map(|source| compile_reference(folder.path(), source)),
        },
    };
    std::fs::write(folder.path().join("module.json"), serde_json::to_string(&manifest).expect("JSON")).expect("a file");
    std::fs::write(folder.path().join("launch.toml"), description).expect("a file");
    folder
}

/// Copies n elements to the next PE, `extra` too many.
fn push(device: &mut Device<'_>, extra: u64) {
    let s = device.state;
    let (landing, source, n) = (device.parameter(0), device.parameter(8), device.parameter(24));
    let bytes = device.load(source, 4 * (n + extra) as usize);
    let next = (s.my_pe + 1) % s.n_pes;
    device.store(peer_address(landing, s.my_pe, next, s.heap_stride), &bytes);
}

fn run_with(kernel: fake::Kernel, runs: u32, change: impl Fn(&mut Fake)) -> Result<RunReport, HostError> {
    let folder = folder(DESCRIPTION, Some(REFERENCE));
    let folder = Folder::open(folder.path(), None)?;
    let options = RunOptions { pes: Some(4), seed: Some(7), runs, ..RunOptions::new(Target::Cuda) };
    run_opened(&folder, &options, &mut |_| {}, &mut |needs| {
        let mut fake = Fake::new(needs.n_pes, needs.heap_bytes, &[("_Z4push", kernel.clone())]);
        change(&mut fake);
        Ok(Box::new(fake))
    })
}

#[test]
fn a_right_kernel_is_right_on_random_data() {
    let report = run_with(Rc::new(|d| push(d, 0)), 25, |_| {}).expect("a report");
    assert_eq!((report.outcome, report.runs, report.failed), (Outcome::Right, 25, 0), "{}", report.text());
    insta::assert_snapshot!(report.text());
}

#[test]
fn a_wrong_element_is_shown_with_what_was_expected() {
    let kernel = Rc::new(|d: &mut Device<'_>| {
        push(d, 0);
        if d.state.my_pe == 2 {
            let landing = d.parameter(0);
            d.store(landing, &7.0f32.to_le_bytes());
        }
    });
    let report = run_with(kernel, 2, |_| {}).expect("a report");
    assert_eq!((report.outcome, report.failed), (Outcome::Wrong, 2));
    insta::assert_snapshot!(report.text());
    assert_eq!(report.failures[0].mismatches[0].pe, 2);
}

#[test]
fn an_output_that_nobody_wrote_is_wrong() {
    let report = run_with(Rc::new(|_| {}), 1, |_| {}).expect("a report");
    assert!(report.failures[0].mismatches.iter().all(|m| m.untouched));
}

#[test]
fn a_write_past_the_end_is_found() {
    let report = run_with(Rc::new(|d| push(d, 1)), 1, |_| {}).expect("a report");
    assert_eq!(report.outcome, Outcome::Wrong);
    assert_eq!(report.failures[0].guards[0], "PE 0: something wrote 0 bytes past the end of `landing`");
}

#[test]
fn an_error_word_becomes_a_sentence() {
    let kernel = Rc::new(|d: &mut Device<'_>| {
        push(d, 0);
        if d.state.my_pe == 1 {
            let address = d.parameter(16) + 8;
            let (code, compare) = (ErrorCode::Timeout.code(), Compare::Ge.code());
            d.fail(Error { code, compare, address, expected: 3, observed: 2, ..Error::default() });
        }
    });
    let report = run_with(kernel, 5, |_| {}).expect("a report");
    assert_eq!((report.outcome, report.runs), (Outcome::DeviceError, 1));
    insta::assert_snapshot!(report.text());
    let json = serde_json::to_value(&report).expect("JSON");
    assert_eq!(json["failures"][0]["device"]["errors"][0]["place"], "`flags`+8");
}

#[test]
fn modules_of_another_version_or_without_a_record_are_refused() {
    let right: fake::Kernel = Rc::new(|d| push(d, 0));
    let of = |change: &dyn Fn(&mut ModuleRecord)| {
        run_with(right.clone(), 1, |fake| change(&mut fake.record)).expect_err("refused").to_string()
    };
    let all =
        [of(&|r| r.abi_version = 99), of(&|r| r.magic = 5), of(&|r| r.magic = 0), of(&|r| r.record_bytes = 10_000)];
    insta::assert_snapshot!(all.join("\n"));
}

/// A channel of protocol ll and its name, as they stand behind a record.
fn packets(slots: u32, name: &str) -> (u32, Vec<u8>) {
    let name_at = (size_of::<ModuleRecord>() + size_of::<ChannelRecord>()) as u32;
    let name_bytes = name.len() as u32;
    let channel = ChannelRecord {
        protocol: 1,
        slots,
        element_bytes: 4,
        capacity: 64,
        packet_data: 8,
        name_at,
        name_bytes,
        ..ChannelRecord::default()
    };
    let mut bytes = channel.to_bytes();
    bytes.extend(name.bytes());
    (1, bytes)
}

#[test]
fn modules_of_one_team_whose_channels_disagree_are_refused() {
    let mut fake = fake::Fake::new(2, 4 << 20, &[]);
    fake.channels.extend([packets(4, "halo"), packets(4, "halo"), packets(2, "halo"), packets(2, "other")]);
    let mut team = Team::new(Box::new(fake), Bounds::default());
    let manifest = |source: &str| Manifest {
        abi_version: ABI_VERSION,
        source: source.into(),
        images: vec![],
        kernels: vec![],
        reference: None,
    };
    let mut load = |source| team.load(Path::new(""), &manifest(source));
    assert!(load("put.cu").is_ok());
    assert!(load("wait.cu").is_ok());
    let error = load("late.cu").expect_err("two slots instead of four").to_string();
    assert!(
        error
            .starts_with("error: late.cu: the ends of channel `halo` disagree: in this module it is `ll` with 2 slots"),
        "{error}"
    );
    assert!(error.contains("and in put.cu, which was loaded before, it is `ll` with 4 slots"), "{error}");
    assert!(load("other.cu").is_ok());
}

#[test]
fn packets_between_gpus_without_native_atomics_are_refused() {
    let mut fake = fake::Fake::new(2, 4 << 20, &[]);
    fake.channels.push_back(packets(4, "halo"));
    fake.without_wide_words = Some((1, 0));
    let mut team = Team::new(Box::new(fake), Bounds::default());
    let manifest =
        Manifest { abi_version: ABI_VERSION, source: "k.cu".into(), images: vec![], kernels: vec![], reference: None };
    insta::assert_snapshot!(team.load(Path::new(""), &manifest).expect_err("refused").to_string());
}

#[test]
fn a_larger_workspace_gets_its_room() {
    let right: fake::Kernel = Rc::new(|d| push(d, 0));
    let report = run_with(right, 2, |fake| fake.record.workspace_bytes = 5 << 20).expect("a report");
    assert_eq!(report.outcome, Outcome::Right);
}

#[test]
fn hanging_and_not_resident_launches_are_errors() {
    let right: fake::Kernel = Rc::new(|d| push(d, 0));
    let hang = run_with(right.clone(), 3, |fake| fake.hangs = true).expect("a report");
    assert_eq!((hang.outcome, hang.runs), (Outcome::DeviceError, 1));
    let hang = hang.text();
    let description = DESCRIPTION.replace("grid = 1", "grid = [4, 2]");
    let folder = folder(&description, Some(REFERENCE));
    let folder = Folder::open(folder.path(), None).expect("a folder");
    let resident = |fit: u64| {
        let options = RunOptions { seed: Some(7), ..RunOptions::new(Target::Cuda) };
        run_opened(&folder, &options, &mut |_| {}, &mut |needs| {
            let mut fake = Fake::new(needs.n_pes, needs.heap_bytes, &[("_Z4push", right.clone())]);
            fake.record.co_resident = 1;
            fake.resident = Some(fit);
            Ok(Box::new(fake))
        })
    };
    assert!(resident(8).is_ok());
    let too_many = [7, 0].map(|fit| resident(fit).expect_err("too many blocks").to_string());
    insta::assert_snapshot!(format!("{hang}\n{}", too_many.join("\n")));
}

#[test]
fn machines_without_multicast_refuse_its_addresses() {
    let description = DESCRIPTION.replace("arguments = [\"landing\"", "arguments = [{ multicast = \"landing\" }");
    let folder = folder(&description, Some(REFERENCE));
    let folder = Folder::open(folder.path(), None).expect("a folder");
    let options = RunOptions { seed: Some(7), ..RunOptions::new(Target::Cuda) };
    let kernel: fake::Kernel = Rc::new(|d| push(d, 0));
    let refused = run_opened(&folder, &options, &mut |_| {}, &mut |needs| {
        Ok(Box::new(Fake::new(needs.n_pes, needs.heap_bytes, &[("_Z4push", kernel.clone())])))
    });
    let message = refused.expect_err("an error").to_string();
    assert!(message.contains("NVLink multicast is not used"), "{message}");
}

#[test]
fn a_reference_that_fails_or_crashes_is_an_error() {
    let source = r#"
        #include <gicc/reference.h>
        GICC_REFERENCE(run) {
          switch (run.parameter("mode")) {
            case 0: run.buffer<float>("lending", 0); break;
            case 1: run.buffer<double>("landing", 0); break;
            case 2: run.buffer<float>("landing", 0)[1 << 20] = 1; break;
            case 3: run.parameter("m"); break;
            case 4: run.buffer<float>("landing", 9); break;
            case 5: run.fail("%d is too many", run.n_pes());
            case 6: *(volatile int *)8 = 1;
          }
        }"#;
    let folder = folder(DESCRIPTION, Some(source));
    let run = |mode: u32| {
        let description = DESCRIPTION.replace("[parameters]", &format!("[parameters]\nmode = {mode}"));
        std::fs::write(folder.path().join("launch.toml"), description).expect("a file");
        let folder = Folder::open(folder.path(), None).expect("a folder");
        let options = RunOptions { seed: Some(7), ..RunOptions::new(Target::Cuda) };
        let error = run_opened(&folder, &options, &mut |_| {}, &mut |needs| {
            Ok(Box::new(Fake::new(needs.n_pes, needs.heap_bytes, &[])))
        });
        error.expect_err("an error").to_string()
    };
    let all: Vec<String> = (0..7).map(run).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn half_precision_of_the_header_is_that_of_the_half_crate() {
    use half::{bf16, f16};
    // The reference converts the index of each element to a float, and that to both formats and back.
    let description = DESCRIPTION
        .replace("length = \"n\"\n", "length = 65536\n")
        .replace("type = \"u64\"\nlength = \"n_pes\"", "type = \"u32\"\nlength = 65536")
        .replace("init = \"zero\"", "init = { each = \"i * 65537\" }\noutput = \"exact\"")
        .replace("output = \"exact\"\n[buffers.flags]", "[buffers.flags]");
    let source = r#"
        #include <gicc/reference.h>
        GICC_REFERENCE(run) {
          for (auto &bits : run.buffer<uint32_t>("flags", 0)) {
            float value = gicc::reference::detail::float_of(bits);
            uint32_t h = gicc::reference::half(value).bits, b = gicc::reference::bfloat16(value).bits;
            gicc::reference::half back;
            back.bits = static_cast<uint16_t>(bits);
            if (float(back) == float(back) && gicc::reference::half(float(back)).bits != back.bits) h = 0xdead;
            bits = h << 16 | b;
          }
        }"#;
    let folder = folder(&description, Some(source));
    let folder = Folder::open(folder.path(), None).expect("a folder");
    let drawn = draw(&folder.description, 1, 7, &[]).expect("numbers");
    let index = folder.description.buffers.iter().position(|b| b.name.value == "flags").expect("flags");
    let initial =
        (0..folder.description.buffers.len()).map(|i| vec![fill(&folder.description, &drawn, i, 0).expect("contents")]);
    let prepared = Prepared { buffers: vec![], initial: initial.collect() };
    let expected = expected(&folder, &drawn, &prepared).expect("a result").expect("a reference");
    let words = |bytes: &[u8]| {
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().expect("4 bytes"))).collect::<Vec<_>>()
    };
    for (bits, got) in words(&prepared.initial[index][0]).into_iter().zip(words(&expected[index].contents[0])) {
        let value = f32::from_bits(bits);
        if !value.is_nan() {
            let wanted = u32::from(f16::from_f32(value).to_bits()) << 16 | u32::from(bf16::from_f32(value).to_bits());
            assert_eq!(got, wanted, "{value:?} ({bits:#x})");
        }
    }
}

/// Times `push` with a count of its calls.
fn time_with(
    options: &BenchOptions,
    extra: u64,
    bench: &str,
) -> Result<(crate::bench::BenchReport, usize, Vec<usize>), HostError> {
    let folder = folder(&format!("{DESCRIPTION}\n[bench]\nkernel = \"push\"\n{bench}"), Some(REFERENCE));
    let calls = Rc::new(std::cell::Cell::new(0));
    let count = calls.clone();
    let kernel: fake::Kernel = Rc::new(move |device: &mut Device<'_>| {
        count.set(count.get() + 1);
        push(device, extra);
    });
    let mut rows = Vec::new();
    let report = crate::bench::bench_opened(
        &[folder.path().to_owned()],
        options,
        &mut |report, _| rows.push(report.rows.len()),
        &mut |needs| Ok(Box::new(Fake::new(needs.n_pes, needs.heap_bytes, &[("_Z4push", kernel.clone())]))),
    )?;
    Ok((report, calls.get(), rows))
}

#[test]
fn a_graph_is_checked_then_replayed_and_its_time_divided() {
    let options = BenchOptions { pes: Some(2), ..BenchOptions::new(Bounds::default()) };
    let bench = "sweep = { n = [4, 200] }\ngraph = 10\nwarmup = 2\nrepeats = 3";
    let (report, calls, rows) = time_with(&options, 0, bench).expect("times");
    // Two rows; each checked once, then five replays of ten launches, on two PEs.
    assert_eq!(calls, 2 * (1 + 5 * 10) * 2);
    assert_eq!(rows, [1, 2], "each row is told as soon as it is measured");
    for row in &report.rows {
        let time = row.times[0];
        assert_eq!((time.median, time.graph, time.right), (1.0, Some(10), Some(true)));
    }
    assert!(report.wrong.is_empty());
}

#[test]
fn options_take_the_place_of_the_description() {
    let options = BenchOptions {
        pes: Some(2),
        graph: Some(4),
        repeats: Some(1),
        sweep: vec![("n".into(), vec![7])],
        kernels: vec!["push".into()],
        ..BenchOptions::new(Bounds::default())
    };
    let (report, calls, _) = time_with(&options, 0, "sweep = { n = [4, 200] }").expect("times");
    assert_eq!((report.rows.len(), report.rows[0].parameters["n"]), (1, 7));
    assert_eq!(calls, (1 + 2 * 4) * 2);
    let refused = |options: BenchOptions| {
        time_with(&options, 0, "").expect_err("refused").to_string().replace(char::is_whitespace, " ")
    };
    let options = BenchOptions::new(Bounds::default());
    let of_file = |message: String| message[message.find("launch.toml").expect("the file")..].to_owned();
    assert_eq!(
        of_file(refused(BenchOptions { sweep: vec![("shift".into(), vec![1])], ..options.clone() })),
        "launch.toml has no parameter `shift` that can be swept   = help: a swept parameter is an integer of [parameters], the same on every PE"
    );
    assert_eq!(
        of_file(refused(BenchOptions { kernels: vec!["pull".into()], ..options })),
        "launch.toml times no kernel `pull`   = help: name a kernel that stands there under `kernel`"
    );
}

#[test]
fn a_kernel_that_is_left_out_is_not_launched_in_front_of_the_others() {
    let second = r#"
[[launches]]
kernel = "spill"
grid = 1
block = 32
arguments = ["landing", "source", "flags", "n"]
[bench]
kernel = ["push", "spill"]
sweep = { n = [4] }
"#;
    let description = DESCRIPTION.replace("output = \"exact\"\n", "");
    let folder = folder(&format!("{description}{second}"), None);
    let calls = |kernels: &[&str]| {
        let counts = [Rc::new(std::cell::Cell::new(0)), Rc::new(std::cell::Cell::new(0))];
        let counted = |n: usize| -> fake::Kernel {
            let count: Rc<std::cell::Cell<u32>> = counts[n].clone();
            Rc::new(move |_: &mut Device<'_>| count.set(count.get() + 1))
        };
        let functions = [("_Z4push", counted(0)), ("_Z5spill", counted(1))];
        let options = BenchOptions {
            pes: Some(1),
            repeats: Some(3),
            kernels: kernels.iter().map(|k| (*k).to_owned()).collect(),
            ..BenchOptions::new(Bounds::default())
        };
        crate::bench::bench_opened(&[folder.path().to_owned()], &options, &mut |_, _| (), &mut |needs| {
            Ok(Box::new(Fake::new(needs.n_pes, needs.heap_bytes, &functions)))
        })
        .expect("times");
        counts.map(|count| count.get())
    };
    let [push, spill] = calls(&[]);
    assert!(push > 0 && push == spill, "{push} and {spill}");
    assert_eq!(calls(&["spill"]), [0, spill]);
    assert_eq!(calls(&["push"]), [push, 0]);
}

#[test]
fn a_wrong_kernel_is_timed_and_told() {
    let options = BenchOptions { pes: Some(2), seed: Some(1), ..BenchOptions::new(Bounds::default()) };
    let (report, ..) = time_with(&options, 1, "sweep = { n = [4] }\nrepeats = 1").expect("times");
    assert_eq!(report.rows[0].times[0].right, Some(false));
    assert_eq!(report.wrong.len(), 1);
    assert!(
        report.wrong[0].contains(" at n = 4: PE 0: something wrote 0 bytes past the end of `landing`"),
        "{:?}",
        report.wrong
    );
    assert!(report.text().contains("WRONG"));
}
