// Data of all threads to a peer, block barrier, one thread's release of a flag; the other side polls with a time limit.
#include "device.h"

struct Team {
  float *data[8];
  u64 *signal[8];
  u32 *error;
  int rank, size;
};

extern "C" __global__ void __launch_bounds__(256) put(Team team, const float *source, int count, int peer, u64 value) {
  float *destination = team.data[peer];
  for (int i = thread_index(); i < count; i += block_size()) destination[i] = source[i] * 2.0f;
  block_barrier();
  if (thread_index() == 0)
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(team.signal[peer]), "l"(value) : "memory");
}

extern "C" __global__ void __launch_bounds__(256) wait(Team team, float *out, int count, u64 value, u64 limit) {
  __shared__ int ready;
  if (thread_index() == 0) {
    u64 start, now, seen;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    ready = 1;
    do {
      asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(seen) : "l"(team.signal[team.rank]) : "memory");
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
      if (now - start > limit) {
        ready = 0;
        __atomic_store_n(team.error, 1u, __ATOMIC_RELAXED);
        break;
      }
    } while (seen < value);
  }
  block_barrier();
  if (ready)
    for (int i = thread_index(); i < count; i += block_size()) out[i] = team.data[team.rank][i];
}
