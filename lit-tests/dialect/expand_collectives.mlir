// Each collective becomes a call of the function that is made for its signature; equal ones share it. Nothing of the dialect is
// left, and the function is ordinary MLIR with calls of intrinsics.
// RUN: %mlir-opt %s --pass-pipeline='builtin.module(gicc-expand-collectives)' | FileCheck %s

// CHECK-LABEL: llvm.func @several
// CHECK: llvm.call @gicc_all_reduce_block_f32_sum_auto_1024(
// CHECK: llvm.call @gicc_all_reduce_block_f32_sum_auto_1024(
// CHECK: llvm.call @gicc_all_reduce_grid_u32_max_ring(
// CHECK: llvm.call @gicc_all_gather_block_bf16_auto(
// CHECK-NOT: gicc.all
// CHECK: llvm.func @gicc_all_reduce_block_f32_sum_auto_1024(
// CHECK: scf.for
// CHECK: llvm.call @__gicc_packet_store(
// CHECK-NOT: func @gicc_all_reduce_block_f32_sum_auto_1024(
llvm.func @several(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64) {
  %count = llvm.mlir.constant(1024 : i64) : i64
  gicc.all_reduce block sum %p, %q count %count of f32 : !llvm.ptr, !llvm.ptr, i64
  gicc.all_reduce block sum %q, %p count %count of f32 : !llvm.ptr, !llvm.ptr, i64
  gicc.all_reduce grid max %p, %q count %n of i32 unsigned algorithm(ring) : !llvm.ptr, !llvm.ptr, i64
  gicc.all_gather block %p, %q count %n of bf16 : !llvm.ptr, !llvm.ptr, i64
  llvm.return
}
