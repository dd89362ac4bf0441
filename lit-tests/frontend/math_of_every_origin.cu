// Mathematical functions compile for GPUs and for the simulator, with gicc's own surface and functions and with NVIDIA's
// headers and libdevice, and with one of each.
// REQUIRES: cuda-headers
// RUN: %gicc %s -o %t.ptx
// RUN: %gicc %s --emit sim -o %t.so
// RUN: %cuda-gicc %s -o %t.cuda.ptx
// RUN: %cuda-gicc %s --emit sim -o %t.so
// RUN: env GICC_LIBDEVICE= %gicc-binary %s -o %t.headers.ptx
// RUN: env GICC_LIBDEVICE= %gicc-binary %s --emit sim -o %t.so
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s < %t.cuda.ptx
// RUN: FileCheck %s < %t.headers.ptx
// CHECK-NOT: .extern .func
// CHECK: .entry m(
extern "C" __global__ void m(float *o, double *d, unsigned *u) {
  int i = threadIdx.x;
  float x = o[i];
  o[i] = fabsf(x) + sinf(x) + __expf(x) + floorf(x) + __int_as_float(__float_as_int(x) + 1) + rsqrtf(x) + fminf(x, 1.0f) +
         tanhf(x) + powf(x, 1.5f) + erff(x) + __uint2float_rn(u[i]);
  d[i] = exp(d[i]) + norm3d(d[i], 1.0, 2.0) + sqrt(d[i]) + fma(d[i], d[i], d[i]) + __ll2double_rn(__double_as_longlong(x));
  u[i] = __clz(u[i]) + __popc(u[i]) + __brev(u[i]) + __byte_perm(u[i], 1, 0x3210) + __umulhi(u[i], 7u);
}
