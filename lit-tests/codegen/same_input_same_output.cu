// The same input gives the same PTX to the byte; no temporary folder shows in it.
// RUN: %gicc %s -o %t.1.ptx
// RUN: %gicc %s -o %t.2.ptx
// RUN: cmp %t.1.ptx %t.2.ptx
// RUN: FileCheck %s < %t.1.ptx
// CHECK-NOT: gicc-headers
#include <gicc/gicc.cuh>
extern "C" __global__ void k(int *d, const int *s, gicc::signal_t *f) {
  gicc::put_signal<gicc::block>(d, s, atomicAdd(d, 1), f, 1, 0);
}
