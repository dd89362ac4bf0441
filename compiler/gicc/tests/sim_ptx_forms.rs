//! Every form of inline PTX that published kernels of the communication patterns use, each run in the simulator in a kernel
//! of its own with the numbers that must come out. All kernels are one module, so that a form that is refused is named
//! together with all others that are.
//!
//! Forms of loads, stores and atomics are made from their opcodes; the others are written out.

#![allow(clippy::unwrap_used, reason = "tests state facts; an unwrap there is an assertion")]

mod sim_support;

use std::fmt::Write as _;

use gicc_sim::{Config, Machine, MemoryMode};
use sim_support::{Bench, Params, bitcode, emit};

/// A kernel `(unsigned *m, unsigned *o)` with `s` in shared memory, whose shared address is `a`.
struct Form {
    name: String,
    body: String,
    threads: u32,
    memory: Vec<u32>,
    /// What `m` and `o` must begin with.
    expected_memory: Vec<u32>,
    expected_output: Vec<u32>,
}

/// Bytes 1, 2, 3 and so on.
fn pattern() -> Vec<u32> {
    (0..16u32).map(|i| 0x0403_0201 + 0x0404_0404 * i).collect()
}

/// Bytes of a type, its C type and its constraint.
fn class(ty: &str) -> (usize, &'static str, &'static str) {
    match ty {
        "f32" => (4, "float", "f"),
        "f64" => (8, "double", "d"),
        "f16x2" | "bf16x2" => (4, "unsigned", "r"),
        _ => match ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()) {
            "8" => (1, "unsigned char", "h"),
            "16" => (2, "unsigned short", "h"),
            "32" => (4, "unsigned", "r"),
            "64" => (8, "unsigned long long", "l"),
            "128" => (16, "unsigned __int128", "q"),
            other => panic!("no class for {other}"),
        },
    }
}

fn lanes(opcode: &str) -> usize {
    [(".v2.", 2), (".v4.", 4), (".v8.", 8)].iter().find(|(v, _)| opcode.contains(v)).map_or(1, |&(_, n)| n)
}

fn braces(from: usize, count: usize) -> String {
    let list: Vec<_> = (from..from + count).map(|i| format!("%{i}")).collect();
    if count == 1 { list[0].clone() } else { format!("{{{}}}", list.join(", ")) }
}

const POLICY: &str = "unsigned long long policy; asm volatile(\"createpolicy.fractional.L2::evict_first.b64 %0, 1.0;\" : \"=l\"(policy)); ";

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|c| c.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b))).collect()
}

/// A load of the pattern; `o` holds the lanes.
fn load(opcode: &str) -> Form {
    let (bytes, c, constraint) = class(opcode.rsplit('.').next().unwrap());
    let count = lanes(opcode);
    let shared = opcode.contains(".shared");
    let register = if bytes == 1 { "unsigned short" } else { c };
    let mut body = if shared { "for (int i = 0; i < 16; ++i) s[i] = m[i]; ".to_owned() } else { String::new() };
    let hinted = opcode.contains("L2::cache_hint");
    if hinted {
        body += POLICY;
    }
    for i in 0..count {
        let _ = write!(body, "{register} v{i}; ");
    }
    let outputs: Vec<_> = (0..count).map(|i| format!("\"={constraint}\"(v{i})")).collect();
    let address = if shared { "\"r\"(a)" } else { "\"l\"(m)" };
    let (hint, policy) = if hinted { (format!(", %{}", count + 1), ", \"l\"(policy)") } else { (String::new(), "") };
    let _ = write!(
        body,
        "asm volatile(\"{opcode} {}, [%{count}]{hint};\" : {} : {address}{policy} : \"memory\"); ",
        braces(0, count),
        outputs.join(", ")
    );
    for i in 0..count {
        let _ = write!(body, "(({c} *)o)[{i}] = v{i}; ");
    }
    let all: Vec<u8> = (1..=64).collect();
    let mut expected = all[..bytes * count].to_vec();
    expected.resize(expected.len().next_multiple_of(4), 0);
    Form {
        name: opcode.to_owned(),
        body,
        threads: 1,
        memory: pattern(),
        expected_memory: pattern(),
        expected_output: words(&expected),
    }
}

/// A store of the pattern's lanes to `o`.
fn store(opcode: &str) -> Form {
    let (bytes, c, constraint) = class(opcode.rsplit('.').next().unwrap());
    let count = lanes(opcode);
    let shared = opcode.contains(".shared");
    let register = if bytes == 1 { "unsigned short" } else { c };
    let hinted = opcode.contains("L2::cache_hint");
    let mut body = String::from(if shared { "for (int i = 0; i < 16; ++i) s[i] = 0; " } else { "" });
    if hinted {
        body += POLICY;
    }
    for i in 0..count {
        let _ = write!(body, "{register} v{i} = (({c} *)m)[{i}]; ");
    }
    let inputs: Vec<_> = (0..count).map(|i| format!("\"{constraint}\"(v{i})")).collect();
    let address = if shared { "\"r\"(a)" } else { "\"l\"(o)" };
    let (hint, policy) = if hinted { (format!(", %{}", count + 1), ", \"l\"(policy)") } else { (String::new(), "") };
    let _ = write!(
        body,
        "asm volatile(\"{opcode} [%0], {}{hint};\" :: {address}, {}{policy} : \"memory\"); ",
        braces(1, count),
        inputs.join(", ")
    );
    if shared {
        body += "for (int i = 0; i < 16; ++i) o[i] = s[i]; ";
    }
    let all: Vec<u8> = (1..=64).collect();
    let mut expected = all[..bytes * count].to_vec();
    expected.resize(expected.len().next_multiple_of(4) + 4, 0);
    Form {
        name: opcode.to_owned(),
        body,
        threads: 1,
        memory: pattern(),
        expected_memory: pattern(),
        expected_output: words(&expected),
    }
}

/// An atomic operation or reduction on `m`, by one thread: what was there, the operands, what is there then.
fn atomic(opcode: &str, old: &[u64], operands: &[u64], new: &[u64]) -> Form {
    let (bytes, c, constraint) = class(opcode.rsplit('.').next().unwrap());
    let count = lanes(opcode);
    let returns = opcode.starts_with("atom");
    let shared = opcode.contains(".shared");
    let bits = |value: u64| -> Vec<u8> { value.to_le_bytes()[..bytes.min(8)].to_vec() };
    let flat = |values: &[u64]| {
        let mut all: Vec<u8> = values.iter().flat_map(|&v| bits(v)).collect();
        all.resize(all.len().next_multiple_of(4), 0);
        words(&all)
    };
    // Operands come from memory behind the place, as bits.
    let mut memory = flat(old);
    memory.resize(8, 0);
    for &operand in operands {
        memory.extend([operand as u32, (operand >> 32) as u32]);
    }
    memory.resize(32, 0);
    let mut body = String::from(if shared { "for (int i = 0; i < 8; ++i) s[i] = m[i]; " } else { "" });
    for i in 0..operands.len() {
        let _ = write!(body, "{c} x{i} = *({c} *)(m + {}); ", 8 + 2 * i);
    }
    for i in 0..count {
        let _ = write!(body, "{c} v{i}; ");
    }
    let results = if returns { count } else { 0 };
    let address = if shared { "\"r\"(a)" } else { "\"l\"(m)" };
    let inputs: Vec<_> = (0..operands.len()).map(|i| format!("\"{constraint}\"(x{i})")).collect();
    let outputs: Vec<_> = (0..results).map(|i| format!("\"={constraint}\"(v{i})")).collect();
    let values = if opcode.contains(".cas.") {
        format!("%{}, %{}", results + 1, results + 2)
    } else {
        braces(results + 1, count)
    };
    let destination = if returns { format!("{}, ", braces(0, count)) } else { String::new() };
    let _ = write!(
        body,
        "asm volatile(\"{opcode} {destination}[%{results}], {values};\" : {} : {address}, {} : \"memory\"); ",
        outputs.join(", "),
        inputs.join(", ")
    );
    for i in 0..results {
        let _ = write!(body, "(({c} *)o)[{i}] = v{i}; ");
    }
    if shared {
        body += "for (int i = 0; i < 8; ++i) m[i] = s[i]; ";
    }
    let name = opcode.to_owned();
    let expected_output = if returns { flat(old) } else { Vec::new() };
    Form { name, body, threads: 1, memory, expected_memory: flat(new), expected_output }
}

/// Instructions that compute nothing and must only run.
fn silent(ptx: &str) -> Form {
    let body = format!("asm volatile(\"{ptx}\" ::: \"memory\"); o[threadIdx.x] = threadIdx.x + 1; ");
    Form {
        name: ptx.to_owned(),
        body,
        threads: 32,
        memory: pattern(),
        expected_memory: pattern(),
        expected_output: (1..=32).collect(),
    }
}

/// A kernel written out.
fn kernel(name: &str, threads: u32, memory: &[u32], body: &str, expected_output: &[u32]) -> Form {
    Form {
        name: name.to_owned(),
        body: body.to_owned(),
        threads,
        memory: memory.to_vec(),
        expected_memory: Vec::new(),
        expected_output: expected_output.to_vec(),
    }
}

/// A computation: `%0` is `o[0]`, then the operands, all as 32-bit registers.
fn compute(ptx: &str, operands: &[u32], expected: u32) -> Form {
    let mut body = String::new();
    for i in 0..operands.len() {
        let _ = write!(body, "unsigned x{i} = m[{i}]; ");
    }
    let inputs: Vec<_> = (0..operands.len()).map(|i| format!("\"r\"(x{i})")).collect();
    let _ = write!(body, "unsigned v; asm volatile(\"{ptx}\" : \"=r\"(v) : {}); o[0] = v; ", inputs.join(", "));
    kernel(ptx, 1, operands, &body, &[expected])
}

/// The same with one 64-bit result of 64-bit operands.
fn compute64(ptx: &str, operands: &[u64], expected: u64) -> Form {
    let mut body = String::new();
    let mut memory = Vec::new();
    for (i, operand) in operands.iter().enumerate() {
        let _ = write!(body, "unsigned long long x{i} = ((unsigned long long *)m)[{i}]; ");
        memory.extend([*operand as u32, (*operand >> 32) as u32]);
    }
    let inputs: Vec<_> = (0..operands.len()).map(|i| format!("\"l\"(x{i})")).collect();
    let _ = write!(
        body,
        "unsigned long long v; asm volatile(\"{ptx}\" : \"=l\"(v) : {}); *(unsigned long long *)o = v; ",
        inputs.join(", ")
    );
    kernel(ptx, 1, &memory, &body, &[expected as u32, (expected >> 32) as u32])
}

/// Runs every form and compares, with every access in effect at once and with weak memory; all failures are told together.
fn run(forms: &[Form]) {
    run_in(forms, &[MemoryMode::Functional, MemoryMode::Weak(Default::default())]);
}

/// What is wrong with a form.
fn try_out(bench: &mut Bench, number: usize, form: &Form) -> Vec<String> {
    let mut memory = form.memory.clone();
    memory.resize(128, 0);
    let (m, o) = (bench.buffer("m", &memory), bench.buffer("o", &[0; 128]));
    if let Err(error) = bench.run(&format!("form{number}"), 1, form.threads, Params::new().ptr(m).ptr(o)) {
        return vec![format!("{}: {error}", form.name)];
    }
    let mut failures = Vec::new();
    for (what, address, expected) in [("m", m, &form.expected_memory), ("o", o, &form.expected_output)] {
        let found = bench.words(address, expected.len());
        if found != *expected {
            failures.push(format!("{}: {what} is {found:x?}, not {expected:x?}", form.name));
        }
    }
    failures
}

fn run_in(forms: &[Form], modes: &[MemoryMode]) {
    let mut cuda = String::new();
    for (number, form) in forms.iter().enumerate() {
        let _ = writeln!(
            cuda,
            "extern \"C\" __global__ void form{number}(unsigned *m, unsigned *o) {{ __shared__ alignas(128) unsigned s[128]; \
             unsigned a = (unsigned)__cvta_generic_to_shared(s); (void)a; {} }}",
            form.body
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("kernel.so");
    if let Err(errors) = emit(&bitcode(folder.path(), &cuda), &program) {
        panic!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
    let mut failures = Vec::new();
    for &memory in modes {
        let mut machine = Machine::new(Config { memory, ..Config::default() }).unwrap();
        let module = machine.load(&program).unwrap();
        let mut bench = Bench { machine, module };
        for (number, form) in forms.iter().enumerate() {
            failures.extend(try_out(&mut bench, number, form));
        }
    }
    assert!(failures.is_empty(), "{} of {} forms:\n{}", failures.len(), forms.len(), failures.join("\n"));
}

#[test]
fn loads() {
    let mut opcodes: Vec<String> = Vec::new();
    for ty in ["u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64"] {
        for order in ["volatile", "relaxed.gpu", "acquire.sys"] {
            opcodes.push(format!("ld.{order}.global.{ty}"));
        }
        opcodes.push(format!("ld.global.{ty}"));
        opcodes.push(format!("ld.global.nc.{ty}"));
    }
    for scope in ["cta", "cluster", "gpu", "sys"] {
        for order in ["relaxed", "acquire"] {
            opcodes
                .extend(["u32", "b64", "v2.u64", "v4.u32", "b128"].map(|ty| format!("ld.{order}.{scope}.global.{ty}")));
        }
    }
    let written = [
        "ld.global.acquire.sys.b32",
        "ld.global.relaxed.sys.b32",
        "ld.acquire.sys.b32",
        "ld.acquire.sys.b64",
        "ld.volatile.b64",
        "ld.volatile.u32",
        "ld.b128",
        "ld.global.b128",
        "ld.volatile.global.b128",
        "ld.volatile.global.v2.u64",
        "ld.volatile.global.v2.b64",
        "ld.volatile.global.v4.b32",
        "ld.volatile.global.v4.u32",
        "ld.volatile.global.v4.f32",
        "ld.volatile.v2.u64",
        "ld.mmio.relaxed.sys.global.u32",
        "ld.mmio.relaxed.sys.global.b64",
        "ld.mmio.acquire.sys.global.u32",
        "ld.weak.global.u32",
        "ld.global.nc.v2.u64",
        "ld.global.nc.v4.f32",
        "ld.global.nc.v4.u32",
        "ld.global.nc.L1::no_allocate.s32",
        "ld.global.nc.L1::no_allocate.v4.s32",
        "ld.global.nc.L1::no_allocate.L2::256B.s32",
        "ld.global.nc.L1::no_allocate.L2::256B.v4.s32",
        "ld.global.nc.L1::no_allocate.L2::128B.v4.u32",
        "ld.global.nc.L1::evict_last.L2::64B.b64",
        "ld.global.L1::no_allocate.v4.u32",
        "ld.global.L1::evict_first.u32",
        "ld.global.L2::cache_hint.v4.u32",
        "ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32",
        "ld.relaxed.gpu.global.L1::no_allocate.v4.u32",
        "ld.relaxed.sys.global.L1::no_allocate.b64",
        "ld.relaxed.sys.global.L1::no_allocate.u8",
        "ld.acquire.gpu.global.L1::no_allocate.u32",
        "ld.global.v4.b64",
        "ld.global.v8.b32",
        "ld.relaxed.sys.global.v8.f32",
        "ld.global.ca.u32",
        "ld.global.cg.v4.u32",
        "ld.global.cs.u64",
        "ld.global.lu.u32",
        "ld.global.cv.u32",
        "ldu.global.u32",
        "ldu.global.v4.f32",
        "ld.shared.u8",
        "ld.shared.b64",
        "ld.shared.v4.f32",
        "ld.shared::cta.v4.u32",
        "ld.shared::cluster.u32",
        "ld.volatile.shared.u32",
        "ld.volatile.shared.v2.u64",
        "ld.acquire.cta.shared.u32",
        "ld.acquire.cta.shared::cta.b32",
        "ld.relaxed.cluster.shared::cluster.b64",
        "ld.acquire.gpu.global.s32",
        "ld.relaxed.sys.global.u64",
    ];
    opcodes.extend(written.map(str::to_owned));
    run(&opcodes.iter().map(|o| load(o)).collect::<Vec<_>>());
}

#[test]
fn stores() {
    let mut opcodes: Vec<String> = Vec::new();
    for ty in ["u8", "b8", "u16", "b16", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64"] {
        for order in ["volatile", "relaxed.gpu", "release.sys"] {
            opcodes.push(format!("st.{order}.global.{ty}"));
        }
        opcodes.push(format!("st.global.{ty}"));
    }
    for scope in ["cta", "cluster", "gpu", "sys"] {
        for order in ["relaxed", "release"] {
            opcodes
                .extend(["u32", "b64", "v2.u64", "v4.u32", "b128"].map(|ty| format!("st.{order}.{scope}.global.{ty}")));
        }
    }
    let written = [
        "st.global.release.sys.b32",
        "st.global.relaxed.sys.b32",
        "st.release.sys.s32",
        "st.release.sys.b64",
        "st.volatile.u32",
        "st.volatile.v2.u64",
        "st.b128",
        "st.global.b128",
        "st.volatile.global.v2.u64",
        "st.volatile.global.v2.b64",
        "st.volatile.global.v4.b32",
        "st.volatile.global.v4.u32",
        "st.volatile.global.v4.f32",
        "st.global.v2.b64",
        "st.global.v4.f32",
        "st.mmio.relaxed.sys.global.u32",
        "st.mmio.relaxed.sys.global.b64",
        "st.mmio.release.sys.global.u32",
        "st.weak.global.u32",
        "st.global.L1::no_allocate.s32",
        "st.global.L1::no_allocate.v4.s32",
        "st.global.L1::no_allocate.L2::cache_hint.v4.u32",
        "st.global.L2::cache_hint.u32",
        "st.relaxed.sys.global.L1::no_allocate.v4.u32",
        "st.release.sys.global.L1::no_allocate.u32",
        "st.global.L1::evict_last.v2.u32",
        "st.global.v4.b64",
        "st.global.v8.b32",
        "st.relaxed.sys.global.v8.f32",
        "st.global.wb.u32",
        "st.global.cg.v4.u32",
        "st.global.cs.u64",
        "st.global.wt.u32",
        "st.shared.u8",
        "st.shared.b64",
        "st.shared.v4.f32",
        "st.shared::cta.v4.u32",
        "st.shared::cluster.u32",
        "st.volatile.shared.u32",
        "st.release.cta.shared.u32",
        "st.relaxed.cluster.shared::cluster.b64",
        "st.relaxed.sys.global.u64",
    ];
    opcodes.extend(written.map(str::to_owned));
    run(&opcodes.iter().map(|o| store(o)).collect::<Vec<_>>());
}

#[test]
fn atomics_and_reductions() {
    let f = |x: f32| u64::from(x.to_bits());
    let d = |x: f64| x.to_bits();
    let minus = |x: u32| u64::from(x.wrapping_neg());
    let mut forms = Vec::new();
    // Operation, type, what is there, operand, result: each as `red`, where it exists, and as `atom`.
    let operations: &[(&str, u64, u64, u64)] = &[
        ("add.u32", 5, 7, 12),
        ("add.s32", 5, minus(7), minus(2)),
        ("add.u64", u64::from(u32::MAX), 1, 1 << 32),
        ("add.f32", f(1.5), f(2.25), f(3.75)),
        ("add.f64", d(1.5), d(2.25), d(3.75)),
        ("add.noftz.f16", 0x3c00, 0x4000, 0x4200),
        ("add.noftz.f16x2", 0x3c00_3800, 0x4000_3800, 0x4200_3c00),
        ("add.noftz.bf16", 0x3f80, 0x4000, 0x4040),
        ("add.noftz.bf16x2", 0x3f80_3f80, 0x4000_3f80, 0x4040_4000),
        ("min.u32", 5, 7, 5),
        ("min.s32", 5, minus(7), minus(7)),
        ("max.u32", 5, minus(7), minus(7)),
        ("max.s32", 5, minus(7), 5),
        ("min.u64", 5, 3, 3),
        ("min.s64", 5, u64::MAX, u64::MAX),
        ("max.u64", 5, u64::MAX, u64::MAX),
        ("max.s64", 5, u64::MAX, 5),
        ("and.b32", 0b1100, 0b1010, 0b1000),
        ("or.b32", 0b1100, 0b1010, 0b1110),
        ("xor.b32", 0b1100, 0b1010, 0b0110),
        ("and.b64", 0xc << 40, 0xa << 40, 0x8 << 40),
        ("or.b64", 0xc << 40, 0xa << 40, 0xe << 40),
        ("xor.b64", 0xc << 40, 0xa << 40, 0x6 << 40),
        ("inc.u32", 3, 3, 0),
        ("dec.u32", 0, 9, 9),
    ];
    for &(operation, old, operand, new) in operations {
        forms.push(atomic(&format!("red.global.{operation}"), &[old], &[operand], &[new]));
        forms.push(atomic(&format!("atom.global.{operation}"), &[old], &[operand], &[new]));
    }
    for (operation, old, operand, new) in [("exch.b32", 5, 7, 7), ("exch.b64", 5, 7 << 40, 7 << 40)] {
        forms.push(atomic(&format!("atom.global.{operation}"), &[old], &[operand], &[new]));
    }
    for scope in ["cta", "cluster", "gpu", "sys"] {
        for order in ["relaxed", "acquire", "release", "acq_rel"] {
            forms.push(atomic(&format!("atom.{order}.{scope}.global.add.u32"), &[5], &[7], &[12]));
            forms.push(atomic(&format!("atom.{order}.{scope}.global.cas.b32"), &[5], &[5, 9], &[9]));
            forms.push(atomic(&format!("atom.{order}.{scope}.global.cas.b64"), &[5], &[6, 9], &[5]));
            forms.push(atomic(&format!("atom.{order}.{scope}.global.exch.b32"), &[5], &[7], &[7]));
        }
        for order in ["relaxed", "release"] {
            forms.push(atomic(&format!("red.{order}.{scope}.global.add.u32"), &[5], &[7], &[12]));
            forms.push(atomic(&format!("red.{order}.{scope}.global.add.u64"), &[5], &[7], &[12]));
        }
        forms.push(atomic(&format!("red.{scope}.global.or.b32"), &[5], &[2], &[7]));
    }
    for opcode in
        ["atom.add.release.gpu.global.s32", "atom.add.release.sys.global.u32", "red.add.release.sys.global.u32"]
    {
        forms.push(atomic(opcode, &[5], &[7], &[12]));
    }
    forms.extend([
        atomic("red.release.sys.global.add.v2.f32", &[f(1.0), f(2.0)], &[f(0.5), f(4.0)], &[f(1.5), f(6.0)]),
        atomic(
            "red.global.add.v4.f32",
            &[f(1.0), f(2.0), f(3.0), f(4.0)],
            &[f(1.0), f(1.0), f(1.0), f(0.5)],
            &[f(2.0), f(3.0), f(4.0), f(4.5)],
        ),
        atomic("atom.global.add.v2.f32", &[f(1.0), f(2.0)], &[f(0.5), f(4.0)], &[f(1.5), f(6.0)]),
        atomic(
            "red.relaxed.gpu.global.add.noftz.v4.bf16x2",
            &[0x3f80_3f80; 4],
            &[0x3f80_4000; 4],
            &[0x4000_4040; 4],
        ),
        atomic("red.global.add.noftz.v2.f16x2", &[0x3c00_3c00; 2], &[0x3c00_4000; 2], &[0x4000_4200; 2]),
        atomic("red.global.max.noftz.v2.f16x2", &[0x3c00_4000; 2], &[0x4000_3c00; 2], &[0x4000_4000; 2]),
        atomic("red.global.add.noftz.v8.f16", &[0x3c00; 8], &[0x3c00; 8], &[0x4000; 8]),
        atomic("atom.shared.add.u32", &[5], &[7], &[12]),
        atomic("atom.shared.cas.b32", &[5], &[5, 7], &[7]),
        atomic("atom.acq_rel.cta.shared::cta.exch.b32", &[5], &[7], &[7]),
        atomic("red.shared.add.u32", &[5], &[7], &[12]),
        atomic("red.relaxed.cluster.shared::cluster.add.u32", &[5], &[7], &[12]),
        atomic("atom.sys.cas.b16", &[5], &[5, 7], &[7]),
        atomic("atom.add.u32", &[5], &[7], &[12]),
        atomic("red.release.sys.add.u32", &[5], &[7], &[12]),
        kernel(
            "atom.acq_rel.sys.global.cas.b128",
            1,
            &pattern(),
            "unsigned __int128 old = *(unsigned __int128 *)m, new_ = old + 1, was; \
             asm volatile(\"atom.acq_rel.sys.global.cas.b128 %0, [%1], %2, %3;\" : \"=q\"(was) : \"l\"(m), \"q\"(old), \"q\"(new_) : \"memory\"); \
             o[0] = m[0]; o[1] = was == old; \
             asm volatile(\"atom.relaxed.sys.global.exch.b128 %0, [%1], %2;\" : \"=q\"(was) : \"l\"(m), \"q\"(old) : \"memory\"); \
             o[2] = m[0]; o[3] = was == new_;",
            &[0x0403_0202, 1, 0x0403_0201, 1],
        ),
    ]);
    run(&forms);
}

#[test]
fn what_computes_nothing() {
    let mut forms = Vec::new();
    for scope in ["cta", "cluster", "gpu", "sys"] {
        forms.extend(["sc", "acq_rel", "acquire", "release"].map(|order| silent(&format!("fence.{order}.{scope};"))));
    }
    forms.extend(
        [
            "membar.cta;",
            "membar.gl;",
            "membar.sys;",
            "fence.proxy.alias;",
            "fence.proxy.async;",
            "fence.proxy.async.global;",
            "fence.proxy.async.shared::cta;",
            "fence.proxy.async.shared::cluster;",
            "fence.mbarrier_init.release.cluster;",
            "fence.proxy.tensormap::generic.release.gpu;",
            "fence.proxy.tensormap::generic.release.sys;",
            "bar.sync 0;",
            "bar.sync 1, 32;",
            "barrier.sync 2;",
            "barrier.sync.aligned 3, 32;",
            "barrier.cta.sync.aligned 4;",
            "bar.warp.sync 0xffffffff;",
            "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;",
            "barrier.cluster.arrive.relaxed; barrier.cluster.wait;",
            "nanosleep.u32 20;",
            "griddepcontrol.wait;",
            "griddepcontrol.launch_dependents;",
            "setmaxnreg.inc.sync.aligned.u32 232;",
            "setmaxnreg.dec.sync.aligned.u32 40;",
            "cp.async.commit_group; cp.async.wait_group 0;",
            "cp.async.wait_all;",
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
            "cp.async.bulk.wait_group.read 0;",
            ".pragma \\\"nounroll\\\";",
        ]
        .map(silent),
    );
    let prefetches = [
        "prefetch.global.L2 [%0];",
        "prefetch.global.L1 [%0];",
        "prefetch.global.L2::evict_last [%0];",
        "prefetchu.L1 [%0];",
        "cp.async.bulk.prefetch.L2.global [%0], 64;",
        "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;",
    ];
    forms.extend(
        prefetches.map(|ptx| {
            kernel(ptx, 1, &[], &format!("asm volatile(\"{ptx}\" :: \"l\"(m) : \"memory\"); o[0] = 1;"), &[1])
        }),
    );
    let policies = [
        "createpolicy.fractional.L2::evict_last.b64 %0, 1.0;",
        "createpolicy.fractional.L2::evict_first.b64 %0;",
        "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;",
    ];
    forms.extend(policies.map(|ptx| {
        let body = format!("unsigned long long p; asm volatile(\"{ptx}\" : \"=l\"(p)); (void)p; o[0] = 1;");
        kernel(ptx, 1, &[], &body, &[1])
    }));
    run(&forms);
}

#[test]
fn groups_of_threads() {
    let ordered = "unsigned t = threadIdx.x; unsigned v; ";
    let mut forms = vec![
        kernel(
            "named barriers with ids in registers",
            64,
            &[3],
            &format!(
                "{ordered} unsigned id = m[0]; if (t < 32) s[t] = t + 5; \
                 if (t < 32) asm volatile(\"bar.arrive %0, %1;\" :: \"r\"(id), \"r\"(64) : \"memory\"); \
                 else asm volatile(\"bar.sync %0, %1;\" :: \"r\"(id), \"r\"(64) : \"memory\"); \
                 if (t >= 32) o[t - 32] = s[t - 32]; (void)v;"
            ),
            &(5..37).collect::<Vec<_>>(),
        ),
        kernel(
            "barrier.cta.arrive and barrier.cta.sync",
            64,
            &[],
            &format!(
                "{ordered} if (t < 32) {{ s[t] = t + 5; asm volatile(\"barrier.cta.arrive 5, 64;\" ::: \"memory\"); }} \
                 else asm volatile(\"barrier.cta.sync 5, 64;\" ::: \"memory\"); if (t >= 32) o[t - 32] = s[t - 32]; (void)v;"
            ),
            &(5..37).collect::<Vec<_>>(),
        ),
        kernel(
            "bar.red",
            64,
            &[],
            &format!(
                "{ordered} asm volatile(\"{{ .reg .pred p; setp.lt.u32 p, %1, 10; bar.red.popc.u32 %0, 1, p; }}\" : \"=r\"(v) : \"r\"(t)); \
                 if (t == 0) o[0] = v; \
                 asm volatile(\"{{ .reg .pred p, q; setp.lt.u32 p, %1, 10; barrier.cta.red.or.pred q, 2, p; selp.u32 %0, 1, 0, q; }}\" : \"=r\"(v) : \"r\"(t)); \
                 if (t == 0) o[1] = v; \
                 asm volatile(\"{{ .reg .pred p, q; setp.lt.u32 p, %1, 10; bar.red.and.pred q, 3, 64, p; selp.u32 %0, 1, 0, q; }}\" : \"=r\"(v) : \"r\"(t)); \
                 if (t == 0) o[2] = v;"
            ),
            &[10, 1, 0],
        ),
        kernel(
            "elect.sync",
            32,
            &[],
            &format!(
                "{ordered} asm volatile(\"{{ .reg .pred p; .reg .b32 l; elect.sync l|p, 0xffffffff; selp.u32 %0, 1, 0, p; }}\" : \"=r\"(v)); \
                 atomicAdd(o, v); asm volatile(\"{{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }}\" : \"=r\"(v) : \"r\"(0xffffffff)); \
                 atomicAdd(o + 1, v); (void)t;"
            ),
            &[1, 1],
        ),
        kernel(
            "activemask",
            32,
            &[],
            &format!("{ordered} asm volatile(\"activemask.b32 %0;\" : \"=r\"(v)); o[t] = v >> t & 1;"),
            &[1; 32],
        ),
        kernel(
            "vote and match",
            32,
            &[],
            &format!(
                "{ordered} asm volatile(\"{{ .reg .pred p; setp.lt.u32 p, %1, 4; vote.sync.ballot.b32 %0, p, 0xffffffff; }}\" : \"=r\"(v) : \"r\"(t)); \
                 o[0] = v; asm volatile(\"{{ .reg .pred p, q; setp.lt.u32 p, %1, 4; vote.sync.any.pred q, p, -1; selp.u32 %0, 1, 0, q; }}\" : \"=r\"(v) : \"r\"(t)); \
                 o[1] = v; asm volatile(\"{{ .reg .pred p, q; setp.lt.u32 p, %1, 4; vote.sync.all.pred q, p, -1; selp.u32 %0, 1, 0, q; }}\" : \"=r\"(v) : \"r\"(t)); \
                 o[2] = v; asm volatile(\"match.any.sync.b32 %0, %1, 0xffffffff;\" : \"=r\"(v) : \"r\"(t & 1)); if (t == 0) o[3] = v; \
                 asm volatile(\"{{ .reg .pred p; match.all.sync.b32 %0|p, %1, 0xffffffff; }}\" : \"=r\"(v) : \"r\"(t)); if (t == 0) o[4] = v;"
            ),
            &[15, 1, 0, 0x5555_5555, 0],
        ),
        kernel(
            "shfl and redux",
            32,
            &[],
            &format!(
                "{ordered} asm volatile(\"shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;\" : \"=r\"(v) : \"r\"(t)); if (t == 2) o[0] = v; \
                 asm volatile(\"{{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 4, 0x1f, 0xffffffff; }}\" : \"=r\"(v) : \"r\"(t)); if (t == 2) o[1] = v; \
                 asm volatile(\"shfl.sync.up.b32 %0, %1, 1, 0, 0xffffffff;\" : \"=r\"(v) : \"r\"(t)); if (t == 2) o[2] = v; \
                 asm volatile(\"shfl.sync.idx.b32 %0, %1, 9, 0x1f, 0xffffffff;\" : \"=r\"(v) : \"r\"(t)); if (t == 2) o[3] = v; \
                 asm volatile(\"redux.sync.add.u32 %0, %1, 0xffffffff;\" : \"=r\"(v) : \"r\"(t)); if (t == 2) o[4] = v; \
                 asm volatile(\"redux.sync.max.s32 %0, %1, 0xffffffff;\" : \"=r\"(v) : \"r\"(t - 40)); if (t == 2) o[5] = v; \
                 asm volatile(\"redux.sync.or.b32 %0, %1, 0xffffffff;\" : \"=r\"(v) : \"r\"(t)); if (t == 2) o[6] = v;"
            ),
            &[3, 6, 1, 9, 496, -9i32 as u32, 31],
        ),
        kernel(
            "clusters of one block",
            32,
            &[7],
            "unsigned v; s[threadIdx.x] = m[0]; __syncthreads(); \
             asm volatile(\"mapa.shared::cluster.u32 %0, %1, 0;\" : \"=r\"(v) : \"r\"(a)); \
             asm volatile(\"ld.shared::cluster.u32 %0, [%1];\" : \"=r\"(v) : \"r\"(v)); o[0] = v; \
             asm volatile(\"getctarank.shared::cluster.u32 %0, %1;\" : \"=r\"(v) : \"r\"(a)); o[1] = v; \
             unsigned long long w; asm volatile(\"mapa.u64 %0, %1, 0;\" : \"=l\"(w) : \"l\"(s)); o[2] = *(unsigned *)w; \
             asm volatile(\"getctarank.u64 %0, %1;\" : \"=r\"(v) : \"l\"(s)); o[3] = v; \
             asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(v)); o[4] = v; \
             asm volatile(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(v)); o[5] = v; \
             asm volatile(\"mov.u32 %0, %%cluster_ctaid.x;\" : \"=r\"(v)); o[6] = v;",
            &[7, 0, 7, 0, 0, 1, 0],
        ),
        kernel(
            "addresses",
            1,
            &[7],
            "unsigned long long w; unsigned v; s[0] = m[0]; \
             asm volatile(\"cvta.to.shared.u64 %0, %1;\" : \"=l\"(w) : \"l\"(s)); o[0] = (unsigned)w == a; \
             asm volatile(\"{ .reg .u64 x; cvt.u64.u32 x, %1; cvta.shared.u64 %0, x; }\" : \"=l\"(w) : \"r\"(a)); o[1] = *(unsigned *)w; \
             asm volatile(\"cvta.to.global.u64 %0, %1;\" : \"=l\"(w) : \"l\"(m)); o[2] = *(unsigned *)w; \
             asm volatile(\"{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }\" : \"=r\"(v) : \"l\"(s)); o[3] = v; \
             asm volatile(\"{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }\" : \"=r\"(v) : \"l\"(s)); o[4] = v;",
            &[1, 7, 7, 1, 0],
        ),
    ];
    let registers = [
        ("tid.x", 3),
        ("tid.y", 0),
        ("ntid.x", 32),
        ("ctaid.x", 0),
        ("nctaid.x", 1),
        ("laneid", 3),
        ("warpid", 0),
        ("lanemask_eq", 8),
        ("lanemask_lt", 7),
        ("lanemask_le", 15),
        ("lanemask_gt", 0xffff_fff0),
        ("lanemask_ge", 0xffff_fff8),
        ("clusterid.x", 0),
        ("nclusterid.x", 1),
    ];
    forms.extend(registers.map(|(register, expected)| {
        let body = format!(
            "unsigned v; asm volatile(\"mov.u32 %0, %%{register};\" : \"=r\"(v)); if (threadIdx.x == 3) o[0] = v;"
        );
        kernel(register, 32, &[], &body, &[expected])
    }));
    run(&forms);
}

#[test]
fn waits() {
    // Thread 32 raises the flag, thread 0 waits for it in every way that there is.
    let raise = "asm volatile(\"st.release.sys.global.u32 [%0], 1;\" :: \"l\"(m) : \"memory\");";
    let waits = [
        (
            "ld.acquire in C",
            "unsigned v; do asm volatile(\"ld.acquire.sys.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(m) : \"memory\"); while (v != 1);",
        ),
        (
            "without a clobber",
            "unsigned v; do asm volatile(\"ld.global.acquire.sys.b32 %0, [%1];\" : \"=r\"(v) : \"l\"(m)); while (v != 1);",
        ),
        (
            "volatile",
            "unsigned v; do asm volatile(\"ld.volatile.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(m)); while (v != 1);",
        ),
        (
            "mmio",
            "unsigned v; do asm volatile(\"ld.mmio.relaxed.sys.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(m)); while (v != 1);",
        ),
        (
            "a loop in the text",
            "asm volatile(\"{ .reg .pred p; .reg .u32 v; W: ld.acquire.gpu.global.u32 v, [%0]; setp.ne.u32 p, v, 1; @p bra W; }\" :: \"l\"(m) : \"memory\");",
        ),
        (
            "unique labels",
            "asm volatile(\"{\\n\\t.reg .pred p;\\n\\t.reg .b32 v;\\nL%=:\\n\\tld.relaxed.sys.global.b32 v, [%0];\\n\\tsetp.eq.s32 p, v, 1;\\n\\t@!p bra.uni L%=;\\n}\\nfence.acq_rel.sys;\" :: \"l\"(m) : \"memory\");",
        ),
        (
            "compare and swap",
            "unsigned v; do asm volatile(\"atom.acquire.sys.global.cas.b32 %0, [%1], 1, 0;\" : \"=r\"(v) : \"l\"(m) : \"memory\"); while (v != 1);",
        ),
        (
            "compare and swap, generic",
            "unsigned v; do asm volatile(\"atom.global.sys.cas.b32 %0, [%1], %2, %3;\" : \"=r\"(v) : \"l\"(m), \"r\"(1), \"r\"(2) : \"memory\"); while (v != 1);",
        ),
        (
            "an add of zero",
            "unsigned v; do asm volatile(\"atom.acq_rel.gpu.global.add.u32 %0, [%1], 0;\" : \"=r\"(v) : \"l\"(m) : \"memory\"); while (v != 1);",
        ),
        (
            "back-off",
            "unsigned v, n = 8; for (;;) { asm volatile(\"ld.acquire.sys.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(m)); if (v == 1) break; asm volatile(\"nanosleep.u32 %0;\" :: \"r\"(n)); if (n < 256) n *= 2; }",
        ),
        (
            "time-out by the timer",
            "unsigned v; unsigned long long t, u; asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t)); do { asm volatile(\"ld.acquire.sys.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(m)); asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(u)); if (u - t > 1000000000ull) asm volatile(\"trap;\"); } while (v != 1);",
        ),
        (
            "time-out by the clock",
            "unsigned v; long long t, u; asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(t)); do { asm volatile(\"ld.acquire.sys.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(m)); asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(u)); if (u - t > 4000000000ll) { o[0] = 9; break; } } while (v != 1);",
        ),
        (
            "two flags of a vector",
            "unsigned v, w; do asm volatile(\"ld.volatile.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(v), \"=r\"(w) : \"l\"(m)); while (v != 1); (void)w;",
        ),
        (
            "a packet of 16 bytes",
            "unsigned v; do asm volatile(\"{ .reg .b128 q; .reg .b64 x, y; ld.relaxed.sys.global.b128 q, [%1]; mov.b128 {x, y}, q; cvt.u32.u64 %0, x; }\" : \"=r\"(v) : \"l\"(m)); while (v != 1);",
        ),
    ];
    let forms = waits.map(|(name, wait)| {
        let body = format!(
            "if (threadIdx.x == 0) {{ {wait} o[0] += m[1] + 1; }} else if (threadIdx.x == 32) {{ m[1] = 6; {raise} }}"
        );
        kernel(name, 64, &[], &body, &[7])
    });
    // Some of these order nothing, and in weak memory that shows.
    run_in(&forms, &[MemoryMode::Functional]);
}

#[test]
fn asynchronous_copies() {
    let wait = "asm volatile(\"{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }\" :: \"r\"(b) : \"memory\"); ";
    let start = "unsigned b = a + 256; if (threadIdx.x == 0) asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(b) : \"memory\"); __syncthreads(); ";
    let all: Vec<u32> = pattern();
    let out = "__syncthreads(); if (threadIdx.x < 16) o[threadIdx.x] = s[threadIdx.x];";
    let mut forms = Vec::new();
    for copy in [
        "cp.async.ca.shared.global [%0], [%1], 4;",
        "cp.async.ca.shared.global.L2::128B [%0], [%1], 4;",
        "cp.async.ca.shared::cta.global [%0], [%1], 4, 4;",
    ] {
        let body = format!(
            "unsigned t = threadIdx.x; if (t < 16) asm volatile(\"{copy}\" :: \"r\"(a + 4 * t), \"l\"(m + t) : \"memory\"); \
             asm volatile(\"cp.async.commit_group;\\n cp.async.wait_group 0;\" ::: \"memory\"); {out}"
        );
        forms.push(kernel(copy, 32, &all, &body, &all));
    }
    for copy in [
        "cp.async.cg.shared.global [%0], [%1], 16;",
        "cp.async.cg.shared.global.L2::256B [%0], [%1], 16;",
        "cp.async.ca.shared.global [%0], [%1], 16;",
    ] {
        let body = format!(
            "unsigned t = threadIdx.x; if (t < 4) asm volatile(\"{copy}\" :: \"r\"(a + 16 * t), \"l\"(m + 4 * t) : \"memory\"); \
             asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); {out}"
        );
        forms.push(kernel(copy, 32, &all, &body, &all));
    }
    forms.push(kernel(
        "cp.async that fills with zeros",
        32,
        &all,
        &format!("if (threadIdx.x == 0) asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16, %2;\" :: \"r\"(a), \"l\"(m), \"r\"(8) : \"memory\"); {out}"),
        &[all[0], all[1], 0, 0],
    ));
    forms.push(kernel(
        "cp.async.mbarrier.arrive.noinc",
        32,
        &all,
        "unsigned b = a + 256; if (threadIdx.x == 0) asm volatile(\"mbarrier.init.shared.b64 [%0], 32;\" :: \"r\"(b) : \"memory\"); __syncthreads(); \
         unsigned t = threadIdx.x; if (t < 16) asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(a + 4 * t), \"l\"(m + t) : \"memory\"); \
         asm volatile(\"cp.async.mbarrier.arrive.noinc.shared.b64 [%0];\" :: \"r\"(b) : \"memory\"); \
         asm volatile(\"{ .reg .pred p; W: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra W; }\" :: \"r\"(b) : \"memory\"); \
         if (t < 16) o[t] = s[15 - t];",
        &all.iter().rev().copied().collect::<Vec<_>>(),
    ));
    for copy in [
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];",
        "{ .reg .b64 p; createpolicy.fractional.L2::evict_first.b64 p; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], 64, [%2], p; }",
    ] {
        let body = format!(
            "{start} if (threadIdx.x == 0) {{ asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;\" :: \"r\"(b) : \"memory\"); \
             asm volatile(\"{copy}\" :: \"r\"(a), \"l\"(m), \"r\"(b) : \"memory\"); }} {wait} {out}"
        );
        forms.push(kernel(copy, 32, &all, &body, &all));
    }
    forms.push(kernel(
        "cp.async.bulk within the cluster",
        32,
        &all,
        &format!(
            "{start} if (threadIdx.x < 16) s[32 + threadIdx.x] = m[threadIdx.x]; __syncthreads(); \
             if (threadIdx.x == 0) {{ asm volatile(\"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;\" :: \"r\"(b), \"r\"(64) : \"memory\"); \
             asm volatile(\"fence.proxy.async.shared::cta; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];\" :: \"r\"(a), \"r\"(a + 128), \"r\"(b) : \"memory\"); }} {wait} {out}"
        ),
        &all,
    ));
    for (copy, end) in [
        ("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;", "cp.async.bulk.wait_group 0;"),
        ("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;", "cp.async.bulk.wait_group.read 0;"),
    ] {
        let body = format!(
            "if (threadIdx.x < 16) s[threadIdx.x] = m[threadIdx.x]; asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); __syncthreads(); \
             if (threadIdx.x == 0) {{ asm volatile(\"{copy}\" :: \"l\"(o), \"r\"(a) : \"memory\"); asm volatile(\"cp.async.bulk.commit_group; {end}\" ::: \"memory\"); }}"
        );
        forms.push(kernel(end, 32, &all, &body, &all));
    }
    // A reducing copy: element i of shared memory, all the same, onto element i of `o`, all the same.
    for (op, first, second, expected) in [
        ("add.u32", 5, 7, 12),
        ("add.s32", 5, -7i32 as u32, -2i32 as u32),
        ("min.u32", 5, 7, 5),
        ("max.s32", 5, -7i32 as u32, 5),
        ("and.b32", 12, 10, 8),
        ("or.b32", 12, 10, 14),
        ("xor.b32", 12, 10, 6),
        ("inc.u32", 3, 3, 0),
        ("dec.u32", 0, 9, 9),
        ("add.f32", 1.5f32.to_bits(), 2.25f32.to_bits(), 3.75f32.to_bits()),
        ("add.noftz.f16", 0x3c00_3c00, 0x4000_3c00, 0x4200_4000),
        ("add.noftz.bf16", 0x3f80_3f80, 0x4000_3f80, 0x4040_4000),
        ("min.f16", 0x3c00_4000, 0x4000_3c00, 0x3c00_3c00),
        ("max.bf16", 0x3f80_4000, 0x4000_3f80, 0x4000_4000),
        ("add.u64", 5, 7, 12),
        ("add.f64", 0, 0, 0),
    ] {
        let name = format!("cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}");
        let body = format!(
            "unsigned t = threadIdx.x; o[t] = m[0]; s[t] = m[1]; __threadfence(); asm volatile(\"fence.proxy.async;\" ::: \"memory\"); __syncthreads(); \
             if (t == 0) {{ asm volatile(\"{name} [%0], [%1], %2;\" :: \"l\"(o), \"r\"(a), \"r\"(64) : \"memory\"); \
             asm volatile(\"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\" ::: \"memory\"); }}"
        );
        let mut result = vec![expected; 16];
        result.extend([first; 16]);
        forms.push(kernel(&name, 32, &[first, second], &body, &result));
    }
    forms.push(kernel(
        "cp.reduce.async.bulk within the cluster",
        32,
        &all,
        &format!(
            "{start} if (threadIdx.x < 16) {{ s[threadIdx.x] = 1; s[32 + threadIdx.x] = m[threadIdx.x]; }} __syncthreads(); \
             if (threadIdx.x == 0) {{ asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;\" :: \"r\"(b) : \"memory\"); \
             asm volatile(\"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], 64, [%2];\" :: \"r\"(a), \"r\"(a + 128), \"r\"(b) : \"memory\"); }} {wait} {out}"
        ),
        &all.iter().map(|w| w + 1).collect::<Vec<_>>(),
    ));
    forms.push(kernel(
        "st.async",
        32,
        &all,
        &format!(
            "{start} if (threadIdx.x == 0) {{ asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 20;\" :: \"r\"(b) : \"memory\"); \
             asm volatile(\"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];\" :: \"r\"(a), \"r\"(m[0]), \"r\"(b) : \"memory\"); \
             asm volatile(\"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {{%1, %2, %3, %4}}, [%5];\" :: \"r\"(a + 16), \"r\"(m[4]), \"r\"(m[5]), \"r\"(m[6]), \"r\"(m[7]), \"r\"(b) : \"memory\"); }} \
             {wait} if (threadIdx.x == 0) {{ o[0] = s[0]; o[1] = s[4]; o[2] = s[7]; }}"
        ),
        &[all[0], all[4], all[7]],
    ));
    run(&forms);
}

#[test]
fn mbarriers() {
    let init = "unsigned b = a + 256; if (threadIdx.x == 0) asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" :: \"r\"(b), \"r\"(32) : \"memory\"); \
                __syncthreads(); s[threadIdx.x] = threadIdx.x; ";
    let arrivals = [
        "mbarrier.arrive.shared::cta.b64 s, [%0];",
        "mbarrier.arrive.shared.b64 _, [%0];",
        "mbarrier.arrive.shared::cta.b64 _, [%0], 1;",
        "mbarrier.arrive.release.cta.shared::cta.b64 s, [%0];",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];",
        "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];",
        "mbarrier.arrive_drop.shared::cta.b64 s, [%0];",
        "mbarrier.arrive.noComplete.shared::cta.b64 s, [%0], 0; mbarrier.arrive.shared::cta.b64 s, [%0];",
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16; mbarrier.arrive.shared::cta.b64 s, [%0];",
    ];
    let waits = [
        "W: mbarrier.test_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W;",
        "W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @p bra D; bra W; D:",
        "W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0, 1000; @!p bra.uni W;",
        "W: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], 0; @!p bra W;",
        "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0, 0x989680; @!p bra W;",
        "W: mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64 p, [%0], 0; @!p bra W;",
    ];
    let mut forms = Vec::new();
    let mut add = |arrival: &str, wait: &str| {
        let body = format!(
            "{init} asm volatile(\"{{ .reg .b64 s; .reg .pred p; {arrival} {wait} }}\" :: \"r\"(b) : \"memory\"); \
             o[threadIdx.x] = s[31 - threadIdx.x];"
        );
        forms.push(kernel(&format!("{arrival} {wait}"), 32, &[], &body, &(0..32).rev().collect::<Vec<_>>()));
    };
    arrivals.iter().for_each(|arrival| add(arrival, waits[0]));
    waits[1..].iter().for_each(|wait| add(arrivals[0], wait));
    for wait in ["test_wait", "try_wait", "try_wait.acquire.cta"] {
        add(
            "mbarrier.arrive.shared::cta.b64 s, [%0];",
            &format!("W: mbarrier.{wait}.shared::cta.b64 p, [%0], s; @!p bra W;"),
        );
    }
    forms.push(kernel(
        "mbarrier.pending_count and mbarrier.inval",
        1,
        &[],
        "unsigned b = a + 256, n; asm volatile(\"mbarrier.init.shared.b64 [%0], 5;\" :: \"r\"(b) : \"memory\"); \
         asm volatile(\"{ .reg .b64 x; mbarrier.arrive.shared.b64 x, [%1]; mbarrier.pending_count.b64 %0, x; }\" : \"=r\"(n) : \"r\"(b) : \"memory\"); \
         o[0] = n; asm volatile(\"mbarrier.inval.shared.b64 [%0];\" :: \"r\"(b) : \"memory\");",
        &[5],
    ));
    run(&forms);
}

#[test]
fn arithmetic() {
    let f = |x: f32| x.to_bits();
    let up = |x: f32| f32::from_bits(x.to_bits() + 1).to_bits();
    let tiny = f(1e-20);
    let third = 1.0f32 / 3.0;
    // 1/3 to the nearest is above 1/3, so the next one down is below.
    let below = f32::from_bits(third.to_bits() - 1);
    let mut forms = vec![
        compute("add.rz.f32 %0, %1, %2;", &[f(1.0), tiny], f(1.0)),
        compute("add.rm.f32 %0, %1, %2;", &[f(1.0), tiny], f(1.0)),
        compute("add.rp.f32 %0, %1, %2;", &[f(1.0), tiny], up(1.0)),
        compute("add.rn.f32 %0, %1, %2;", &[f(1.0), tiny], f(1.0)),
        compute("sub.rz.f32 %0, %1, %2;", &[f(1.0), tiny], f(1.0) - 1),
        compute("sub.rp.f32 %0, %1, %2;", &[f(1.0), tiny], f(1.0)),
        compute("add.rz.ftz.sat.f32 %0, %1, %2;", &[f(1.0), f(3.0)], f(1.0)),
        compute("mul.rz.f32 %0, %1, %2;", &[up(1.0), up(1.0)], f(1.0) + 2),
        compute("mul.rp.f32 %0, %1, %2;", &[up(1.0), up(1.0)], f(1.0) + 3),
        compute("mul.rm.f32 %0, %1, %2;", &[up(1.0), up(1.0) | 1 << 31], f(-1.0) + 3),
        compute("fma.rz.f32 %0, %1, %2, %3;", &[f(1.0), f(1.0), tiny], f(1.0)),
        compute("fma.rp.f32 %0, %1, %2, %3;", &[f(2.0), f(3.0), tiny], f(6.0) + 1),
        compute("fma.rm.ftz.f32 %0, %1, %2, %3;", &[f(2.0), f(3.0), tiny | 1 << 31], f(6.0) - 1),
        compute("div.rn.f32 %0, %1, %2;", &[f(1.0), f(3.0)], f(third)),
        compute("div.rz.f32 %0, %1, %2;", &[f(1.0), f(3.0)], f(below)),
        compute("div.rp.f32 %0, %1, %2;", &[f(1.0), f(3.0)], f(third)),
        compute("rcp.rm.f32 %0, %1;", &[f(3.0)], f(below)),
        compute("sqrt.rp.f32 %0, %1;", &[f(2.0)], f(2f32.sqrt()) + 1),
        compute("sqrt.rm.f32 %0, %1;", &[f(2.0)], f(2f32.sqrt())),
        compute("cvt.rz.f32.s32 %0, %1;", &[0x0100_0001], f(16_777_216.0)),
        compute("cvt.rp.f32.u32 %0, %1;", &[0x0100_0001], f(16_777_218.0)),
        compute("cvt.rm.f32.s32 %0, %1;", &[-0x0100_0001i32 as u32], f(-16_777_218.0)),
        compute("cvt.rz.bf16x2.f32 %0, %1, %2;", &[0x3f80_ffff, 0x4000_8001], 0x3f80_4000),
        compute("cvt.rn.bf16x2.f32 %0, %1, %2;", &[0x3f80_ffff, 0x4000_8001], 0x3f81_4001),
        compute("cvt.rn.relu.bf16x2.f32 %0, %1, %2;", &[0xbf80_0000, 0x4000_0000], 0x0000_4000),
        compute("cvt.rz.f16x2.f32 %0, %1, %2;", &[f(1.0) + 0x1fff, f(2.0)], 0x3c00_4000),
        compute("{ .reg .b16 h; cvt.rp.f16.f32 h, %1; cvt.u32.u16 %0, h; }", &[f(1.0) + 1], 0x3c01),
        compute("{ .reg .b16 h; cvt.rm.f16.f32 h, %1; cvt.u32.u16 %0, h; }", &[f(-1.0) + 1], 0xbc01),
        compute(
            "{ .reg .b16 h; cvt.rn.satfinite.e4m3x2.f32 h, %1, %2; cvt.u32.u16 %0, h; }",
            &[f(1.0), f(-448.0)],
            0x38fe,
        ),
        compute(
            "{ .reg .b16 h; cvt.rn.satfinite.e4m3x2.f32 h, %1, %2; cvt.u32.u16 %0, h; }",
            &[f(1e9), f(0.001_953_125)],
            0x7e01,
        ),
        compute(
            "{ .reg .b16 h; cvt.rn.satfinite.e4m3x2.f32 h, %1, %2; cvt.u32.u16 %0, h; }",
            &[f(1.0625), f(1.1875)],
            0x383a,
        ),
        compute(
            "{ .reg .b16 h; cvt.rn.satfinite.e5m2x2.f32 h, %1, %2; cvt.u32.u16 %0, h; }",
            &[f(1.0), f(f32::INFINITY)],
            0x3c7b,
        ),
        compute(
            "{ .reg .b16 h; cvt.rn.satfinite.relu.e5m2x2.f32 h, %1, %2; cvt.u32.u16 %0, h; }",
            &[f(-1.0), f32::NAN.to_bits()],
            0x007f,
        ),
        compute("{ .reg .b16 h; cvt.rn.satfinite.e4m3x2.f16x2 h, %1; cvt.u32.u16 %0, h; }", &[0x3c00_4000], 0x3840),
        compute("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.rn.f16x2.e4m3x2 %0, h; }", &[0x38fe], 0x3c00_df00),
        compute("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.rn.f16x2.e4m3x2 %0, h; }", &[0x0178], 0x1800_5c00),
        compute("{ .reg .b16 h; cvt.u16.u32 h, %1; cvt.rn.f16x2.e5m2x2 %0, h; }", &[0x3cfb], 0x3c00_fb00),
        compute("add.rn.f16x2 %0, %1, %2;", &[0x3c00_4000, 0x3c00_3c00], 0x4000_4200),
        compute("fma.rn.bf16x2 %0, %1, %2, %3;", &[0x3f80_4000, 0x4000_4000, 0x3f80_3f80], 0x4040_40a0),
        compute("fma.rn.relu.bf16x2 %0, %1, %2, %3;", &[0x3f80_4000, 0xc000_4000, 0x3f80_3f80], 0x0000_40a0),
        compute("max.NaN.bf16x2 %0, %1, %2;", &[0x3f80_4000, 0x4000_3f80], 0x4000_4000),
        compute("min.f16x2 %0, %1, %2;", &[0x3c00_4000, 0x4000_3c00], 0x3c00_3c00),
    ];
    let d = |x: f64| x.to_bits();
    forms.extend([
        compute64("add.rz.f64 %0, %1, %2;", &[d(1.0), d(1e-30)], d(1.0)),
        compute64("add.rp.f64 %0, %1, %2;", &[d(1.0), d(1e-30)], d(1.0) + 1),
        compute64("mul.rm.f64 %0, %1, %2;", &[d(1.0) + 1, d(1.0) + 1], d(1.0) + 2),
        compute64("fma.rp.f64 %0, %1, %2, %3;", &[d(2.0), d(3.0), d(1e-30)], d(6.0) + 1),
        compute64("div.rp.f64 %0, %1, %2;", &[d(1.0), d(3.0)], d(1.0 / 3.0) + 1),
        compute64("cvt.rz.f64.u64 %0, %1;", &[u64::MAX], d(18_446_744_073_709_549_568.0)),
        compute64("cvt.rp.f64.s64 %0, %1;", &[(1 << 53) + 1], d(9_007_199_254_740_994.0)),
        compute64("{ .reg .f32 x; cvt.rz.f32.f64 x, %1; cvt.f64.f32 %0, x; }", &[d(1.0 - 1e-12)], d(1.0 - 2f64.powi(-24))),
        compute64("{ .reg .f32 x; cvt.rm.f32.u64 x, %1; cvt.f64.f32 %0, x; }", &[u64::MAX], d(18_446_742_974_197_923_840.0)),
        kernel(
            "intrinsics that round in a direction",
            1,
            &[f(1.0), tiny, 0x0100_0001],
            "float x = ((float *)m)[0], y = ((float *)m)[1]; float *r = (float *)o; \
             r[0] = __nvvm_add_rp_f(x, y); r[1] = __nvvm_add_rz_f(x, -y); r[2] = __nvvm_fma_rm_f(x, x, -y); r[3] = __nvvm_div_rp_f(x, 3.f); \
             r[4] = __nvvm_i2f_rp(m[2]); r[5] = __nvvm_d2f_rp(1.0 + 1e-12); r[6] = __nvvm_mul_rz_ftz_f(x, x); r[7] = __nvvm_sqrt_rm_f(x);",
            &[up(1.0), f(1.0) - 1, f(1.0) - 1, f(third), f(16_777_218.0), up(1.0), f(1.0), f(1.0)],
        ),
    ]);
    run(&forms);
}

#[test]
fn subnormal_numbers_nan_and_limits() {
    const NAN: u32 = 0x7fff_ffff;
    const QUIET: u32 = 0xffc0_1234;
    let f = |x: f32| x.to_bits();
    let minus_zero = 1 << 31;
    let mut forms = Vec::new();
    for (name, operands) in [("add", 2), ("sub", 2), ("mul", 2), ("fma.rn", 3), ("min", 2), ("max", 2)] {
        let list: Vec<_> = (1..=operands).map(|i| format!("%{i}")).collect();
        // An operand that is subnormal, of either sign, is zero; without the modifier it is not.
        let text = |ftz: &str| format!("{name}{ftz}.f32 %0, {};", list.join(", "));
        let mut of = |ftz: &str, values: &[u32], expected: u32| {
            forms.push(compute(&text(ftz), &values[..operands], expected));
        };
        match name {
            "add" => {
                of(".ftz", &[1, 1], 0);
                of("", &[1, 1], 2);
                of(".ftz", &[minus_zero | 1, minus_zero | 1], minus_zero);
                // The result alone is subnormal.
                of(".ftz", &[f(f32::MIN_POSITIVE) + 1, f(-f32::MIN_POSITIVE)], 0);
            }
            "sub" => of(".ftz", &[f(f32::MIN_POSITIVE) + 1, f(f32::MIN_POSITIVE)], 0),
            "mul" => {
                of(".ftz", &[f(1e-20), f(1e-20)], 0);
                of(".ftz", &[f(-1e-20), f(1e-20)], minus_zero);
                of("", &[f(1e-20), f(1e-20)], f(1e-40));
            }
            "fma.rn" => of(".ftz", &[1, f(1.0), 1], 0),
            "min" => {
                of(".ftz", &[1, f(3.0)], 0);
                of("", &[minus_zero, 0], minus_zero);
                of("", &[0, minus_zero], minus_zero);
                of(".NaN", &[QUIET, f(1.0)], NAN);
                of("", &[QUIET, f(1.0)], f(1.0));
            }
            _ => {
                of(".ftz", &[minus_zero | 1, f(-3.0)], minus_zero);
                of("", &[minus_zero, 0], 0);
                of("", &[0, minus_zero], 0);
                of(".NaN", &[f(1.0), QUIET], NAN);
                of("", &[f(1.0), QUIET], f(1.0));
            }
        }
        of("", &[QUIET, QUIET, f(0.0)], NAN);
    }
    forms.extend([
        compute("add.rz.ftz.f32 %0, %1, %2;", &[1, 1], 0),
        compute("add.rz.f32 %0, %1, %2;", &[QUIET, 1], NAN),
        compute("div.rn.f32 %0, %1, %2;", &[0, 0], NAN),
        compute("sqrt.rn.f32 %0, %1;", &[f(-1.0)], NAN),
        compute("rcp.approx.ftz.f32 %0, %1;", &[1], f(f32::INFINITY)),
        compute("ex2.approx.ftz.f32 %0, %1;", &[f(-130.0)], 0),
        compute("ex2.approx.f32 %0, %1;", &[f(-130.0)], 1 << 19),
        compute("abs.ftz.f32 %0, %1;", &[minus_zero | 5], 0),
        compute("neg.ftz.f32 %0, %1;", &[5], minus_zero),
        compute("fma.rn.sat.f32 %0, %1, %2, %2;", &[QUIET, f(1.0)], 0),
        compute("add.sat.f32 %0, %1, %2;", &[minus_zero, minus_zero], 0),
        compute("fma.rn.relu.f16x2 %0, %1, %2, %2;", &[0xbc00_7e01, 0x3c00_3c00], 0x0000_7fff),
        compute("max.NaN.f16x2 %0, %1, %2;", &[0x7e00_3c00, 0x3c00_4000], 0x7fff_4000),
        compute("max.f16x2 %0, %1, %2;", &[0x7e00_8000, 0x3c00_0000], 0x3c00_0000),
        compute("add.ftz.f16x2 %0, %1, %2;", &[0x0001_3c00, 0x8001_3c00], 0x0000_4000),
        compute("min.relu.s32 %0, %1, %2;", &[-5i32 as u32, 4], 0),
        compute("min.relu.s32 %0, %1, %2;", &[5, 4], 4),
        compute("max.relu.s32 %0, %1, %2;", &[-5i32 as u32, -4i32 as u32], 0),
        compute("{ .reg .pred p; setp.eq.ftz.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }", &[1, 2], 1),
        compute("{ .reg .pred p; setp.eq.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }", &[1, 2], 0),
        compute("set.gt.ftz.u32.f32 %0, %1, %2;", &[1, 0], 0),
        compute("slct.ftz.s32.f32 %0, 3, 4, %1;", &[minus_zero | 1], 3),
        compute("slct.s32.f32 %0, 3, 4, %1;", &[minus_zero | 1], 4),
        compute("cvt.ftz.sat.f32.f32 %0, %1;", &[1], 0),
        compute("cvt.rpi.ftz.s32.f32 %0, %1;", &[1], 0),
        compute("cvt.rpi.s32.f32 %0, %1;", &[1], 1),
        compute("cvt.rn.f16x2.f32 %0, %1, %2;", &[QUIET, f(1.0)], 0x7fff_3c00),
        compute("cvt.rna.tf32.f32 %0, %1;", &[f(1.0) + 0x1000], f(1.0) + 0x2000),
        compute("cvt.rn.tf32.f32 %0, %1;", &[f(1.0) + 0x1000], f(1.0)),
        compute("cvt.rz.tf32.f32 %0, %1;", &[f(1.0) + 0x1fff], f(1.0)),
        compute64("{ .reg .f32 x; mov.b64 {x, _}, %1; cvt.ftz.f64.f32 %0, x; }", &[1], 0),
        compute64("{ .reg .f32 x; cvt.rn.ftz.f32.f64 x, %1; mov.b64 %0, {x, x}; }", &[1e-40f64.to_bits()], 0),
        compute64("add.f64 %0, %1, %2;", &[1, 1], 2),
    ]);
    run(&forms);
}

#[test]
fn conversions_to_integers_are_total() {
    let mut forms = Vec::new();
    // Of single precision: NaN, too large, too small.
    for (to, of_nan, most, least) in [
        ("s32", 0, i64::from(i32::MAX), i64::from(i32::MIN)),
        ("u32", 0, i64::from(u32::MAX), 0),
        ("s64", i64::MIN, i64::MAX, i64::MIN),
        ("u64", i64::MIN, -1, 0),
        ("s8", 0, 127, -128),
        ("u16", 0, 0xffff, 0),
    ] {
        for round in ["rni", "rzi", "rmi", "rpi"] {
            for (from, nan, large, of_nan) in [
                ("f32", u64::from(f32::NAN.to_bits()), u64::from(1e30f32.to_bits()), of_nan),
                (
                    "f64",
                    f64::NAN.to_bits(),
                    1e300f64.to_bits(),
                    match to {
                        "s32" => i64::from(i32::MIN),
                        "u32" => 1 << 31,
                        "s8" => -128,
                        "u16" => 1 << 15,
                        _ => i64::MIN,
                    },
                ),
            ] {
                let sign = if from == "f32" { 1 << 31 } else { 1 << 63 };
                let bits = if from == "f32" {
                    "{ .reg .b32 x, y; mov.b64 {x, y}, %1;"
                } else {
                    "{ .reg .b64 x; mov.b64 x, %1;"
                };
                let widen = match to {
                    "s64" | "u64" => format!("cvt.{round}.{to}.{from} %0, x;"),
                    "s32" | "s8" => format!(".reg .b32 r; cvt.{round}.{to}.{from} r, x; cvt.s64.s32 %0, r;"),
                    _ => format!(".reg .b32 r; cvt.{round}.{to}.{from} r, x; cvt.u64.u32 %0, r;"),
                };
                for (value, expected) in [(nan, of_nan), (large, most), (large | sign, least)] {
                    forms.push(compute64(&format!("{bits} {widen} }}"), &[value], expected as u64));
                }
            }
        }
    }
    // What C++ says without inline PTX, as a cast and as an intrinsic.
    let nan = [f32::NAN.to_bits(), 0, 0, (f64::NAN.to_bits() >> 32) as u32];
    forms.push(kernel(
        "casts",
        1,
        &nan,
        "float x = ((float *)m)[0]; double d = ((double *)m)[1]; long long *r = (long long *)o; \
         r[0] = (int)x; r[1] = (long long)x; r[2] = (int)d; r[3] = (long long)(unsigned)d; r[4] = (long long)d; \
         r[5] = __nvvm_f2i_rn(x); r[6] = __nvvm_f2ll_rz(x); r[7] = __nvvm_d2i_rz(d); r[8] = __nvvm_d2ll_rn(d); \
         r[9] = (long long)(unsigned)__nvvm_d2ui_rz(d); r[10] = (long long)__nvvm_f2ull_rz(x); r[11] = (long long)__nvvm_f2ui_rz(x);",
        &[0i64, i64::MIN, i32::MIN.into(), 1 << 31, i64::MIN, 0, i64::MIN, i32::MIN.into(), i64::MIN, 1 << 31, i64::MIN, 0]
            .iter()
            .flat_map(|v| [*v as u32, (*v >> 32) as u32])
            .collect::<Vec<_>>(),
    ));
    run(&forms);
}

/// What published kernels write without inline PTX and clang makes an intrinsic or a plain access of.
#[test]
fn without_inline_ptx() {
    run(&[
        kernel(
            "atomics of CUDA at every scope",
            1,
            &[5],
            "atomicAdd_system(m, 1u); atomicAdd(m, 1u); atomicAdd_block(m, 1u); o[0] = atomicCAS_system(m, 8u, 20u); \
             o[1] = atomicExch_system(m, 30u); double *d = (double *)(m + 2); atomicAdd_system(d, 1.0); atomicAdd(d, 1.0); o[2] = *d == 2.0; o[3] = m[0];",
            &[8, 20, 1, 30],
        ),
        kernel(
            "fences of CUDA",
            1,
            &[],
            "o[0] = 1; __threadfence_system(); o[1] = 2; __threadfence(); o[2] = 3; __threadfence_block();",
            &[1, 2, 3],
        ),
        kernel(
            "16 bytes at once and volatile words",
            1,
            &pattern(),
            "*(uint4 *)o = *(const uint4 *)m; ((volatile unsigned *)o)[4] = ((volatile unsigned *)m)[4]; \
             __builtin_memcpy(o + 8, m + 8, 32); __nanosleep(20);",
            &[&pattern()[..5], &[0, 0, 0], &pattern()[8..]].concat(),
        ),
    ]);
}

#[test]
fn what_is_refused_is_named() {
    let refused = [
        "{ .reg .u32 i; mov.u32 i, 0; T: .branchtargets A; brx.idx i, T; A: }",
        "{ call.uni f, (); }",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%0], 16, [%0], 1;",
        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%0], 16, 1;",
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%0, {0}], [%0];",
        "{ .reg .b32 x; multimem.ld_reduce.relaxed.sys.global.add.acc::f16.e4m3x4 x, [%0]; }",
        "{ .reg .f32 x; multimem.ld_reduce.global.min.f32 x, [%0]; }",
        "{ .reg .b32 x; vadd4.u32.u32.u32.add x, x, x, x; }",
        "{ .reg .f32 x; add.rz.f32 x, x, x; cvt.rs.f16x2.f32 x, x, x, x; }",
        "{ .reg .b32 x; tensormap.replace.tile.rank.global.b1024.b32 [%0], x; }",
        "wgmma.fence.sync.aligned;",
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for ptx in refused {
        let cuda = format!(
            "extern \"C\" __global__ void k(int *p) {{\n  asm volatile(\"{ptx}\" :: \"l\"(p) : \"memory\");\n}}"
        );
        let errors = emit(&bitcode(folder.path(), &cuda), &folder.path().join("k.so")).unwrap_err();
        for error in errors {
            let _ = writeln!(text, "{error}");
        }
    }
    insta::assert_snapshot!(text);
}
