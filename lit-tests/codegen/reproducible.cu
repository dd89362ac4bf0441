// The same input gives the same bytes, wherever the temporary files lie.
// RUN: mkdir -p %t.a %t.b
// RUN: env TMPDIR=%t.a %gicc %s -o %t.1.ptx
// RUN: env TMPDIR=%t.b %gicc %s -o %t.2.ptx
// RUN: cmp %t.1.ptx %t.2.ptx
// RUN: FileCheck --implicit-check-not=%t.a --implicit-check-not=gicc-headers %s < %t.1.ptx
// CHECK: .entry
#include <gicc/gicc.cuh>
__global__ void k(float *to, const float *from, uint64_t *flag, int n, int pe) {
  gicc::put_signal<gicc::block>(to, from, n, flag, 1, pe);
  gicc::wait(flag, gicc::cmp::ge, 1, pe);
}
