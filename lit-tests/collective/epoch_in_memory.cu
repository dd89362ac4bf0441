// In a function that is not inlined into its kernel the epoch goes to memory at each call, between two meetings of the block.
// RUN: %gicc %s --verify-each --stop-after materialise -o - | FileCheck %s
// RUN: %gicc %s --verify-each -o /dev/null
#include <gicc/gicc.cuh>

// CHECK: define {{.*}}@{{.*}}apart{{.*}}(
// CHECK: call i64 @__gicc_epoch_load()
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: call void @__gicc_epoch_store(
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
__device__ __attribute__((noinline)) void apart(float *p) { gicc::all_reduce(p, p, 8); }
__global__ void k(float *p) {
  apart(p);
  apart(p + 8);
}
