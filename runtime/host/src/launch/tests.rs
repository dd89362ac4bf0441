//! Wrong launch descriptions, each with its message.

use gicc_abi::manifest::{Kernel, KernelParameter, Manifest, ParameterKind};

use super::check::check;
use super::diagnostic::Diagnostics;
use super::draw::{Drawn, Shape, draw};
use super::element::{ElementType, Value};
use super::fill::fill;
use super::pack::{Target, pack};
use super::read::read;
use super::*;

/// A right description; tests change a part of it.
const RIGHT: &str = r#"pes = [1, 2]
[parameters]
n = { random = [1, 100] }
shift = { random = [0, 3], per_pe = true }
alpha = 0.5
size = "n + shift_limit"
[buffers.data]
type = "f32"
length = "n"
symmetric = true
init = { uniform = [-1, 1] }
output = { relative = 1e-5 }
[buffers.flags]
type = "u64"
length = 4
init = "zero"
[[launches]]
kernel = "push"
grid = [2, 1]
block = 64
arguments = ["data", { buffer = "flags", offset = 1 }, "n * 2", "alpha", 3]
"#;

fn right() -> String {
    RIGHT.replace("size = \"n + shift_limit\"\n", "")
}

fn manifest() -> Manifest {
    let p = |name: &str, bytes, kind| KernelParameter { name: name.into(), bytes, align: bytes, kind };
    let kernel = |symbol: &str, name: &str| Kernel {
        symbol: symbol.into(),
        name: name.into(),
        parameters: vec![
            p("data", 8, ParameterKind::Pointer),
            p("flags", 8, ParameterKind::Pointer),
            p("n", 4, ParameterKind::Integer),
            p("alpha", 4, ParameterKind::Float),
            p("mode", 1, ParameterKind::Integer),
        ],
    };
    Manifest {
        abi_version: gicc_abi::ABI_VERSION,
        source: "kernel.cu".into(),
        kernels: vec![kernel("_Z4push", "push"), kernel("_Z3twoi", "two"), kernel("_Z3twof", "two")],
        reference: Some("reference.so".into()),
        ..Manifest::default()
    }
}

/// Everything that a run does with a description before it launches.
fn try_out(text: &str) -> Result<(Description, Drawn, Vec<Vec<u8>>), Diagnostics> {
    let description = read("launch.toml", text)?;
    let kernels = check(&description, &manifest())?;
    let drawn = draw(&description, 2, 1, &[])?;
    for pe in 0..2 {
        for index in 0..description.buffers.len() {
            fill(&description, &drawn, index, pe)?;
        }
    }
    let mut packed = Vec::new();
    for (index, kernel) in kernels.iter().enumerate() {
        let addresses = vec![0x1000; description.buffers.len()];
        let target = Target { drawn: &drawn, pe: 1, iteration: 0, addresses: &addresses, multicast: &[0x9000] };
        packed.push(pack(&description, index, &manifest().kernels[*kernel], target)?);
    }
    Ok((description, drawn, packed))
}

#[test]
fn a_multicast_address_is_an_argument() {
    let text = right().replace("{ buffer = \"flags\", offset = 1 }", "{ multicast = \"data\", byte_offset = 4 }");
    let (_, _, packed) = try_out(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(packed[0][..16], [0x1000u64.to_le_bytes(), 0x9004u64.to_le_bytes()].concat());
}

/// The messages about `RIGHT` with a part replaced.
fn wrong(changes: &[(&str, &str)]) -> String {
    let mut all = Vec::new();
    for (from, to) in changes {
        let text = right();
        assert!(text.contains(from), "{from}");
        match try_out(&text.replacen(from, to, 1)) {
            Ok(_) => all.push(format!("ACCEPTED: {from} -> {to}")),
            Err(e) => all.push(e.to_string()),
        }
    }
    all.join("\n\n")
}

#[test]
fn a_right_description_is_taken() {
    let (description, drawn, packed) = try_out(&right()).unwrap_or_else(|e| panic!("{e}"));
    assert!(description.parameters[1].per_pe && !description.parameters[0].per_pe);
    let n = drawn.integers[0][0];
    assert_eq!((drawn.lengths[0], drawn.integers[1][0]), (n as u64, n));
    assert_eq!(drawn.shapes[0], Shape { grid: [2, 1, 1], block: [64, 1, 1], shared_bytes: 0, repeat: 1 });
    let mut expected = 0x1000u64.to_le_bytes().to_vec();
    expected.extend(0x1008u64.to_le_bytes());
    expected.extend((2 * n as i32).to_le_bytes());
    expected.extend(0.5f32.to_le_bytes());
    expected.push(3);
    assert_eq!(packed[0], expected);
}

#[test]
fn keys_and_types() {
    insta::assert_snapshot!(wrong(&[
        ("length = \"n\"", "legnth = \"n\""),
        ("pes = [1, 2]", "pse = 2"),
        ("pes = [1, 2]", "pes = []"),
        ("pes = [1, 2]", "pes = [0]"),
        ("pes = [1, 2]", "pes = { from = 3, to = 1 }"),
        ("\"f32\"", "\"float\""),
        ("symmetric = true", "symmetric = 1"),
        ("init = \"zero\"", "init = \"zeros\""),
        ("init = { uniform = [-1, 1] }", "init = \"random\""),
        ("init = { uniform = [-1, 1] }", "init = { uniform = [1, -1] }"),
        ("output = { relative = 1e-5 }", "output = { relative = -1 }"),
        ("output = { relative = 1e-5 }", "output = \"exactly\""),
        ("[[launches]]", "[launches]"),
        ("grid = [2, 1]\n", ""),
        ("kernel = \"push\"", "kernel = 3"),
        ("[parameters]", "[parameters"),
        ("alpha = 0.5", "alpha = 0.5\npe = 3"),
        ("alpha = 0.5", "data = 0.5"),
        ("alpha = 0.5", "alpha = { random = [3, 1] }"),
        ("alpha = 0.5", "alpha = { random = [1, 3], choice = [1] }"),
    ]));
}

#[test]
fn expressions_and_names() {
    insta::assert_snapshot!(wrong(&[
        ("length = \"n\"", "length = \"m * 2\""),
        ("length = \"n\"", "length = \"n + shift\""),
        ("length = \"n\"", "length = \"n + pe\""),
        ("length = \"n\"", "length = \"n * alpha\""),
        ("length = \"n\"", "length = \"n +\""),
        ("length = \"n\"", "length = \"n / (n - n)\""),
        ("length = \"n\"", "length = \"-n\""),
        ("length = \"n\"", "length = \"n << 40\""),
        (
            "[buffers.data]",
            "[buffers.a]\ntype = \"u8\"\nlength = 4294967296\n[buffers.b]\ntype = \"f64\"\nlength = 536870912\n\
             [buffers.c]\ntype = \"f64\"\nlength = 536870912\n[buffers.d]\ntype = \"f64\"\nlength = 536870912\n\
             [buffers.e]\ntype = \"f64\"\nlength = 536870912\n[buffers.data]",
        ),
        ("length = 4", "length = 1.5"),
        ("[\"data\"", "[\"dat\""),
        ("[\"data\"", "[\"data + 4\""),
        ("\"flags\", offset = 1", "\"flag\", offset = 1"),
        ("offset = 1", "offset = 5"),
        ("offset = 1", "offset = -1"),
        ("offset = 1", "offset = 1, byte_offset = 8"),
        ("{ buffer = \"flags\", offset = 1 }", "{ multicast = \"flags\" }"),
        ("{ buffer = \"flags\", offset = 1 }", "{ multicast = \"data\", buffer = \"flags\" }"),
        ("{ buffer = \"flags\", offset = 1 }", "{ multicast = \"nothing\" }"),
    ]));
}

#[test]
fn kernels_and_arguments() {
    insta::assert_snapshot!(wrong(&[
        ("kernel = \"push\"", "kernel = \"pusch\""),
        ("kernel = \"push\"", "kernel = \"two\""),
        (", \"alpha\", 3]", "]"),
        ("[\"data\", ", "[\"n\", "),
        ("\"n * 2\"", "\"data\""),
        ("\"n * 2\"", "1.5"),
        ("\"n * 2\"", "\"n << 40\""),
        ("\"alpha\", 3", "\"alpha\", 300"),
        ("\"alpha\"", "{ struct = [{ type = \"f32\", value = 1.0 }, { type = \"i8\", value = 1 }] }"),
        ("\"n * 2\"", "{ struct = [{ type = \"pointer\", value = \"n\" }] }"),
    ]));
}

#[test]
fn launch_shapes() {
    insta::assert_snapshot!(wrong(&[
        ("grid = [2, 1]", "grid = 0"),
        ("grid = [2, 1]", "grid = [1, 65536]"),
        ("grid = [2, 1]", "grid = [1, 1, 1, 1]"),
        ("block = 64", "block = 2000"),
        ("block = 64", "block = [64, 32]"),
        ("block = 64", "block = 64\nshared_bytes = 300000"),
        ("block = 64", "block = 64\nrepeat = -1"),
    ]));
}

#[test]
fn benchmarks() {
    let bench = |text: &str| format!("[bench]\nkernel = \"push\"\n{text}\n[[launches]]");
    let right =
        bench("sweep = { n = [1, 2] }\niterations = { parameter = \"n\", count = 10 }\nrepeats = 3\ngraph = 20");
    assert!(wrong(&[("[[launches]]", &right)]).starts_with("ACCEPTED"));
    insta::assert_snapshot!(wrong(&[
        ("[[launches]]", &bench("sweep = { m = [1] }")),
        ("[[launches]]", &bench("sweep = { shift = [1] }")),
        ("[[launches]]", &bench("sweep = { n = [] }")),
        ("[[launches]]", &bench("iterations = { parameter = \"n\", count = 0 }")),
        ("[[launches]]", &bench("repeats = 0")),
        ("[[launches]]", &bench("graph = 0")),
        ("[[launches]]", "[bench]\nkernel = []\n[[launches]]"),
        ("[[launches]]", "[bench]\nkernel = \"pull\"\n[[launches]]"),
    ]));
}

#[test]
fn one_error_does_not_hide_another() {
    let text = right().replace("\"f32\"", "\"float\"").replace("block = 64", "block = \"q\"");
    let errors = try_out(&text).expect_err("two errors").0;
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert_eq!((errors[0].line, errors[1].line), (7, 19));
}

#[test]
fn structures_lie_at_natural_alignment() {
    let text = right().replace(
        "\"n * 2\", \"alpha\"",
        "\"n\", { struct = [{ type = \"i8\", value = -1 }, { type = \"bf16\", value = 1.0 }] }",
    );
    let (_, _, packed) = try_out(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(packed[0][20..24], [0xFF, 0, 0x80, 0x3F]);
}

#[test]
fn initial_contents() {
    let values = |element: &str, init: &str| {
        let text = right()
            .replace("\"u64\"", &format!("\"{element}\""))
            .replace("init = \"zero\"", &format!("init = {init}"))
            .replace("offset = 1", "byte_offset = 1");
        let (description, drawn, _) = try_out(&text).unwrap_or_else(|e| panic!("{e}"));
        let bytes = fill(&description, &drawn, 1, 1).unwrap_or_else(|e| panic!("{e}"));
        let ty = description.buffers[1].element;
        bytes.chunks_exact(ty.bytes()).map(|c| ty.read(c)).collect::<Vec<_>>()
    };
    let integers = |all: [i128; 4]| all.map(Value::Integer).to_vec();
    assert_eq!(values("i8", "\"iota\""), integers([0, 1, 2, 3]));
    assert_eq!(values("i16", "{ each = \"pe * 100 - i\" }"), integers([100, 99, 98, 97]));
    assert_eq!(values("u32", "{ constant = \"n_pes\" }"), integers([2; 4]));
    assert_eq!(values("bf16", "{ constant = 1.5 }"), vec![Value::Real(1.5); 4]);
    assert_eq!(values("u8", "\"poison\""), integers([0xA5; 4]));
    assert!(values("i32", "{ uniform = [-2, 2] }").iter().all(|v| v.to_f64().abs() <= 2.0));
    assert!(values("f16", "{ uniform = [2, 3] }").iter().all(|v| (2.0..=3.0).contains(&v.to_f64())));
    assert_eq!(ElementType::from_name("f128"), None);
    let text = right().replace("\"u64\"", "\"u8\"").replace("init = \"zero\"", "init = { each = \"256 + i\" }");
    assert!(try_out(&text).expect_err("too large").to_string().contains("256 does not fit in u8"));
}

#[test]
fn the_examples_are_right() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    for folder in std::fs::read_dir(examples).expect("the examples").flatten() {
        let Ok(text) = std::fs::read_to_string(folder.path().join("launch.toml")) else { continue };
        let description = read(&folder.path().display().to_string(), &text).unwrap_or_else(|e| panic!("{e}"));
        for n_pes in (1..=8).filter(|n| description.pes.allows(*n)) {
            for seed in 0..20 {
                draw(&description, n_pes, seed, &[]).unwrap_or_else(|e| panic!("{e}"));
            }
        }
        seen += 1;
    }
    assert!(seen >= 3, "{seen}");
}

proptest::proptest! {
    #[test]
    fn no_text_panics(at in 0usize..700, length in 0usize..12, with in "[-+*/(){}=.,\"\\[\\] a-z0-9]{0,6}") {
        let mut text = right();
        let at = at.min(text.len());
        text.replace_range(at..(at + length).min(text.len()), &with);
        // The lengths of a changed text may be large: fill nothing.
        if let Ok(description) = read("launch.toml", &text)
            && check(&description, &manifest()).is_ok()
        {
            let _ = draw(&description, 2, 1, &[]);
        }
    }
}
