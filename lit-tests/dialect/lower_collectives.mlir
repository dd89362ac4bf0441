// A collective that nobody expanded becomes the call of the interface that CUDA C++ has for it: count in elements, and numbers
// for the elements, the operation and the algorithm (gicc/gicc.cuh names them). gicc makes its code later, by `materialise`.
// RUN: %mlir-opt %s --pass-pipeline='builtin.module(gicc-to-llvm)' | FileCheck %s --implicit-check-not=gicc.all
// RUN: %gicc %s --check-errors off --stop-after frontend -o - | FileCheck --check-prefix=IR %s
// RUN: %gicc %s --check-errors off --stop-after materialise -o - | FileCheck --check-prefix=MADE %s

// CHECK-LABEL: gpu.func @several
// CHECK: llvm.call @__gicc_all_reduce_block(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i32, i32, i32) -> ()
// CHECK: llvm.call @__gicc_all_reduce_grid(
// CHECK: llvm.call @__gicc_all_reduce_part_grid(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %arg3, %arg3, %arg3)
// CHECK: llvm.call @__gicc_all_gather_block(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i32, i32) -> ()
// CHECK: llvm.call @__gicc_all_gather_part_block(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})

// IR-LABEL: define {{.*}}@several(
// IR: call void @__gicc_all_reduce_block(ptr %{{.*}}, ptr %{{.*}}, i64 8, i32 2, i32 0, i32 0)
// IR: call void @__gicc_all_reduce_grid(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, i32 5, i32 3, i32 3)
// IR: call void @__gicc_all_reduce_part_grid(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, i32 1, i32 2, i32 2, i32 %[[N:.*]], i32 %[[N]], i32 %[[N]])
// IR: call void @__gicc_all_gather_block(ptr %{{.*}}, ptr %{{.*}}, i64 8, i32 2, i32 0)
// IR: call void @__gicc_all_gather_part_block(ptr %{{.*}}, ptr %{{.*}}, i64 8, i32 2, i32 3, i32 1, i32 2, i32 3)

// MADE-LABEL: define {{.*}}@several(
// MADE: @gicc_all_reduce_block_f32_sum_by_one_shot_of_any_size(ptr %{{.*}}, ptr %{{.*}}, i64 8,
// MADE: @gicc_all_reduce_grid_u32_max_by_ring_of_any_size(
// MADE: @gicc_all_reduce_part_grid_bf16_min_by_two_shot_of_any_size(
// MADE: @gicc_all_gather_block_f32_by_direct_of_any_size(
// MADE: @gicc_all_gather_part_block_f32_by_ring_of_any_size(
gpu.module @kernels {
  gicc.team @column pes(3) start(1) stride(2)
  gpu.func @several(%x: memref<8xf32>, %all: !llvm.ptr, %n: i64, %s: i32) kernel {
    gicc.all_reduce block sum %x, %x : memref<8xf32>, memref<8xf32>
    gicc.all_reduce grid max %all, %all count %n of i32 unsigned algorithm(ring) : !llvm.ptr, !llvm.ptr, i64
    gicc.all_reduce grid min %all, %all count %n of bf16 algorithm(two_shot) part(%s, %s, %s) : !llvm.ptr, !llvm.ptr, i64
    gicc.all_gather block %all, %x : !llvm.ptr, memref<8xf32>
    gicc.all_gather block %all, %x algorithm(ring) in @column : !llvm.ptr, memref<8xf32>
    gpu.return
  }
}
