// A collective of a part of the PEs becomes a call with start, stride and members, of a function that counts rounds for each two
// PEs. The part is declared, or its three numbers are operands.
// RUN: %mlir-opt %s --pass-pipeline='builtin.module(gicc-expand-collectives)' 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// REMARK: expand_parts.mlir:[[#@LINE+23]]:3: remark: all_reduce of f32 by a part of the PEs: ring: as the call asks
// REMARK: remark: all_gather of f64 by a part of the PEs: direct: each PE

// CHECK-LABEL: llvm.func @parts
// CHECK: %[[START:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK: %[[STRIDE:.*]] = llvm.mlir.constant(3 : i32) : i32
// CHECK: %[[PES:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: llvm.call @gicc_all_reduce_part_block_f32_sum_ring(%{{.*}}, %{{.*}}, %{{.*}}, %[[START]], %[[STRIDE]], %[[PES]]) : (!llvm.ptr, !llvm.ptr, i64, i32, i32, i32) -> ()
// CHECK: llvm.call @gicc_all_reduce_part_block_f32_sum_ring(%{{.*}}, %{{.*}}, %{{.*}}, %arg3, %arg4, %arg5)
// CHECK: llvm.call @gicc_all_gather_part_grid_f64_direct(%{{.*}}, %{{.*}}, %{{.*}}, %arg3, %arg4, %arg5)
// CHECK: llvm.func linkonce_odr @gicc_all_reduce_part_block_f32_sum_by_ring_of_any_size(
// CHECK: llvm.call @__gicc_part_check(
// CHECK: llvm.call @__gicc_part_rank(
// CHECK: llvm.call @__gicc_part_epoch(
// CHECK: llvm.call @__gicc_part_end_block(
// CHECK-NEXT: }
// CHECK-NEXT: llvm.return
// CHECK: llvm.func linkonce_odr @gicc_all_reduce_part_block_f32_sum_ring(
// CHECK: llvm.call @gicc_all_reduce_part_block_f32_sum_by_ring_of_any_size(
// CHECK-NEXT: llvm.call @__gicc_part_over(
// CHECK-NOT: @__gicc_epoch_
gicc.team @column pes(2) start(1) stride(3)
llvm.func @parts(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64, %start: i32, %stride: i32, %pes: i32) {
  gicc.all_reduce block sum %p, %q count %n of f32 algorithm(ring) in @column : !llvm.ptr, !llvm.ptr, i64
  gicc.all_reduce block sum %p, %q count %n of f32 algorithm(ring) part(%start, %stride, %pes) : !llvm.ptr, !llvm.ptr, i64
  gicc.all_gather grid %p, %q count %n of f64 part(%start, %stride, %pes) : !llvm.ptr, !llvm.ptr, i64
  llvm.return
}
