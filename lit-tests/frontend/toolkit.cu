// With NVIDIA's headers the same source compiles, and libdevice supplies the mathematical functions.
// REQUIRES: cuda-headers
// RUN: %cuda-gicc %s -o %t.ptx
// RUN: FileCheck --implicit-check-not=.extern %s < %t.ptx
// RUN: %cuda-gicc %s -o - --emit llvm --stop-after frontend | FileCheck --check-prefix=NV %s
// NV: call {{.*}}float @__nv_sinf(
// CHECK: .visible .entry _Z1kPfPmii(
#include <cuda_fp16.h>
#include <gicc/gicc.cuh>

__global__ void k(float *f, unsigned long *flag, int n, int pe) {
  f[threadIdx.x] = sinf(f[threadIdx.x]) + __half2float(__float2half(f[0]));
  gicc::put_signal<gicc::block>(f, f, n, flag, 1, pe);
}
