//! Inline assembly: every form that published kernels were found to use, and the notations around it.
#![allow(clippy::unwrap_used, clippy::type_complexity, reason = "a failed unwrap is a failed test")]

use ptx::*;

fn one(text: &str, constraints: &str) -> Instruction {
    let asm = InlineAsm::parse(text, constraints).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert!(asm.unknown().is_empty(), "{text}: {:?}", asm.unknown());
    let printed = asm.to_text();
    let again = InlineAsm::parse(&printed, constraints).unwrap();
    assert_eq!(again.to_text(), printed);
    let squeeze = |s: &str| s.split_whitespace().collect::<String>();
    assert_eq!(squeeze(&printed), squeeze(text));
    let instructions = asm.instructions();
    assert_eq!(instructions.len(), 1, "{text}");
    instructions[0].clone()
}

fn access(text: &str, constraints: &str) -> Access {
    match one(text, constraints).op.meaning() {
        Some(Meaning::Access(access)) => access,
        other => panic!("{text}: {other:?}"),
    }
}

/// Form, constraints, semantics, scope, bytes of a scalar, number of scalars.
const ACCESSES: &[(&str, &str, Semantics, Option<Scope>, u32, u32)] = {
    use Scope::*;
    use Semantics::*;
    &[
        ("ld.acquire.sys.global.u8 $0, [$1];", "=h,l,~{memory}", Acquire, Some(Sys), 1, 1),
        ("ld.volatile.global.u64 $0, [$1];", "=l,l,~{memory}", Relaxed, Some(Sys), 8, 1),
        ("ld.volatile.global.v2.b64 {$0,$1}, [$2];", "=l,=l,l,~{memory}", Relaxed, Some(Sys), 8, 2),
        ("ld.volatile.global.b32 $0, [$1];", "=r,l,~{memory}", Relaxed, Some(Sys), 4, 1),
        ("ld.volatile.global.v2.u64 {$0,$1}, [$2];", "=l,=l,l,~{memory}", Relaxed, Some(Sys), 8, 2),
        ("multimem.ld_reduce.relaxed.sys.global.add.f32 $0, [$1];", "=f,l,~{memory}", Relaxed, Some(Sys), 4, 1),
        ("multimem.red.release.sys.global.add.u32 [$0], $1;", "l,r,~{memory}", Release, Some(Sys), 4, 1),
        ("red.release.sys.global.add.u64 [$0], $1;", "l,l,~{memory}", Release, Some(Sys), 8, 1),
        ("st.global.v2.b64 [$0], {$1,$2};", "l,l,l,~{memory}", Weak, None, 8, 2),
        ("st.global.b32 [$0], $1;", "l,r,~{memory}", Weak, None, 4, 1),
        ("st.relaxed.sys.global.u64 [$0], $1;", "l,l,~{memory}", Relaxed, Some(Sys), 8, 1),
        ("st.release.sys.global.s32 [$0], $1;", "l,r,~{memory}", Release, Some(Sys), 4, 1),
        ("st.release.sys.global.u8 [$0], $1;", "l,h,~{memory}", Release, Some(Sys), 1, 1),
        ("st.volatile.global.v2.u64 [$0], {$1,$2};", "l,l,l,~{memory}", Relaxed, Some(Sys), 8, 2),
        ("atom.add.release.gpu.global.s32 $0, [$1], $2;", "=r,l,r", Release, Some(Gpu), 4, 1),
        ("ld.acquire.gpu.global.s32 $0, [$1];", "=r,l", Acquire, Some(Gpu), 4, 1),
        ("ld.acquire.sys.global.s32 $0, [$1];", "=r,l", Acquire, Some(Sys), 4, 1),
        ("ld.acquire.sys.global.u32 $0, [$1];", "=r,l", Acquire, Some(Sys), 4, 1),
        ("ld.global.acquire.sys.b32 $0, [$1];", "=r,l", Acquire, Some(Sys), 4, 1),
        ("ld.acquire.sys.b32 $0, [$1];", "=r,l,~{memory}", Acquire, Some(Sys), 4, 1),
        ("ld.acquire.sys.b64 $0, [$1];", "=l,l,~{memory}", Acquire, Some(Sys), 8, 1),
        ("ld.global.nc.L1::no_allocate.L2::256B.s32 $0, [$1];", "=r,l", Weak, None, 4, 1),
        ("ld.global.nc.L1::no_allocate.L2::256B.v4.s32 {$0,$1,$2,$3}, [$4];", "=r,=r,=r,=r,l", Weak, None, 4, 4),
        ("ld.volatile.global.u32 $0, [$1];", "=r,l", Relaxed, Some(Sys), 4, 1),
        ("ld.volatile.global.s32 $0, [$1];", "=r,l", Relaxed, Some(Sys), 4, 1),
        ("ld.volatile.global.v4.b32 {$0,$1,$2,$3}, [$4];", "=r,=r,=r,=r,l", Relaxed, Some(Sys), 4, 4),
        ("ld.volatile.global.v4.u32 {$0,$1,$2,$3}, [$4];", "=r,=r,=r,=r,l", Relaxed, Some(Sys), 4, 4),
        ("st.global.L1::no_allocate.v4.s32 [$0], {$1,$2,$3,$4};", "l,r,r,r,r", Weak, None, 4, 4),
        ("st.global.release.sys.b32 [$1], $0;", "r,l", Release, Some(Sys), 4, 1),
        ("st.release.sys.global.u32 [$1], $0;", "r,l", Release, Some(Sys), 4, 1),
        ("st.volatile.global.u32 [$1], $0;", "r,l", Relaxed, Some(Sys), 4, 1),
        ("st.volatile.global.v4.b32 [$0], {$1,$2,$3,$4};", "l,r,r,r,r", Relaxed, Some(Sys), 4, 4),
        ("st.volatile.global.v4.u32 [$0], {$1,$2,$3,$4};", "l,r,r,r,r", Relaxed, Some(Sys), 4, 4),
        ("st.relaxed.sys.global.b128 [$0], $1;", "l,q,~{memory}", Relaxed, Some(Sys), 16, 1),
        ("atom.cas.acq_rel.sys.global.b32 $0, [$1], $2, $3;", "=r,l,r,r", AcquireRelease, Some(Sys), 4, 1),
        ("atom.global.add.u32 $0, [$1], $2;", "=r,l,r", Relaxed, Some(Gpu), 4, 1),
        ("red.global.add.noftz.f16x2 [$0], $1;", "l,r", Relaxed, Some(Gpu), 2, 2),
        ("multimem.red.global.add.u32 [$0], $1;", "l,r", Relaxed, Some(Sys), 4, 1),
        ("multimem.st.global.v4.f32 [$0], {$1,$2,$3,$4};", "l,f,f,f,f", Weak, None, 4, 4),
        ("st.mmio.relaxed.sys.global.u32 [$0], $1;", "l,r", Relaxed, Some(Sys), 4, 1),
        ("ld.relaxed.cluster.shared::cluster.u32 $0, [$1];", "=r,r", Relaxed, Some(Cluster), 4, 1),
    ]
};

#[test]
fn accesses_of_published_kernels() {
    for (text, constraints, semantics, scope, width, count) in ACCESSES {
        let access = access(text, constraints);
        assert_eq!((access.semantics, access.scope), (*semantics, *scope), "{text}");
        assert_eq!((access.width, access.count), (*width, *count), "{text}");
        let clobbers = InlineAsm::parse(text, constraints).unwrap().constraints.clobbers_memory;
        assert_eq!(clobbers, constraints.contains("memory"), "{text}");
    }
}

#[test]
fn non_coherent_loads_go_through_the_texture_proxy() {
    assert_eq!(access("ld.global.nc.L1::no_allocate.L2::256B.s32 $0, [$1];", "=r,l").proxy, Proxy::Texture);
    assert_eq!(access("ld.const.b32 $0, [$1];", "=r,l").proxy, Proxy::Constant);
}

#[test]
fn fences_of_published_kernels() {
    let fence = |text: &str| one(text, "~{memory}").op.meaning().unwrap();
    let expect = |semantics, scope| Meaning::Fence { semantics, scope, restrict: None };
    assert_eq!(fence("fence.acq_rel.sys;"), expect(Semantics::AcquireRelease, Scope::Sys));
    assert_eq!(fence("fence.sys;"), expect(Semantics::AcquireRelease, Scope::Sys));
    assert_eq!(fence("fence.sc.gpu;"), expect(Semantics::SequentiallyConsistent, Scope::Gpu));
    assert_eq!(fence("fence.release.sys;"), expect(Semantics::Release, Scope::Sys));
    assert_eq!(fence("membar.gl;"), expect(Semantics::SequentiallyConsistent, Scope::Gpu));
    assert_eq!(fence("membar.sys;"), expect(Semantics::SequentiallyConsistent, Scope::Sys));
    let alias = Meaning::ProxyFence { kind: ptx::op::ProxyKind::Alias, semantics: None, scope: None };
    assert_eq!(fence("fence.proxy.alias;"), alias);
}

#[test]
fn a_block_with_its_own_registers() {
    let text = "{.reg .b128 t; mov.b128 t,{$1,$2}; st.relaxed.sys.global.b128 [$0],t;}";
    let asm = InlineAsm::parse(text, "l,l,l,~{memory}").unwrap();
    assert!(asm.unknown().is_empty());
    let instructions = asm.instructions();
    assert_eq!(instructions[0].operands[0], Operand::register("t"));
    let Some(Meaning::Access(access)) = instructions[1].op.meaning() else { panic!() };
    assert_eq!((access.width, access.count), (16, 1));
    assert_eq!(instructions[1].operands[1], Operand::register("t"));
}

#[test]
fn the_notation_of_the_source() {
    let text =
        "{ .reg .pred p; L%=: ld.acquire.gpu.b32 %0, [%1]; setp.ne.s32 p, %0, 1; @p bra L%=; mov.u32 %0, %%laneid; }";
    let source = InlineAsm::parse_in(Notation::Source, text, "=r,l").unwrap();
    assert!(source.unknown().is_empty(), "{:?}", source.unknown());
    assert_eq!(source.to_text().split_whitespace().collect::<String>(), text.split_whitespace().collect::<String>());
    let llvm = "{ .reg .pred p; L${:uid}: ld.acquire.gpu.b32 $0, [$1]; setp.ne.s32 p, $0, 1; @p bra L${:uid}; mov.u32 $0, %laneid; }";
    let llvm = InlineAsm::parse(llvm, "=r,l").unwrap();
    let ops =
        |asm: &InlineAsm| asm.instructions().iter().map(|i| (i.op.clone(), i.operands.clone())).collect::<Vec<_>>();
    assert_eq!(ops(&source), ops(&llvm));
    let spelled: Vec<_> = source.instructions().iter().map(|i| i.span.text(text).to_owned()).collect();
    assert_eq!(spelled[0], "ld.acquire.gpu.b32 %0, [%1]");
    assert_eq!(spelled[3], "mov.u32 %0, %%laneid");
}

#[test]
fn placeholders_with_modifiers_and_dollars() {
    let asm = InlineAsm::parse("bra $$L_done; mov.b32 ${0:x}, $1;", "=r,n").unwrap();
    assert_eq!(asm.instructions()[0].operands[0], Operand::symbol("$L_done"));
    assert_eq!(asm.instructions()[1].operands[0], Operand::Placeholder(Placeholder { index: 0, modifier: Some('x') }));
    assert!(asm.to_text().contains("$$L_done"));
    assert!(asm.to_text().contains("${0:x}"));
}

#[test]
fn offsets_and_guards_may_be_placeholders() {
    let asm =
        InlineAsm::parse("@$2 st.global.b32 [ $0 + 16 ], { $1 }; @!$2 st.global.b32 [$0+$3], $1;", "l,r,b,n").unwrap();
    assert!(asm.unknown().is_empty(), "{:?}", asm.unknown());
    assert_eq!(asm.constraints.class(2), Some(OperandClass::Predicate));
    assert!(asm.instructions()[1].guard.as_ref().unwrap().negated);
}

#[test]
fn constraints_are_read() {
    let c = Constraints::parse("=&r,=*l,+f,q,0,n,~{memory},~{cc}").unwrap();
    assert_eq!(c.operands.len(), 6);
    assert!(c.operands[0].early_clobber && c.operands[1].indirect);
    assert_eq!(c.operands[2].direction, Direction::InputOutput);
    assert_eq!(c.class(3), Some(OperandClass::Quad));
    assert_eq!(c.class(4), Some(OperandClass::Word));
    assert_eq!(c.clobbers, ["cc"]);
    for bad in ["=y", "3", "=n", "=r,1", "~{memory", "=", "="] {
        assert!(Constraints::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn mistakes_are_located() {
    let error = InlineAsm::parse("mov.b32 $0, $1;\n  mov.b32 $0, $7;", "=r,r").unwrap_err();
    assert_eq!(error.to_string(), "2:3: operand 7 is used, but the constraint string describes 2 operands");
    let error = InlineAsm::parse("mov.b32 $0, ${x};", "=r").unwrap_err();
    assert_eq!((error.span.start, error.span.column), (12, 13));
    let error = InlineAsm::parse("mov.b32 $0, 1", "=r").unwrap_err();
    assert_eq!(error.to_string(), "1:1: the text ends inside an instruction");
    assert!(InlineAsm::parse_in(Notation::Source, "mov.u32 %0, %laneid;", "=r").is_err());
}

#[test]
fn what_is_not_known_is_named_and_kept() {
    let text = "frobnicate.sync $0, [$1] ;  ld.purple.b32 $0, [$1]; mov.b32 $0, (1 << 3);";
    let asm = InlineAsm::parse(text, "=r,l").unwrap();
    let unknown = asm.unknown();
    let names: Vec<_> = unknown.iter().map(|(_, u)| u.opcode.as_str()).collect();
    assert_eq!(names, ["frobnicate.sync", "ld.purple.b32", "mov.b32"]);
    assert_eq!(unknown[0].1.text, "frobnicate.sync $0, [$1] ;");
    assert_eq!(unknown[1].1.reason, "the modifier .purple is not known here");
    assert_eq!(asm.to_text().lines().collect::<Vec<_>>().join("  "), text.replace("; mov", ";  mov"));
}

#[test]
fn an_empty_string_is_a_compiler_barrier() {
    let asm = InlineAsm::parse("", "~{memory}").unwrap();
    assert!(asm.statements.is_empty() && asm.constraints.clobbers_memory);
}
