// The same of MLIR input (see units.cu); whether the algorithm is shown as MLIR or not, the PTX is the same, and so is the one from the cache.
// RUN: rm -rf %t && mkdir %t
// RUN: %gicc %s --no-cache --verify-each -o %t/plain.ptx
// RUN: %gicc %s --no-cache --dump-ir-after mlir-expand -o %t/shown.ptx 2> %t/expanded.mlir
// RUN: cmp %t/plain.ptx %t/shown.ptx
// RUN: FileCheck --check-prefix=MLIR %s < %t/expanded.mlir
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %s -o %t/first.ptx
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %s -o %t/second.ptx
// RUN: cmp %t/plain.ptx %t/first.ptx
// RUN: cmp %t/plain.ptx %t/second.ptx
// RUN: FileCheck %s < %t/plain.ptx

// Which algorithm each has is told once, at its place, whether the MLIR is shown or not.
// RUN: %gicc %s --no-cache --check-errors off --remarks human -o %t/plain.ptx 2> %t/plain.err
// RUN: FileCheck --check-prefix=REMARK --implicit-check-not=R0216 %s < %t/plain.err
// RUN: %gicc %s --no-cache --check-errors off --remarks human --dump-ir-after mlir-lower --dump-dir %t/mlir -o %t/shown.ptx 2> %t/shown.err
// RUN: FileCheck --check-prefix=REMARK --implicit-check-not=R0216 %s < %t/shown.err
// RUN: %gicc %s --check-errors off --remarks human --emit mlir -o %t/only.mlir 2> %t/only.err
// RUN: FileCheck --check-prefix=REMARK --implicit-check-not=R0216 %s < %t/only.err
// REMARK: units_mlir.mlir:[[#@LINE+17]]:5: remark[R0216]: all_reduce of f32: chosen at each call: the count is known only at run time
// REMARK: units_mlir.mlir:[[#@LINE+17]]:5: remark[R0216]: all_gather of f32: direct: each PE sends

// IR for LLVM, and what the simulator runs, has everything.
// RUN: %gicc %s --stop-after materialise --verify-each -o %t/whole.ll
// RUN: FileCheck --check-prefix=WHOLE --implicit-check-not='declare {{.*}}@gicc' %s < %t/whole.ll
// RUN: %gicc %s --emit sim -o %t/k.so

// MLIR: llvm.func {{.*}}@gicc_all_reduce_block_f32_sum_by_auto_of_any_size(
// WHOLE: define {{.*}}@gicc_all_reduce_block_f32_sum_by_auto_of_any_size(
// WHOLE: define {{.*}}@gicc_all_reduce_block_f32_sum_by_quick_2(
// CHECK: .visible .entry both(
// CHECK: call.uni (retval0), gicc_all_reduce_block_f32_sum_by_auto_of_any_size,
// CHECK: {{^}}.func {{.*}}gicc_all_gather_block_f32_by_direct_of_any_size(
// CHECK: {{^}}.func {{.*}}gicc_all_reduce_block_f32_sum_by_auto_of_any_size(
gpu.module @kernels {
  gpu.func @both(%data: !llvm.ptr, %all: !llvm.ptr, %count: i64) kernel {
    gicc.all_reduce block sum %data, %data count %count of f32 : !llvm.ptr, !llvm.ptr, i64
    gicc.all_gather block %all, %data count %count of f32 : !llvm.ptr, !llvm.ptr, i64
    gpu.return
  }
}
