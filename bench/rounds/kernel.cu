// Strict rounds between two GPUs: PE 0 sends a message of `bytes` bytes, PE 1 replies with 8 bytes when the whole message
// is at its destination, and the next message starts after the reply. Two kernels do it: `put_signal` with gicc's
// primitives, where each block sends one part and signals it, and `by_hand` with wide stores, barriers, one st.release.sys
// and acquire polls written out; the latter takes only peers' addresses from gicc.
#include <gicc/gicc.cuh>

// The 16-byte words of a block's part: whole rows of a word a thread, so that a small message is one block's.
__device__ void part(long words, long &from, long &count) {
  long rows = (words + blockDim.x - 1) / blockDim.x, each = (rows + gridDim.x - 1) / gridDim.x * blockDim.x;
  from = min(blockIdx.x * each, words);
  count = min(each, words - from);
}

// epoch: rounds played in earlier launches, so that flags only grow. flags: one word in 128 bytes for each block.
extern "C" __global__ void __launch_bounds__(512, 1)
    put_signal(long iterations, long bytes, uint4 *message, const uint4 *source, gicc::signal_t *flags, gicc::signal_t *reply,
           unsigned *arrived, unsigned long long *epoch) {
  long from, count;
  part(bytes / 16, from, count);
  gicc::signal_t *flag = flags + blockIdx.x * 16;
  unsigned long long first = *epoch + 1, last = *epoch + iterations;
  if (gicc::my_pe() == 0) {
    for (unsigned long long i = first; i <= last; i++) {
      gicc::put_signal<gicc::block>(message + from, source + from, count, flag, i, 1);
      gicc::wait<gicc::block>(reply, gicc::cmp::ge, i, 1);
    }
  } else {
    for (unsigned long long i = first; i <= last; i++) {
      gicc::wait<gicc::block>(flag, gicc::cmp::ge, i, 0);
      if (threadIdx.x == 0 && (gridDim.x == 1 || gicc::arrive<gicc::thread>(arrived)))
        gicc::signal(reply, i, 0, gicc::op::set, gicc::order::relaxed);
    }
  }
  // Every block has read the epoch: it took part in the last round.
  if (blockIdx.x == 0 && threadIdx.x == 0) *epoch = last;
}

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

__device__ void send(long iterations, u64 first, long words, uint4 *__restrict__ there,
                     const uint4 *__restrict__ source, u64 *flag, u64 *reply) {
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

extern "C" __global__ void __launch_bounds__(512, 1)
    by_hand(long iterations, long bytes, uint4 *message, const uint4 *source, u64 *flags, u64 *reply, unsigned *arrived,
           u64 *epoch) {
  u64 first = *epoch + 1, *flag = flags + blockIdx.x * 16;
  if (gicc::my_pe() == 0)
    send(iterations, first, bytes / 16, gicc::peer_ptr(message, 1), source, gicc::peer_ptr(flag, 1), reply);
  else receive(iterations, first, flag, gicc::peer_ptr(reply, 0), arrived);
  if (blockIdx.x == 0 && threadIdx.x == 0) *epoch = first + iterations - 1;
}
