// gicc's own primitives: what the device runtime does stands at the user's call.
// RUN: %gicc explain %s | FileCheck %s
#include <gicc/gicc.cuh>
// CHECK: kernel exchange
__global__ void exchange(float *landing, const float *source, gicc::signal_t *arrived, float *out) {
  // CHECK: put_signal
  // CHECK-NEXT: {{remote data store|signal|barrier}}
  // CHECK: moved to another PE's part of the symmetric heap
  gicc::put_signal<gicc::block>(landing, source, 256, arrived, 1, 1 - gicc::my_pe());
  // CHECK: wait
  // CHECK: poll: ld.acquire.sys 8 bytes, `arrived`, by one thread of the block
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 1 - gicc::my_pe());
  // CHECK: out[threadIdx.x]
  // CHECK-NEXT: load of what a peer wrote: ld 4 bytes, `landing`
  out[threadIdx.x] = landing[threadIdx.x];
}
