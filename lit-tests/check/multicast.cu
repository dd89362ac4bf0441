// Multicast accesses in launches: each goes to every PE's copy, and whose memory that is shows by what nothing else writes or
// reads.
// RUN: %gicc check %s -DORDER='"release"' | FileCheck %s --check-prefix=RIGHT
// RUN: not %gicc check %s -DORDER='"relaxed"' | FileCheck %s --check-prefix=RELAXED
// RUN: %gicc check %s -DORDER='"release"' -DTWO_FLAGS | FileCheck %s --check-prefix=OPEN
#include <gicc/gicc.cuh>

static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
static __device__ void add_to_all(unsigned *flags) {
  asm volatile("multimem.red." ORDER ".sys.global.add.u32 [%0], 1;" ::"l"(flags) : "memory");
}

// RIGHT-NOT: error[
// RIGHT: note[C0308] incomplete, in `meets`
// RIGHT: the multicast memory of argument 0 is taken for that of argument 1
// RIGHT-NOT: error[
// RIGHT: nothing is wrong
// RELAXED: error[C0101] missing-release, in `meets`
// RELAXED: multimem.red.relaxed.sys
extern "C" __global__ void meets(unsigned *flags, unsigned *flag, float *data, float *out) {
  gicc::peer_ptr(data, 1 - gicc::my_pe())[threadIdx.x] = 3;
  __syncthreads();
  if (threadIdx.x == 0) {
    add_to_all(flags);
    while (get(flag) < gicc::n_pes()) {}
  }
  __syncthreads();
  out[threadIdx.x] = data[threadIdx.x];
}

// What is written to all may be no memory of the kernel's other arguments: what rests on that guess is no error.
// RELAXED: note[C0303] undecided, in `spreads`
extern "C" __global__ void spreads(unsigned *flags, unsigned *flag, float *all_data, const float *data, double *out) {
  if (gicc::my_pe() == 0)
    asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(all_data + threadIdx.x), "f"(3.0f) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    add_to_all(flags);
    while (get(flag) < gicc::n_pes()) {}
  }
  __syncthreads();
  out[threadIdx.x] = data[threadIdx.x];
}

// RELAXED: note[C0303] undecided, in `reduces`
extern "C" __global__ void reduces(unsigned *flags, unsigned *flag, float *mine, const float *all_mine, double *out) {
  mine[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    add_to_all(flags);
    while (get(flag) < gicc::n_pes()) {}
  }
  __syncthreads();
  float sum;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(sum) : "l"(all_mine + threadIdx.x) : "memory");
  out[threadIdx.x] = sum;
}

#ifdef TWO_FLAGS
// Which of two flags the other PEs reach is not to be seen: what it may order is open.
// OPEN-NOT: error[
// OPEN: note[C0303] undecided, in `one_of_two`
// OPEN: perhaps
// OPEN: a multicast access of memory that is not seen may order them
// OPEN: whose memory is behind a multicast address is not seen
// OPEN: nothing is wrong
extern "C" __global__ void one_of_two(unsigned *flags, unsigned *flag, unsigned *other, float *data, float *out) {
  gicc::peer_ptr(data, 1 - gicc::my_pe())[threadIdx.x] = 3;
  __syncthreads();
  if (threadIdx.x == 0) {
    add_to_all(flags);
    while (get(flag) < gicc::n_pes() && get(other) < gicc::n_pes()) {}
  }
  __syncthreads();
  out[threadIdx.x] = data[threadIdx.x];
}
#endif
