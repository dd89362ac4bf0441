// What the CUDA surface computes: bits, conversions, shuffles, votes, atomics, 16-bit floats, mathematics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// One block of 64 threads; each thread fills its own column of `words`, `reals` and `halves`.
__global__ void compute(const unsigned *input, const float *numbers, unsigned *words, float *reals, __half *halves,
                        __nv_bfloat16 *brains, unsigned *counters) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, x = input[t], y = input[(t + 1) % 64], *w = words + t;
  float a = numbers[t], b = numbers[(t + 1) % 64], *r = reals + t;
  int n = 0;
  w[64 * n++] = __popc(x);
  w[64 * n++] = __clz(x >> (t % 32));
  w[64 * n++] = __ffs(x & -x);
  w[64 * n++] = __brev(x);
  w[64 * n++] = __byte_perm(x, y, 0x6420);
  w[64 * n++] = __funnelshift_l(x, y, t);
  w[64 * n++] = __funnelshift_r(x, y, t);
  w[64 * n++] = __umulhi(x, y);
  w[64 * n++] = (unsigned)__float2int_rn(a * 1000);
  w[64 * n++] = (unsigned)__float2int_rz(a * 1000);
  w[64 * n++] = __float_as_uint(a);
  w[64 * n++] = __shfl_xor_sync(0xffffffffu, x, 5);
  w[64 * n++] = __shfl_down_sync(0xffffffffu, x, 3);
  w[64 * n++] = __shfl_up_sync(0xffffffffu, x, 3, 16);
  w[64 * n++] = __shfl_sync(0xffffffffu, x, 9, 16);
  w[64 * n++] = __ballot_sync(0xffffffffu, x & 1);
  w[64 * n++] = __any_sync(0xffffffffu, x == y) * 2 + __all_sync(0xffffffffu, x != 0);
  w[64 * n++] = __match_any_sync(0xffffffffu, x % 4);
  w[64 * n++] = __reduce_add_sync(0xffffffffu, x % 1000);
  w[64 * n++] = __reduce_max_sync(0xffffffffu, x);
  w[64 * n++] = __syncthreads_count(x & 2);
  tile[t] = x;
  __syncthreads();
  w[64 * n++] = tile[63 - t];
  atomicAdd(counters, x % 7);
  atomicMax(counters + 1, x);
  atomicMin(counters + 2, x);
  atomicXor(counters + 3, x);
  atomicInc(counters + 4, 9);
  for (unsigned old = counters[5], seen;; old = seen) {
    seen = atomicCAS(counters + 5, old, old + 3);
    if (seen == old) break;
  }
  atomicAdd((float *)counters + 6, 1.0f);
  atomicExch(counters + 7, 77);

  n = 0;
  r[64 * n++] = sqrtf(fabsf(a)) + fmaf(a, b, 1.0f) + fmaxf(a, b) + floorf(a * 10) + rintf(b * 10);
  r[64 * n++] = expf(a) + logf(fabsf(a) + 0.1f);
  r[64 * n++] = sinf(a * 20) + cosf(b * 20) + tanhf(a);
  r[64 * n++] = powf(fabsf(a) + 0.5f, b * 3);
  r[64 * n++] = (float)(exp((double)a) + sin((double)b) + sqrt(fabs((double)a)));
  r[64 * n++] = fmodf(a * 100, 7.0f) + roundf(b * 10) + truncf(a * 10);
  halves[t] = __hfma(__float2half(a), __float2half(b), __float2half(0.5f));
  halves[64 + t] = __low2half(__hadd2(__floats2half2_rn(a, b), __float2half2_rn(1.0f)));
  brains[t] = __hmul(__float2bfloat16(a), __float2bfloat16(b));
}
