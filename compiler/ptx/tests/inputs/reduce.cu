// Shuffles, votes, matches and an atomic; a device function that is not inlined, a switch and a constant table.
#include "device.h"

__constant__ u32 weights[4] = {1, 10, 100, 1000};

__device__ __noinline__ u32 weigh(u32 value, u32 which) {
  switch (which) {
  case 0: return value + 1;
  case 1: return value * value;
  case 2: return value ^ 0x55;
  case 3: return __builtin_popcount(value);
  case 4: return value >> 3 | value << 29;
  case 5: return value / 7;
  default: return value * weights[which & 3];
  }
}

extern "C" __global__ void reduce(const u32 *in, u32 *sum, u32 *ballots, const u32 *which) {
  u32 t = thread_index();
  u32 value = weigh(in[t], which[t]);
  u32 mask = __nvvm_vote_ballot_sync(0xffffffffu, value & 1);
  u32 same = __nvvm_match_any_sync_i32(0xffffffffu, value & 3);
  for (int offset = 16; offset > 0; offset /= 2) value += __nvvm_shfl_sync_bfly_i32(0xffffffffu, value, offset, 31);
  __shared__ u32 partial[32];
  if (t % 32 == 0) {
    partial[t / 32] = value;
    ballots[t / 32] = mask;
  }
  block_barrier();
  if (t < 32) {
    u32 part = t < block_size() / 32 ? partial[t] : 0;
    asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(part));
    if (t == 0) __atomic_fetch_add(sum, part, __ATOMIC_RELAXED);
  }
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; @p st.global.u32 [%0], %1; }" ::"l"(ballots + 32 + t / 32), "r"(same)
               : "memory");
}
