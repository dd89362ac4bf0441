//! The CUDA backend on real GPUs, with a module written by hand in PTX. Where there is no GPU each test says so.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use gicc_abi::codes::{Compare, ErrorCode};
use gicc_abi::layout::{Error, ModuleRecord, State};
use gicc_abi::manifest::{Image, ImageKind, Kernel, KernelParameter, Manifest, ParameterKind};
use gicc_abi::{ABI_VERSION, MODULE_RECORD_SYMBOL, STATE_SYMBOL};
use gicc_host::HostError;
use gicc_host::backend::Launch;
use gicc_host::backend::cuda::{Cuda, gpu_count};
use gicc_host::team::{Bounds, Buffer, Team};

/// Prints past the test harness, which hides what passing tests print.
macro_rules! say {
    ($($argument:tt)*) => {{
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}

/// Number of PEs to test with, or `None`, which is said.
fn pes(least: u32) -> Option<u32> {
    let gpus = gpu_count();
    if gpus < least {
        say!("skipped: no GPU (this test needs {least}, there are {gpus})");
        return None;
    }
    Some(gpus.min(8))
}

fn record(co_resident: u32, abi_version: u32) -> ModuleRecord {
    ModuleRecord {
        magic: ModuleRecord::MAGIC,
        abi_version,
        record_bytes: size_of::<ModuleRecord>() as u32,
        error_words: 1,
        co_resident,
        ..ModuleRecord::default()
    }
}

fn offset(fields: &[gicc_abi::layout::Field], name: &str) -> usize {
    fields.iter().find(|f| f.name == name).expect("a field").offset
}

/// A module with three kernels of the same parameters (landing, source, flags, n):
/// `push` copies n words to the next PE, sets its flag to n and waits for the own flag to be n;
/// `fail` writes the error word of a wait; `fault` stores to address 8.
fn ptx(record: &ModuleRecord) -> String {
    let bytes: Vec<String> = record.to_bytes().iter().map(u8::to_string).collect();
    let state = |name| offset(State::FIELDS, name);
    let error = |name| offset(Error::FIELDS, name);
    let parameters = ".param .u64 landing, .param .u64 source, .param .u64 flags, .param .u64 n";
    let mut text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n\
         .visible .const .align 8 .b8 {STATE_SYMBOL}[{}];\n\
         .visible .global .align 8 .b8 {MODULE_RECORD_SYMBOL}[{}] = {{{}}};\n",
        size_of::<State>(),
        bytes.len(),
        bytes.join(",")
    );
    let _ = write!(
        text,
        ".visible .entry push({parameters}) {{
  .reg .u64 %d<12>; .reg .u32 %r<12>; .reg .pred %p<3>;
  ld.param.u64 %d0, [landing]; ld.param.u64 %d1, [source]; ld.param.u64 %d2, [flags]; ld.param.u64 %d3, [n];
  ld.const.u32 %r0, [{STATE_SYMBOL}+{my_pe}]; ld.const.u32 %r1, [{STATE_SYMBOL}+{n_pes}];
  ld.const.u64 %d4, [{STATE_SYMBOL}+{stride}];
  add.u32 %r2, %r0, 1; rem.u32 %r2, %r2, %r1; sub.u32 %r3, %r2, %r0; cvt.s64.s32 %d5, %r3; mul.lo.u64 %d5, %d5, %d4;
  add.u64 %d0, %d0, %d5; add.u64 %d6, %d2, %d5;
  mov.u32 %r4, %tid.x; cvt.u64.u32 %d7, %r4; mov.u32 %r5, %ntid.x; cvt.u64.u32 %d8, %r5;
copy:
  setp.ge.u64 %p0, %d7, %d3; @%p0 bra done;
  shl.b64 %d9, %d7, 2; add.u64 %d10, %d1, %d9; ld.u32 %r6, [%d10]; add.u64 %d10, %d0, %d9; st.u32 [%d10], %r6;
  add.u64 %d7, %d7, %d8; bra copy;
done:
  bar.sync 0; setp.ne.u32 %p1, %r4, 0; @%p1 bra end;
  fence.acq_rel.sys; st.relaxed.sys.u64 [%d6], %d3;
wait:
  ld.acquire.sys.u64 %d11, [%d2]; setp.ne.u64 %p2, %d11, %d3; @%p2 bra wait;
end:
  ret;
}}\n",
        my_pe = state("my_pe"),
        n_pes = state("n_pes"),
        stride = state("heap_stride"),
    );
    let _ = write!(
        text,
        ".visible .entry fail({parameters}) {{
  .reg .u64 %d<3>; .reg .u32 %r<2>;
  ld.const.u64 %d0, [{STATE_SYMBOL}+{words}]; ld.const.u32 %r0, [{STATE_SYMBOL}+{my_pe}]; ld.param.u64 %d1, [flags];
  st.u32 [%d0+{pe}], %r0; st.u32 [%d0+{compare}], {ge}; add.u64 %d1, %d1, 8; st.u64 [%d0+{address}], %d1;
  ld.param.u64 %d2, [n]; st.u64 [%d0+{expected}], %d2; st.u64 [%d0+{observed}], 2; st.u32 [%d0+{code}], {timeout};
  ret;
}}
.visible .entry fault({parameters}) {{ .reg .u64 %d; mov.u64 %d, 8; st.u32 [%d], 1; ret; }}
.visible .entry endless({parameters}) {{
  .reg .u64 %d; .reg .u32 %r; .reg .pred %p;
  ld.param.u64 %d, [flags];
again: ld.volatile.u32 %r, [%d]; setp.ne.u32 %p, %r, 77; @%p bra again;
  ret;
}}\n",
        words = state("error"),
        my_pe = state("my_pe"),
        pe = error("pe"),
        compare = error("compare"),
        ge = Compare::Ge.code(),
        address = error("address"),
        expected = error("expected"),
        observed = error("observed"),
        code = error("code"),
        timeout = ErrorCode::Timeout.code(),
    );
    text
}

fn manifest() -> Manifest {
    let p = |name: &str, kind| KernelParameter { name: name.into(), bytes: 8, align: 8, kind };
    let pointer = ParameterKind::Pointer;
    let parameters =
        vec![p("landing", pointer), p("source", pointer), p("flags", pointer), p("n", ParameterKind::Integer)];
    let kernel = |name: &str| Kernel { symbol: name.into(), name: name.into(), parameters: parameters.clone() };
    Manifest {
        abi_version: ABI_VERSION,
        source: "by_hand.ptx".into(),
        images: vec![Image { kind: ImageKind::Ptx, arch: "sm_80".into(), file: "by_hand.ptx".into() }],
        kernels: ["push", "fail", "fault", "endless"].map(kernel).to_vec(),
        reference: None,
    }
}

struct Setup {
    team: Team,
    landing: Buffer,
    source: Buffer,
    flags: Buffer,
}

fn team(n_pes: u32, text: &str, bounds: Bounds) -> Result<Team, HostError> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("by_hand.ptx"), text).expect("a file");
    let heap = Team::segment_bytes(0, [4 << 20, 64]);
    let mut team = Team::new(Box::new(Cuda::open(n_pes, heap)?), bounds);
    team.load(folder.path(), &manifest())?;
    Ok(team)
}

fn setup(n_pes: u32, bounds: Bounds) -> Setup {
    let mut team = team(n_pes, &ptx(&record(0, ABI_VERSION)), bounds).unwrap_or_else(|e| panic!("{e}"));
    eprintln!("{}", team.backend().describe().join("\n"));
    let landing = team.allocate_symmetric("landing", 4 << 20).expect("memory");
    let flags = team.allocate_symmetric("flags", 64).expect("memory");
    let source = team.allocate_local("source", 4 << 20).expect("memory");
    for pe in 0..n_pes {
        team.write(&flags, pe, &[0; 64]).expect("a copy");
        team.write(&landing, pe, &vec![0xA5; 4 << 20]).expect("a copy");
        let words: Vec<u8> = (0..1u32 << 20).flat_map(|i| (i ^ (pe << 24)).to_le_bytes()).collect();
        team.write(&source, pe, &words).expect("a copy");
    }
    Setup { team, landing, source, flags }
}

impl Setup {
    fn launch(&mut self, symbol: &str, n: u64, grid: u32) -> Result<Option<f64>, HostError> {
        let launches: Vec<Launch<'_>> = (0..self.team.n_pes())
            .map(|pe| {
                let address = |b: &Buffer| b.addresses[pe as usize];
                let all = [address(&self.landing), address(&self.source), address(&self.flags), n];
                let parameters = all.iter().flat_map(|v| v.to_le_bytes()).collect();
                Launch { pe, symbol, grid: [grid, 1, 1], block: [256, 1, 1], shared_bytes: 0, parameters }
            })
            .collect();
        Ok(self.team.launch(0, 0, symbol, &launches)?.microseconds)
    }
}

#[test]
fn words_arrive_on_the_next_pe_and_guards_stay_whole() {
    let Some(n_pes) = pes(1) else { return };
    let mut s = setup(n_pes, Bounds::default());
    let n = 1_000_003u64;
    let time = s.launch("push", n, 1).unwrap_or_else(|e| panic!("{e}"));
    assert!(time.is_some_and(|t| t > 0.0));
    for pe in 0..n_pes {
        let mut got = vec![0; 4 << 20];
        s.team.read(&s.landing, pe, &mut got).expect("a copy");
        let from = (pe + n_pes - 1) % n_pes;
        let right = (0..n as u32).flat_map(|i| (i ^ (from << 24)).to_le_bytes());
        assert!(right.eq(got[..4 * n as usize].iter().copied()), "PE {pe}");
        assert!(got[4 * n as usize..].iter().all(|b| *b == 0xA5), "PE {pe}");
    }
    assert_eq!(s.team.broken_guards().expect("guards"), []);
}

#[test]
fn an_error_word_is_a_sentence_and_the_team_stays_usable() {
    let Some(n_pes) = pes(1) else { return };
    let mut s = setup(n_pes, Bounds::default());
    let error = s.launch("fail", 3, 1).expect_err("an error").to_string();
    let sentence = "PE 0, block 0, thread 0 waited for PE 0 on signal `flags`+8 to be >= 3; the last value seen was 2; gave up after 10 s";
    assert!(error.contains(sentence), "{error}");
    s.launch("push", 100, 1).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn other_versions_bad_ptx_and_too_many_pes_are_refused() {
    let Some(n_pes) = pes(1) else { return };
    let refused = |text: &str| match team(n_pes, text, Bounds::default()) {
        Ok(_) => panic!("accepted"),
        Err(e) => e.to_string(),
    };
    let version = refused(&ptx(&record(0, ABI_VERSION + 1)));
    assert!(version.contains("compiled for version"), "{version}");
    let none = refused(&ptx(&record(0, ABI_VERSION)).replace(MODULE_RECORD_SYMBOL, "something_else"));
    assert!(none.contains("has no record"), "{none}");
    let syntax = refused(&ptx(&record(0, ABI_VERSION)).replace("bar.sync 0;", "bar.sink 0;"));
    assert!(syntax.contains("bar.sink") || syntax.contains("line"), "{syntax}");
    eprintln!("{syntax}");
    let many = Cuda::open(gpu_count() + 1, 1 << 20).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(many.contains("GPUs, but the driver shows"), "{many}");
}

#[test]
fn a_grid_that_does_not_fit_is_refused_where_blocks_wait_for_each_other() {
    let Some(n_pes) = pes(1) else { return };
    let mut team = team(n_pes, &ptx(&record(1, ABI_VERSION)), Bounds::default()).unwrap_or_else(|e| panic!("{e}"));
    let landing = team.allocate_symmetric("landing", 64).expect("memory");
    let mut s = Setup { team, flags: landing.clone(), source: landing.clone(), landing };
    let error = s.launch("push", 0, 1 << 20).expect_err("too many blocks");
    assert!(matches!(error, HostError::NotResident { .. }), "{error}");
    eprintln!("{error}");
}

/// A fault and a hang make the devices unusable for the process, so each runs in a process of its own.
#[test]
fn faults_and_hangs_are_messages() {
    let Some(n_pes) = pes(1) else { return };
    if let Ok(kernel) = std::env::var("GICC_TEST_KERNEL") {
        let bounds = Bounds { device: Duration::from_secs(1), host: Duration::from_secs(2) };
        let mut s = setup(n_pes, bounds);
        println!("{}", s.launch(&kernel, 1, 1).expect_err("an error"));
        // The endless kernel would keep the context's end waiting.
        std::process::exit(0);
    }
    let this = std::env::current_exe().expect("this test");
    let run = |kernel: &str| {
        let arguments = ["--exact", "faults_and_hangs_are_messages", "--nocapture"];
        let output =
            std::process::Command::new(Path::new(&this)).args(arguments).env("GICC_TEST_KERNEL", kernel).output();
        String::from_utf8_lossy(&output.expect("the test").stdout).into_owned()
    };
    let fault = run("fault");
    assert!(fault.contains("kernel `fault` on PE") && fault.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{fault}");
    let hang = run("endless");
    assert!(hang.contains("did not end within 2 s; still running: PE 0"), "{hang}");
}

#[test]
fn the_module_is_accepted_by_ptxas() {
    let ptxas = std::env::var("GICC_PTXAS").unwrap_or_else(|_| "ptxas".into());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("by_hand.ptx");
    std::fs::write(&file, ptx(&record(0, ABI_VERSION))).expect("a file");
    let output = std::process::Command::new(&ptxas)
        .args(["-arch=sm_90", "-o"])
        .arg(folder.path().join("out"))
        .arg(&file)
        .output();
    match output {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => say!("skipped: no ptxas (looked for `{ptxas}`; GICC_PTXAS names another)"),
    }
}
