// The whole CUDA surface compiles without a toolkit, and with one (where it is found) the same file does.
// RUN: %gicc %s -o %t.ptx
// RUN: FileCheck --implicit-check-not=__nv_ %s < %t.ptx
// CHECK: .visible .entry everything(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && alignof(double2) == 16 && sizeof(float3) == 12);
static_assert(sizeof(__half2) == 4 && sizeof(__nv_bfloat16) == 2 && alignof(uchar4) == 4);

template <class T, class = std::enable_if_t<std::is_floating_point_v<T>>> __device__ T twice(T x) { return x + x; }

extern "C" __global__ void __launch_bounds__(256)
    everything(float *f, double *d, int *i, unsigned *u, unsigned long long *q, __half *h, __half2 *h2, __nv_bfloat16 *b,
               const __grid_constant__ float4 constant) {
  __shared__ int tile[256];
  const dim3 size = blockDim;
  const int t = threadIdx.x + threadIdx.y * size.x;
  tile[t] = i[t] + warpSize;
  __syncthreads();
  i[0] = __syncthreads_count(t > 3) + __syncthreads_and(t) + __syncthreads_or(t);
  i[1] = __shfl_sync(~0u, t, 3) + __shfl_up_sync(~0u, t, 1) + __shfl_down_sync(~0u, t, 1) + __shfl_xor_sync(~0u, t, 1);
  d[0] = __shfl_xor_sync(~0u, d[1], 4);
  q[0] = __shfl_down_sync(~0u, q[1], 4);
  u[0] = __ballot_sync(~0u, t) + __any_sync(~0u, t) + __all_sync(~0u, t) + __activemask();
  u[1] = __match_any_sync(~0u, t) + __reduce_add_sync(~0u, u[2]) + __reduce_max_sync(~0u, u[3]);
  __syncwarp();
  atomicAdd(i, 1), atomicAdd(f, 1.0f), atomicAdd(d, 1.0), atomicAdd(q, 1ull), atomicSub(i, 1), atomicExch(f, 2.0f);
  atomicMin(i, 1), atomicMax(u, 1u), atomicInc(u, 7u), atomicDec(u, 7u), atomicAnd(u, 1u), atomicOr(q, 1ull), atomicXor(i, 1);
  u[4] = atomicCAS(u, 1u, 2u) + (unsigned)atomicCAS(q, 1ull, 2ull);
  atomicAdd_system(i, 1), atomicAdd_block(f, 1.0f), atomicCAS_system(q, 1ull, 2ull), atomicMax_block(i, 4);
  atomicAdd(h2, __floats2half2_rn(1, 2));
  __threadfence(), __threadfence_block(), __threadfence_system();
  f[1] = __ldg(f + 2) + __ldcg(f + 3);
  __stwt(i + 9, 4), __stcg(i + 10, 5), __stcs(f + 11, 1.0f);
  f[12] = __ldca(f + 13) + __ldcs(f + 14);
  q[2] = clock64() + clock() + __globaltimer();
  __nanosleep(10);
  i[2] = __popc(u[1]) + __clz(t) + __ffs(t) + __popcll(q[1]) + __clzll(q[1]);
  u[5] = __brev(u[1]) + __byte_perm(u[1], u[2], 0x3210) + __funnelshift_l(u[1], u[2], 3) + __umulhi(u[1], u[2]);
  f[4] = __int_as_float(i[3]) + __uint_as_float(u[3]);
  d[2] = __longlong_as_double(q[3]) + __hiloint2double(1, 2);
  q[4] = __cvta_generic_to_shared(tile) + __cvta_generic_to_global(f) + __isShared(tile) + __isGlobal(f);
  if (t > 1000000) __trap();
  assert(t >= 0);
  if (t == 77) printf("%d %f\n", t, f[1]);
  float4 v = make_float4(1, 2, 3, 4);
  f[5] = v.x + constant.w + make_uint2(1, 2).y;
  f[6] = sqrtf(f[7]) + rsqrtf(f[7]) + fabsf(f[7]) + fminf(f[7], f[8]) + fmaf(f[7], f[8], f[9]) + expf(f[7]) + logf(f[7]) +
         sinf(f[7]) + cosf(f[7]) + tanhf(f[7]) + powf(f[7], f[8]) + floorf(f[7]) + rintf(f[7]) + fmodf(f[7], f[8]) +
         erff(f[7]) + __expf(f[7]) + __sinf(f[7]) + __fdividef(f[7], f[8]) + std::sqrt(f[9]) + twice(f[9]);
  d[3] = sqrt(d[4]) + exp(d[4]) + log(d[4]) + sin(d[4]) + pow(d[4], d[5]) + tanh(d[4]) + floor(d[4]) + atan2(d[4], d[5]);
  f[10] = std::numeric_limits<float>::max() + min(t, 3) + max(u[1], 4u) + fmin(f[1], f[2]);
  i[4] = __float2int_rn(f[1]) + __double2int_rz(d[1]) + (std::isnan(f[1]) ? 1 : 0);
  h[0] = __hfma(h[1], h[2], __float2half(f[1]));
  b[0] = __hadd(b[1], __float2bfloat16(f[2]));
}
