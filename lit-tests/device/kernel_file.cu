// A kernel file as people write them: dynamic shared memory, constants, lambdas, grid constants, inline PTX, host code that
// launches. It needs no toolkit, and the host code is left alone.
// RUN: %gicc %s -o %t.ptx
// RUN: FileCheck --implicit-check-not=cudaConfigureCall %s < %t.ptx
// CHECK: .const .align 4 .b8 table[256]
// CHECK: .visible .entry _Z4kern
#include <cuda_runtime.h>
__constant__ float table[64];
__device__ int counter;
__device__ __noinline__ float helper(float x) { return x * table[3]; }
template <int N, class F> __device__ void apply(float *p, F f) {
#pragma unroll
  for (int i = 0; i < N; i++) p[i] = f(p[i]);
}
struct alignas(16) Arg { float *p; int n; };
extern __shared__ float4 dynamic[];
__global__ void __launch_bounds__(128, 2) kern(const __grid_constant__ Arg a, float *__restrict__ out) {
  dynamic[threadIdx.x].x = a.p[threadIdx.x];
  __syncthreads();
  apply<4>(out, [=] __device__(float v) { return helper(v) + dynamic[0].x; });
  asm volatile("fence.acq_rel.sys;" ::: "memory");
  atomicAdd(&counter, 1);
  uint4 v = *(uint4 *)a.p; *(uint4*)out = v;
  float x = __int2float_rn(a.n) + __fmul_rn(out[1], out[2]) + __fsqrt_rn(out[3]); out[5] = x;
  volatile int *f = (volatile int *)out; while (*f == 0) {}
  dim3 d(1, 2); out[6] = d.y + gridDim.z;
}
void host(float *p) { Arg a{p, 1}; kern<<<1, 2, 3>>>(a, p); kern<<<dim3(1,2), 64>>>(a,p); }
