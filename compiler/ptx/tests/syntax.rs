//! Modules beyond what the inputs hold: directives, declarations, initialisers, spans, errors, what is kept unknown.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use ptx::ast::{Initializer, Linkage, PointerAttribute};
use ptx::*;

const HEAD: &str = ".version 8.8\n.target sm_90a, debug\n.address_size 64\n";

fn parse(text: &str) -> Module {
    let module = parse_module(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let printed = module.to_string();
    assert_eq!(parse_module(&printed).unwrap_or_else(|e| panic!("{e}: {printed}")).to_string(), printed);
    module
}

fn error(text: &str) -> String {
    parse_module(text).unwrap_err().to_string()
}

#[test]
fn the_head_is_read() {
    let module = parse(HEAD);
    assert_eq!(module.version(), Some(Version { major: 8, minor: 8 }));
    assert_eq!(module.target(), ["sm_90a", "debug"]);
}

#[test]
fn variables_of_all_kinds() {
    let module = parse(
        ".global .align 4 .u32 a = 5;
         .visible .global .align 8 .u64 pointers[3] = {generic(a), generic(a)+4, 0};
         .const .align 4 .b8 bytes[8] = {1, 2, 0xFF(generic(a)), 0xFF00(generic(a)), 0x7};
         .extern .shared .align 16 .b8 dynamic[];
         .weak .global .attribute(.managed) .f32 m = 0f3F800000;
         .common .global .b32 c;
         .global .v4 .f32 v;
         .global .u32 table[2][3] = {{1, 2, 3}, {4, 5, 6}};
         .shared .b64 plain;
         .global .u64 f = a+8;",
    );
    assert!(module.unknown().is_empty(), "{:?}", module.unknown());
    let variables: Vec<_> = module.variables().collect();
    let sizes: Vec<_> = variables.iter().map(|v| (v.name.as_str(), v.size(), v.alignment())).collect();
    assert_eq!(
        sizes,
        [
            ("a", 4, 4),
            ("pointers", 24, 8),
            ("bytes", 8, 4),
            ("dynamic", 0, 16),
            ("m", 4, 4),
            ("c", 4, 4),
            ("v", 16, 16),
            ("table", 24, 4),
            ("plain", 8, 8),
            ("f", 8, 8),
        ]
    );
    assert_eq!(variables[3].linkage, Some(Linkage::Extern));
    assert_eq!(variables[4].attribute.as_deref(), Some("(.managed)"));
    let Some(Initializer::List(pointers)) = &variables[1].initializer else { panic!() };
    assert_eq!(pointers[1], Initializer::Generic { symbol: "a".to_owned(), offset: 4 });
    let launch = trace::Launch::new(&module, "k").symbol("a", 0x1122);
    let images = launch.global_variables().unwrap();
    let image = |name: &str| images.iter().find(|g| g.name == name).unwrap().bytes.clone();
    assert_eq!(image("pointers")[..16], [0x22, 0x11, 0, 0, 0, 0, 0, 0, 0x26, 0x11, 0, 0, 0, 0, 0, 0]);
    assert_eq!(image("table")[12..16], [4, 0, 0, 0]);
    assert_eq!(image("f")[..2], [0x2a, 0x11]);
}

#[test]
fn functions_of_all_kinds() {
    let module = parse(
        ".extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);
         .weak .func nothing() .noreturn { trap; }
         .visible .entry k(.param .align 16 .b8 s[24], .param .u64 .ptr .global .align 4 p, .param .u64 .ptr .align 1 q)
         .maxntid 128, 1, 1 .minnctapersm 2 .reqnctapercluster 2, 1, 1 .pragma \"nounroll\";
         { ret; }
         .func (.reg .b32 r) old (.reg .b32 x) { add.u32 r, x, 1; ret; }
         .visible .entry empty { exit; }",
    );
    assert!(module.unknown().is_empty(), "{:?}", module.unknown());
    let k = module.function("k").unwrap();
    assert_eq!(k.parameters.iter().map(|p| p.size()).collect::<Vec<_>>(), [24, 8, 8]);
    let global = PointerAttribute { space: Some(StateSpace::Global), align: Some(4) };
    assert_eq!(k.parameters[1].pointer, Some(global));
    let names: Vec<_> = k.directives.iter().map(|d| d.text.as_str()).collect();
    assert_eq!(names, [".maxntid 128, 1, 1", ".minnctapersm 2", ".reqnctapercluster 2, 1, 1", ".pragma \"nounroll\";"]);
    assert!(module.function("vprintf").unwrap().body.is_none());
    let old = module.function("old").unwrap().body.as_ref().unwrap();
    let StatementKind::Instruction(add) = &old[0].kind else { panic!() };
    assert_eq!(add.operands[0], Operand::register("r"));
}

#[test]
fn directives_without_meaning_are_kept_as_written() {
    let text = ".file 1 \"a.cu\", 1, 2\n.section .debug_str { .b8 1,2,3\n.b32 L1 }\n.visible .entry k() {\n.loc 1 2 3\n\
                .loc 1 2 3, function_name $L__info_string0, inlined_at 1 5 2\n.loc 1 4 5, function_name info_string1+8, inlined_at 1 5 2\n.pragma \"nounroll\";\nret;\n}";
    let module = parse(text);
    assert!(module.unknown().is_empty());
    let body = module.function("k").unwrap().body.as_ref().unwrap();
    assert_eq!(body.len(), 5);
    let StatementKind::Directive(directive) = &body[1].kind else { panic!() };
    assert_eq!(directive.text, ".loc 1 2 3, function_name $L__info_string0, inlined_at 1 5 2");
}

#[test]
fn names_are_registers_where_they_are_declared() {
    let module = parse(
        ".visible .entry k() { .reg .b32 r<3>, x; { .reg .b32 y; mov.b32 y, r2; } mov.b32 x, y; mov.b32 r3, x; ret; }",
    );
    let mut operands = Vec::new();
    module.walk(&mut |statement| {
        if let StatementKind::Instruction(instruction) = &statement.kind {
            operands.extend(instruction.operands.clone());
        }
    });
    assert_eq!(
        operands,
        [
            Operand::register("y"),
            Operand::register("r2"),
            Operand::register("x"),
            Operand::symbol("y"),
            Operand::symbol("r3"),
            Operand::register("x"),
        ]
    );
}

#[test]
fn numbers() {
    let value = |text: &str| {
        let statements = parse_statements(&format!("mov.b64 %d1, {text};")).unwrap();
        match &statements[0].kind {
            StatementKind::Instruction(instruction) => match &instruction.operands[1] {
                Operand::Immediate(number) => Some(number.value),
                _ => None,
            },
            _ => None,
        }
    };
    let integer = |v: i128| Some(ImmediateValue::Integer(v));
    assert_eq!(value("0x10U"), integer(16));
    assert_eq!(value("0b101"), integer(5));
    assert_eq!(value("017"), integer(15));
    assert_eq!(value("-9223372036854775808"), integer(i128::from(i64::MIN)));
    assert_eq!(value("18446744073709551615"), integer(i128::from(u64::MAX)));
    assert_eq!(value("0f3F800000"), Some(ImmediateValue::F32(0x3f80_0000)));
    assert_eq!(value("-0d3FF0000000000000"), Some(ImmediateValue::F64((-1f64).to_bits())));
    assert_eq!(value("1.5e1"), Some(ImmediateValue::F64(15f64.to_bits())));
    assert_eq!(value("18446744073709551616"), None);
    assert_eq!(value("-9223372036854775809"), None);
    assert_eq!(value("08"), None);
}

#[test]
fn spans_point_at_the_text() {
    let text = ".version 8.8\n.visible .entry k()\n{\n  @%p1\tld.global.u32 %r1,\n    [%rd1];\n}\n";
    let module = parse(text);
    let body = module.function("k").unwrap().body.as_ref().unwrap();
    let StatementKind::Instruction(instruction) = &body[0].kind else { panic!() };
    assert_eq!(instruction.span.text(text), "@%p1\tld.global.u32 %r1,\n    [%rd1]");
    assert_eq!(instruction.opcode_span.text(text), "ld.global.u32");
    assert_eq!((instruction.span.line, instruction.span.column), (4, 3));
    assert_eq!((instruction.opcode_span.line, instruction.opcode_span.column), (4, 8));
    assert_eq!(body[0].span.text(text).chars().last(), Some(';'));
}

#[test]
fn what_is_unknown_is_kept_with_its_place() {
    let text = ".global .texref tex;\n.alias a, b;\n.visible .entry k() {\n  wgmma.fence.sync.aligned ;\n  @%p1 tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tex, {%f5,%f6}];\n .shared .b32 x, y;\n ret;\n}";
    let module = parse(text);
    let unknown = module.unknown();
    let names: Vec<_> = unknown.iter().map(|(span, u)| (span.line, u.opcode.as_str())).collect();
    assert_eq!(
        names,
        [(1, ".global"), (2, ".alias"), (4, "wgmma.fence.sync.aligned"), (5, "tex.2d.v4.f32.f32"), (6, ".shared.b32")]
    );
    assert_eq!(unknown[2].1.text, "wgmma.fence.sync.aligned ;");
    assert!(module.to_string().contains("wgmma.fence.sync.aligned ;"));
}

#[test]
fn mistakes_are_located() {
    assert_eq!(error("hello"), "1:1: expected a directive, found `hello`");
    assert_eq!(error(".version eight"), "1:10: expected a version such as 8.8, found `eight`");
    assert_eq!(error(".address_size 16"), "1:15: the number `16` does not fit its type");
    assert_eq!(error(".visible .entry k() {\n  ret;\n"), "2:6: expected `}`, found the end of the text");
    assert_eq!(error(".visible .entry k() {\n  ret\n}"), "3:1: expected `;`, found `}`");
    assert_eq!(
        error(".visible .entry k() {\n  ld.u32 %r1, [%r2];\n  \"no\"\n}"),
        "3:3: expected a statement, found `\"no\"`"
    );
    assert_eq!(error(".visible .entry (.param .u32 x) {}"), "1:17: expected the name of a function, found `(`");
    assert_eq!(error(".visible .entry k() { \u{7f} }"), "1:23: this is no PTX token: `\u{7f}`");
    assert_eq!(error(".section .debug { .b8 1"), "1:17: the text ends inside a section");
    assert_eq!(error("/* open"), "1:1: the text ends inside a comment");
    let deep = format!(".entry k() {}{}", "{".repeat(100), "}".repeat(100));
    assert!(error(&deep).ends_with("nested deeper than 64 levels"));
}

#[test]
fn a_version_without_a_memory_model_gives_no_meaning() {
    let statements = parse_statements("membar.sys; add.u32 %r1, %r2, 1;").unwrap();
    let instruction = |i: usize| match &statements[i].kind {
        StatementKind::Instruction(instruction) => instruction.clone(),
        _ => panic!(),
    };
    let old = Version { major: 5, minor: 0 };
    assert!(instruction(0).meaning(old).is_err());
    assert_eq!(instruction(1).meaning(old), Ok(None));
    assert!(instruction(0).meaning(Version { major: 6, minor: 0 }).unwrap().is_some());
}
