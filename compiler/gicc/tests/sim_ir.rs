//! LLVM IR as it comes to the simulator's code generator: accesses, scopes, constants, gicc's intrinsics, and what is
//! refused.

mod sim_support;

use gicc_sim::Config;
use sim_support::{Bench, Params, emit};

/// The head of a module for NVPTX.
const HEAD: &str = r#"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
"#;

#[test]
fn bulk_and_wide_accesses() {
    let mut bench = Bench::of_ir(
        Config::default(),
        &format!(
            r#"{HEAD}
define ptx_kernel void @k(ptr %out, ptr %in) {{
  %tmp = alloca [4 x i32], align 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %tmp, ptr align 4 %in, i64 16, i1 false)
  %t = getelementptr i8, ptr %tmp, i64 4
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %t, ptr align 4 %tmp, i64 12, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %out, ptr align 4 %tmp, i64 16, i1 false)
  %o1 = getelementptr i8, ptr %out, i64 16
  call void @llvm.memset.p0.i64(ptr align 4 %o1, i8 5, i64 8, i1 false)
  %v = load <4 x i32>, ptr %in, align 16
  %w = add <4 x i32> %v, splat (i32 1)
  %o2 = getelementptr i8, ptr %out, i64 32
  store <4 x i32> %w, ptr %o2, align 16
  %q = load i128, ptr %in, align 16
  %r = shl i128 %q, 32
  %o3 = getelementptr i8, ptr %out, i64 48
  store i128 %r, ptr %o3, align 16
  %s = load {{ i32, i64 }}, ptr %in, align 8
  %x = extractvalue {{ i32, i64 }} %s, 1
  %o4 = getelementptr i8, ptr %out, i64 64
  store i64 %x, ptr %o4, align 8
  %b = load i1, ptr %in, align 1
  %z = zext i1 %b to i32
  %o5 = getelementptr i8, ptr %out, i64 72
  store i32 %z, ptr %o5, align 4
  ret void
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"#
        ),
    );
    let (out, input) = (bench.buffer("out", &[9; 20]), bench.buffer("in", &[1, 2, 3, 4]));
    bench.run("k", 1, 1, Params::new().ptr(out).ptr(input)).unwrap();
    let expected = [1, 1, 2, 3, 0x0505_0505, 0x0505_0505, 9, 9, 2, 3, 4, 5, 0, 1, 2, 3, 3, 4, 1, 9];
    assert_eq!(bench.words(out, 20), expected);
}

#[test]
fn atomics_of_each_scope_and_size() {
    let mut bench = Bench::of_ir(
        Config::default(),
        &format!(
            r#"{HEAD}
define ptx_kernel void @k(ptr addrspace(1) %p, ptr %wide) {{
  %a = cmpxchg ptr addrspace(1) %p, i32 7, i32 8 syncscope("device") acq_rel monotonic
  %b = extractvalue {{ i32, i1 }} %a, 1
  %c = zext i1 %b to i32
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  store atomic i32 %c, ptr addrspace(1) %p1 syncscope("block") release, align 4
  %d = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %e = atomicrmw fadd ptr addrspace(1) %p2, float 1.500000e+00 seq_cst, align 4
  %p3 = getelementptr i8, ptr addrspace(1) %p, i64 12
  %f = atomicrmw uinc_wrap ptr addrspace(1) %p3, i32 %d syncscope("block") monotonic, align 4
  fence syncscope("device") acq_rel
  %g = atomicrmw xchg ptr %wide, i128 5 seq_cst, align 16
  %h = cmpxchg ptr %wide, i128 5, i128 %g seq_cst seq_cst, align 16
  %i = call i32 @llvm.nvvm.atomic.add.gen.i.sys.i32.p1(ptr addrspace(1) %p3, i32 10)
  ret void
}}
declare i32 @llvm.nvvm.atomic.add.gen.i.sys.i32.p1(ptr addrspace(1), i32)
"#
        ),
    );
    let p = bench.buffer("p", &[7, 0, 2f32.to_bits(), 3]);
    let wide = bench.buffer("wide", &[1, 2, 3, 4]);
    bench.run("k", 1, 1, Params::new().ptr(p).ptr(wide)).unwrap();
    assert_eq!(bench.words(p, 4), [8, 1, 3.5f32.to_bits(), 14]);
    assert_eq!(bench.words(wide, 4), [1, 2, 3, 4]);
}

#[test]
fn addresses_of_shared_variables_stand_in_constants() {
    let mut bench = Bench::of_ir(
        Config::default(),
        &format!(
            r#"{HEAD}
@a = internal addrspace(3) global [4 x i32] poison, align 4
@b = internal addrspace(3) global [4 x i32] poison, align 16
define ptx_kernel void @k(ptr %out, i32 %n) {{
entry:
  store i32 1, ptr addrspacecast (ptr addrspace(3) getelementptr inbounds ([4 x i32], ptr addrspace(3) @a, i64 0, i64 2) to ptr), align 4
  store i32 2, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @b, i64 8), align 4
  %c = icmp sgt i32 %n, 3
  switch i32 %n, label %two [
    i32 7, label %join
    i32 8, label %join
  ]
two:
  br label %join
join:
  %p = phi ptr [ addrspacecast (ptr addrspace(3) @a to ptr), %entry ], [ addrspacecast (ptr addrspace(3) @a to ptr), %entry ], [ addrspacecast (ptr addrspace(3) @b to ptr), %two ]
  %q = getelementptr i8, ptr %p, i64 8
  %v = load i32, ptr %q, align 4
  %d = sub i64 ptrtoint (ptr addrspacecast (ptr addrspace(3) @b to ptr) to i64), ptrtoint (ptr addrspacecast (ptr addrspace(3) @a to ptr) to i64)
  %w = trunc i64 %d to i32
  %s = select i1 %c, i32 %w, i32 0
  store i32 %v, ptr %out, align 4
  %o = getelementptr i8, ptr %out, i64 4
  store i32 %s, ptr %o, align 4
  ret void
}}
"#
        ),
    );
    let out = bench.buffer("out", &[0; 2]);
    bench.run("k", 1, 1, Params::new().ptr(out).int(8)).unwrap();
    assert_eq!(bench.words(out, 2), [1, 16]);
    bench.run("k", 1, 1, Params::new().ptr(out).int(1)).unwrap();
    assert_eq!(bench.words(out, 2), [2, 0]);
}

#[test]
fn gicc_intrinsics_of_order_and_team() {
    let config = Config { pes: 2, heap_bytes: 1 << 16, ..Config::default() };
    let mut bench = Bench::of_ir(
        config,
        &format!(
            r#"{HEAD}
define ptx_kernel void @k(ptr %flag, ptr %out) {{
  %me = call i32 @__gicc_my_pe()
  %n = call i32 @__gicc_n_pes()
  %stride = call i64 @__gicc_heap_stride()
  %w = call ptr @__gicc_workspace()
  %other = sub i32 1, %me
  %d = sub i32 %other, %me
  %d64 = sext i32 %d to i64
  %bytes = mul i64 %d64, %stride
  %there = getelementptr i8, ptr %flag, i64 %bytes
  %v = add i32 %me, 5
  %v64 = zext i32 %v to i64
  call void @__gicc_fence(i32 3, i32 3)
  call void @__gicc_store_u64(ptr %there, i64 %v64, i32 1, i32 3)
  br label %wait
wait:
  %x = call i64 @__gicc_load_u64(ptr %flag, i32 2, i32 3)
  %zero = icmp eq i64 %x, 0
  br i1 %zero, label %wait, label %done
done:
  call void @__gicc_red_add_u64(ptr %w, i64 %x, i32 0, i32 2)
  %old = call i32 @__gicc_atom_cas_u32(ptr %w, i32 6, i32 60, i32 3, i32 2)
  %inc = call i32 @__gicc_atom_inc_u32(ptr %out, i32 9, i32 3, i32 2)
  %r = add i32 %old, %n
  %o = getelementptr i8, ptr %out, i64 4
  store i32 %r, ptr %o, align 4
  ret void
}}
declare i32 @__gicc_my_pe()
declare i32 @__gicc_n_pes()
declare i64 @__gicc_heap_stride()
declare ptr @__gicc_workspace()
declare void @__gicc_fence(i32, i32)
declare void @__gicc_store_u64(ptr, i64, i32, i32)
declare i64 @__gicc_load_u64(ptr, i32, i32)
declare void @__gicc_red_add_u64(ptr, i64, i32, i32)
declare i32 @__gicc_atom_cas_u32(ptr, i32, i32, i32, i32)
declare i32 @__gicc_atom_inc_u32(ptr, i32, i32, i32)
"#
        ),
    );
    let (base, stride) = (bench.machine.segment(0), bench.machine.stride());
    let mut outs = Vec::new();
    for pe in 0..2 {
        let state = gicc_abi::layout::State {
            my_pe: pe,
            n_pes: 2,
            heap_base: base,
            heap_stride: stride,
            ..gicc_abi::layout::State::default()
        };
        let (address, bytes) = bench.machine.symbol(bench.module, pe as u32, gicc_abi::STATE_SYMBOL).unwrap();
        assert_eq!(bytes as usize, std::mem::size_of::<gicc_abi::layout::State>());
        bench.machine.write(address, &state.to_bytes()).unwrap();
        outs.push(bench.machine.alloc(pe as u32, 8, "out").unwrap());
    }
    let flag = |pe: u32| base + u64::from(pe) * stride + 4096;
    bench.run_all("k", 1, 1, |pe| Params::new().ptr(flag(pe)).ptr(outs[pe as usize])).unwrap();
    for pe in 0..2u32 {
        let received = 5 + (1 - pe);
        let workspace = bench.words(base + u64::from(pe) * stride, 1)[0];
        assert_eq!(workspace, if received == 6 { 60 } else { received });
        assert_eq!(bench.words(outs[pe as usize], 2), [1, received + 2]);
    }
}

#[test]
fn what_is_not_supported_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.so");
    let refused = |body: &str| {
        let errors = emit(format!("{HEAD}{body}").as_bytes(), &path).unwrap_err();
        assert!(!path.exists());
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let text = [
        refused(
            "define ptx_kernel void @k(ptr %p) {\n  store atomic i32 1, ptr %p syncscope(\"agent\") release, align 4\n  ret void\n}",
        ),
        refused(
            "define ptx_kernel void @k(ptr %p) {\n  %v = call i32 @llvm.nvvm.read.ptx.sreg.envreg7()\n  %w = call { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.1d.v4s32.s32(i64 0, i32 0)\n  ret void\n}\ndeclare i32 @llvm.nvvm.read.ptx.sreg.envreg7()\ndeclare { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.1d.v4s32.s32(i64, i32)",
        ),
        refused("module asm \".global .u32 x;\"\ndefine ptx_kernel void @k() {\n  ret void\n}"),
        refused("define ptx_kernel void @k(i32 %n) {\n  %a = alloca i32, i32 %n\n  store i32 1, ptr %a\n  ret void\n}"),
        refused(
            "define ptx_kernel void @k(ptr %p) {\n  call void @__gicc_publish(i32 3, i32 0, i32 -1)\n  ret void\n}\ndeclare void @__gicc_publish(i32, i32, i32)",
        ),
        refused(
            "define ptx_kernel void @k(ptr %p, i32 %s) {\n  call void @__gicc_fence(i32 1, i32 %s)\n  ret void\n}\ndeclare void @__gicc_fence(i32, i32)",
        ),
        refused(
            "define ptx_kernel void @k(ptr %p) {\n  %v = atomicrmw usub_sat ptr %p, i32 1 monotonic\n  ret void\n}",
        ),
    ];
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn an_output_that_cannot_be_written_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let errors = emit(
        format!("{HEAD}define ptx_kernel void @k() {{\n  ret void\n}}").as_bytes(),
        &folder.path().join("no/k.so"),
    )
    .unwrap_err();
    assert_eq!(errors[0].code, "E0611");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
