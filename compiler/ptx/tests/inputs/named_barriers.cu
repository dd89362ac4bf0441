// Producer and consumer warps meet at named barriers whose numbers are in registers; system-scope fences and counters.
#include "device.h"

__device__ inline void sync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ inline void arrive(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

extern "C" __global__ void __launch_bounds__(64) pipeline(const u32 *in, u32 *out, u32 *counter, u32 *flag, u32 steps) {
  __shared__ u32 slot[32];
  u32 lane = thread_index() % 32;
  if (thread_index() < 32) {
    for (u32 i = 0; i < steps; ++i) {
      sync(2, 64);
      slot[lane] = in[i * 32 + lane];
      arrive(1, 64);
    }
  } else {
    arrive(2, 64);
    for (u32 i = 0; i < steps; ++i) {
      sync(1, 64);
      out[i * 32 + lane] = slot[lane] + i;
      if (i + 1 < steps) arrive(2, 64);
    }
  }
  __nvvm_membar_sys();
  block_barrier();
  if (thread_index() == 0) {
    u32 before;
    asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
    if (before == 3) {
      asm volatile("fence.acq_rel.sys;" ::: "memory");
      asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(steps) : "memory");
    }
  }
}
