// The peer of `bench/rounds/gicc`: the same rounds with wide stores, barriers, one st.release.sys and acquire polls written
// by hand. From gicc it takes only the peer's address.
#include <gicc/gicc.cuh>

typedef unsigned long long u64;

__device__ __forceinline__ void st_release(u64 *p, u64 v) {
  asm volatile("st.release.sys.global.u64 [%0],%1;" ::"l"(p), "l"(v) : "memory");
}
__device__ __forceinline__ void st_relaxed(u64 *p, u64 v) {
  asm volatile("st.relaxed.sys.global.u64 [%0],%1;" ::"l"(p), "l"(v) : "memory");
}
__device__ __forceinline__ u64 ld_acquire(u64 *p) {
  u64 v;
  asm volatile("ld.acquire.sys.global.u64 %0,[%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ unsigned count_in(unsigned *p) {
  unsigned v;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0,[%1],1;" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ unsigned ld_acquire_gpu(unsigned *p) {
  unsigned v;
  asm volatile("ld.acquire.gpu.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__device__ void send(long iterations, u64 first, long words, uint4 *there, const uint4 *source, u64 *flag, u64 *reply) {
  long stride = (long)gridDim.x * blockDim.x, k0 = (long)blockIdx.x * blockDim.x + threadIdx.x;
  for (u64 i = first; i < first + iterations; i++) {
    long k = k0;
    for (; k + 3 * stride < words; k += 4 * stride) {
      uint4 a = source[k], b = source[k + stride], c = source[k + 2 * stride], d = source[k + 3 * stride];
      there[k] = a, there[k + stride] = b, there[k + 2 * stride] = c, there[k + 3 * stride] = d;
    }
    for (; k < words; k += stride) there[k] = source[k];
    __syncthreads();
    if (threadIdx.x == 0) st_release(flag, i);
    if (threadIdx.x == 0)
      while (ld_acquire(reply) < i) {}
    __syncthreads();
  }
}

__device__ void receive(long iterations, u64 first, u64 *flag, u64 *reply, unsigned *arrived) {
  for (u64 i = first; i < first + iterations; i++) {
    if (threadIdx.x == 0)
      while (ld_acquire(flag) < i) {}
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned goal = gridDim.x * (unsigned)i;
      if (gridDim.x == 1) st_relaxed(reply, i);
      else {
        if (count_in(arrived) == goal - 1) st_relaxed(reply, i);
        while (ld_acquire_gpu(arrived) < goal) {}
      }
    }
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(512)
    rounds(long iterations, long bytes, uint4 *message, const uint4 *source, u64 *flags, u64 *reply, unsigned *arrived,
           u64 *epoch) {
  u64 first = *epoch + 1, *flag = flags + blockIdx.x * 16;
  if (gicc::my_pe() == 0)
    send(iterations, first, bytes / 16, gicc::peer_ptr(message, 1), source, gicc::peer_ptr(flag, 1), reply);
  else receive(iterations, first, flag, gicc::peer_ptr(reply, 0), arrived);
  if (blockIdx.x == 0 && threadIdx.x == 0) *epoch = first + iterations - 1;
}
