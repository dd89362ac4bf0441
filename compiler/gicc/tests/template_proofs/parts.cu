// Collectives of two parts of the PEs that overlap: PEs 0 and 1, all three, and 0 and 1 again, with nothing between them that
// PEs meet at. The last, or where there is none the second round of the one before it, uses the slot of the first. Behind the
// last, a thread reads a word of the result that another thread stored.
#include <gicc/gicc.cuh>
using namespace gicc;
using u64 = unsigned long long;

constexpr int DISTANCE = 16; // elements between the results of two calls

__device__ void look(const TYPE *out) {
  TYPE v;
  const TYPE *other = out + EACH * ((threadIdx.x ^ 1) % blockDim.x);
  if constexpr (sizeof(TYPE) == 8) asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(other) : "memory");
  else asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(other) : "memory");
}

extern "C" __global__ void parts(TYPE *out, const TYPE *in) {
  const team two(0, 1, 2), three(0, 1, 3);
  if (my_pe() < 2) {
    all_reduce(two, out, in, FIRST * EACH, reduce::sum, algorithm::one_shot);
  }
#ifdef GATHERS
  all_gather(three, out + DISTANCE, in + FIRST * EACH, MIDDLE * EACH, algorithm::WAY);
#else
  all_reduce(three, out + DISTANCE, in + FIRST * EACH, MIDDLE * EACH, reduce::sum, algorithm::WAY);
#endif
#ifndef LAST
  if (my_pe() < 2) {
    all_reduce(two, out + 2 * DISTANCE, in + (FIRST + MIDDLE) * EACH, FIRST * EACH, reduce::sum, algorithm::one_shot);
    look(out + 2 * DISTANCE);
  }
#else
  look(out + DISTANCE);
#endif
}

// A part of two PEs that are not the first ones meets three times: one thread stores at the other PE, another reads there; then what
// was read is overwritten.
extern "C" __global__ void part_barrier(u64 *data) {
  const team two(1, 1, 2);
  u64 *theirs = peer_ptr(data, 3 - my_pe()), v;
  if (threadIdx.x == 1) asm volatile("st.global.u64 [%0], 50;" ::"l"(theirs) : "memory");
  barrier(two);
  if (threadIdx.x == 0) asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(data) : "memory");
  barrier(two);
  if (threadIdx.x == 1) asm volatile("st.global.u64 [%0], 60;" ::"l"(theirs) : "memory");
  barrier(two);
  if (threadIdx.x == 0) asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(data) : "memory");
}

// Without packets: a part of two PEs that are not the first ones meets twice at its barrier.
extern "C" __global__ void part_simple(u64 *out, u64 *in, long n) {
  const u64 mine = 100 * my_pe() + threadIdx.x + 1;
  asm volatile("st.global.u64 [%0], %1;" ::"l"(in + threadIdx.x), "l"(mine) : "memory");
  all_reduce(team(1, 1, 2), out, in, n, reduce::sum, algorithm::two_shot);
  u64 v;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(out + (threadIdx.x ^ 1)) : "memory");
}
