// A wait of gicc's whose failure nothing looks at is a note.
// RUN: %gicc check %s | FileCheck %s
// RUN: not %gicc check %s --deny unchecked-error > %t
#include <gicc/gicc.cuh>

// CHECK: note[C0305] unchecked-error, in `unchecked`
// CHECK: nothing looks whether the wait failed
// CHECK: unchecked.cu:[[@LINE+3]]:
// CHECK: ask gicc::error() or gicc::failed<group>()
extern "C" __global__ void unchecked(const int *landing, gicc::signal_t *arrived, int *out) {
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 0);
  out[threadIdx.x] = landing[threadIdx.x];
}

// CHECK-NOT: C0305
extern "C" __global__ void checked(const int *landing, gicc::signal_t *arrived, int *out) {
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 0);
  if (gicc::failed<gicc::block>()) return;
  out[threadIdx.x] = landing[threadIdx.x];
}

extern "C" __global__ void last(gicc::signal_t *arrived) { gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 0); }
