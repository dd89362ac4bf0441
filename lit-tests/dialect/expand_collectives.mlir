// Each collective becomes a call of the function that is made for its signature; equal ones share it. Nothing of the dialect is
// left, and the function is ordinary MLIR with calls of intrinsics.
// RUN: %mlir-opt %s --pass-pipeline='builtin.module(gicc-expand-collectives)' 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// A remark at each says what was chosen, as for a call in C++.
// REMARK: expand_collectives.mlir:[[#@LINE+17]]:3: remark: all_reduce of f32: one_shot: 4096 bytes are at most 8192
// REMARK: remark: all_reduce of f32: one_shot: 4096 bytes
// REMARK: remark: all_reduce of u32: ring: as the call asks
// REMARK: remark: all_gather of bf16: direct: each PE sends its elements once to each other

// CHECK-LABEL: llvm.func @several
// CHECK: llvm.call @gicc_all_reduce_block_f32_sum_one_shot(
// CHECK: llvm.call @gicc_all_reduce_block_f32_sum_one_shot(
// CHECK: llvm.call @gicc_all_reduce_grid_u32_max_ring(
// CHECK: llvm.call @gicc_all_gather_block_bf16_direct(
// CHECK-NOT: gicc.all
// CHECK: llvm.func linkonce_odr @gicc_all_reduce_block_f32_sum_one_shot(
// CHECK: scf.for
// CHECK: llvm.call @__gicc_packet_store(
// CHECK-NOT: @gicc_all_reduce_block_f32_sum_one_shot(
llvm.func @several(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64) {
  %count = llvm.mlir.constant(1024 : i64) : i64
  gicc.all_reduce block sum %p, %q count %count of f32 : !llvm.ptr, !llvm.ptr, i64
  gicc.all_reduce block sum %q, %p count %count of f32 : !llvm.ptr, !llvm.ptr, i64
  gicc.all_reduce grid max %p, %q count %n of i32 unsigned algorithm(ring) : !llvm.ptr, !llvm.ptr, i64
  gicc.all_gather block %p, %q count %n of bf16 : !llvm.ptr, !llvm.ptr, i64
  llvm.return
}
