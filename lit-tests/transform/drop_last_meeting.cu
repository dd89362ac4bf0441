// The blocks of a grid do not meet at the end of a collective that nothing follows; they do where a block may still look at
// what another one wrote, and in a loop.
// RUN: %gicc %s --stop-after materialise -o - | FileCheck %s
#include <gicc/gicc.cuh>

// CHECK-LABEL: define {{.*}}@last(
// CHECK-NOT: @__gicc_grid_sync
// CHECK: ret void
extern "C" __global__ void last(float *out, const float *in, long n) { gicc::all_reduce<gicc::grid>(out, in, n); }

// CHECK-LABEL: define {{.*}}@last_in_a_branch(
// CHECK-NOT: @__gicc_grid_sync
// CHECK: ret void
extern "C" __global__ void last_in_a_branch(float *out, const float *in, long n) {
  if (n > 4) gicc::all_reduce<gicc::grid>(out, in, n);
}

// CHECK-LABEL: define {{.*}}@first_of_two(
// CHECK: call void @__gicc_grid_sync
// CHECK-NOT: @__gicc_grid_sync
// CHECK: ret void
extern "C" __global__ void first_of_two(float *out, const float *in, long n) {
  gicc::all_reduce<gicc::grid>(out, in, n);
  gicc::all_reduce<gicc::grid>(out, out, n);
}

// CHECK-LABEL: define {{.*}}@in_a_loop(
// CHECK: call void @__gicc_grid_sync
// CHECK: ret void
extern "C" __global__ void in_a_loop(float *out, const float *in, long n, int times) {
  for (int i = 0; i < times; i++) gicc::all_reduce<gicc::grid>(out, in, n);
}

// CHECK-LABEL: define {{.*}}@read_afterwards(
// CHECK: call void @__gicc_grid_sync
// CHECK: ret void
extern "C" __global__ void read_afterwards(float *out, const float *in, long n, float *sum) {
  gicc::all_reduce<gicc::grid>(out, in, n);
  if (blockIdx.x == 0 && threadIdx.x == 0) *sum = out[n - 1];
}
