// Mathematical functions link without libdevice: none is left undefined in the PTX.
// RUN: %gicc %s -o %t.ptx
// RUN: FileCheck --implicit-check-not=.extern %s < %t.ptx
// CHECK: .visible .entry _Z4mathPfPd(

__global__ void math(float *f, double *d) {
  f[0] = sinf(f[0]) + expf(f[1]) + logf(f[2]) + sqrtf(f[3]) + powf(f[4], f[5]) + fmaxf(f[6], f[7]) + tanhf(f[8]);
  d[0] = exp(d[0]) + sqrt(d[1]) + fabs(d[2]) + floor(d[3]);
}
