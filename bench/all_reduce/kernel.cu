// All-reduce inside a running kernel: `iterations` of them, each ended by the grid's meeting, so that rounds never overlap.
// `compiled` leaves the algorithm to the compiler, `one_shot` asks for packets, and `by_hand` is one-shot with flag-in-data
// packets (8 bytes of data, 8 of flag) written out; the latter takes only peers' addresses from gicc.
#include <gicc/gicc.cuh>

extern "C" __global__ void __launch_bounds__(512, 1)
    compiled(long iterations, long count, float *out, const float *in, ulonglong2 *, unsigned *) {
  for (long i = 0; i < iterations; i++) gicc::all_reduce<gicc::grid>(out, in, count);
}

extern "C" __global__ void __launch_bounds__(512, 1)
    one_shot(long iterations, long count, float *out, const float *in, ulonglong2 *, unsigned *) {
  for (long i = 0; i < iterations; i++)
    gicc::all_reduce<gicc::grid>(out, in, count, gicc::reduce::sum, gicc::algorithm::one_shot);
}

typedef unsigned long long u64;

__device__ __forceinline__ void st128(void *p, u64 a, u64 b) {
  asm volatile("{.reg .b128 t; mov.b128 t,{%1,%2}; st.relaxed.sys.global.b128 [%0],t;}" ::"l"(p), "l"(a), "l"(b)
               : "memory");
}
__device__ __forceinline__ void ld128(const void *p, u64 &a, u64 &b) {
  asm volatile("{.reg .b128 t; ld.relaxed.sys.global.b128 t,[%2]; mov.b128 {%0,%1},t;}"
               : "=l"(a), "=l"(b)
               : "l"(p)
               : "memory");
}
__device__ __forceinline__ void meet(unsigned *counter, unsigned goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned v;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0,[%1],1;" : "=r"(v) : "l"(counter) : "memory");
    do asm volatile("ld.acquire.gpu.global.u32 %0,[%1];" : "=r"(v) : "l"(counter) : "memory");
    while (v < goal);
  }
  __syncthreads();
}

// packets: symmetric, two slots of `count / 2` packets, zero at first. counter: zero at first.
extern "C" __global__ void __launch_bounds__(512, 1)
    by_hand(long iterations, long count, float2 *out, const float2 *in, ulonglong2 *packets, unsigned *counter) {
  ulonglong2 *theirs = gicc::peer_ptr(packets, 1 - gicc::my_pe());
  size_t n = count / 2, stride = (size_t)gridDim.x * blockDim.x, k0 = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (long i = 1; i <= iterations; i++) {
    ulonglong2 *mine = packets + (i & 1) * n, *peer = theirs + (i & 1) * n;
    for (size_t k = k0; k < n; k += stride) {
      float2 v = in[k];
      st128(peer + k, *(u64 *)&v, i);
    }
    for (size_t k = k0; k < n; k += stride) {
      u64 a, flag;
      do ld128(mine + k, a, flag);
      while (flag != (u64)i);
      float2 v = in[k], w = *(float2 *)&a;
      out[k] = make_float2(v.x + w.x, v.y + w.y);
    }
    if (gridDim.x > 1) meet(counter, gridDim.x * i);
    else __syncthreads();
  }
}
