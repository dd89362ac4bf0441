// A kernel is launched as it is written for: one that never asks which thread it is, or that says so by its launch bounds,
// with one thread; one that asks with several. Else a race of several threads that all do the same would hide what is missing.
// RUN: not %gicc check %s | FileCheck %s
#include <gicc/gicc.cuh>

// CHECK: error[C0101] missing-release, in `{{.*}}never_asks
// CHECK: one_thread.cu:[[#@LINE+4]]:5
__global__ void never_asks(int *landing, gicc::signal_t *arrived, int *out) {
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(landing, 1) = 42;
    gicc::signal(arrived, 1, 1, gicc::op::set, gicc::order::relaxed);
  } else {
    gicc::wait(arrived, gicc::cmp::ge, 1, 0);
    *out = *landing;
  }
}

// CHECK: error[C0101] missing-release, in `{{.*}}bounded
// CHECK: one_thread.cu:[[#@LINE+4]]:5
__global__ void __launch_bounds__(1) bounded(int *landing, gicc::signal_t *arrived, int *out) {
  if (gicc::my_pe() == 0) {
    gicc::peer_ptr(landing, 1)[threadIdx.x] = 42;
    gicc::signal(arrived, 1, 1, gicc::op::set, gicc::order::relaxed);
  } else {
    gicc::wait(arrived, gicc::cmp::ge, 1, 0);
    out[threadIdx.x] = landing[threadIdx.x];
  }
}

// One thread signals for all, and did not meet them.
// CHECK: error[C0105] no-barrier-before-signal, in `{{.*}}asks
// CHECK: one_thread.cu:[[#@LINE+4]]:27
__global__ void asks(int *landing, gicc::signal_t *arrived, int *out) {
  if (gicc::my_pe() == 0) {
    gicc::peer_ptr(landing, 1)[threadIdx.x] = 42;
    if (threadIdx.x == 0) gicc::signal(arrived, 1, 1);
  } else {
    gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 0);
    out[threadIdx.x] = landing[threadIdx.x];
  }
}

// With launch bounds of one warp there is no second one.
// CHECK: error[C0105] no-barrier-before-signal, in `{{.*}}warp_alone
// CHECK-NOT: thread 32
// CHECK: 4 kernels: 4 findings of correctness
__global__ void __launch_bounds__(32) warp_alone(int *landing, gicc::signal_t *arrived, int *out) {
  if (gicc::my_pe() == 0) {
    gicc::peer_ptr(landing, 1)[threadIdx.x] = 42;
    if (threadIdx.x == 0) gicc::signal(arrived, 1, 1);
  } else {
    gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 0);
    out[threadIdx.x] = landing[threadIdx.x];
  }
}
