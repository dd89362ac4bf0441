// What only some blocks wait for is not what brings the data that all blocks read: nothing is known of what orders that. Where
// all blocks wait, the wait has to order it.
// RUN: %gicc check %s | FileCheck %s
// RUN: not %gicc check %s -DALL | FileCheck %s --check-prefix=ALL

// CHECK-NOT: error[
// CHECK: note[C0303] undecided, in `roles`
// CHECK: blocks that do not wait read it too
// CHECK-NOT: error[
// CHECK: 1 kernel: nothing is wrong

// ALL: error[C0114] no-order, in `roles`
#ifdef ALL
#define SOME_BLOCKS true
#else
#define SOME_BLOCKS blockIdx.x % 2 == 0
#endif

struct Memory {
  unsigned flag[8];
  int data[1024];
};
extern "C" __global__ void roles(Memory *const *all, int rank, int pes, int value, int *out) {
  if (SOME_BLOCKS) {
    for (int peer = 0; peer < pes; ++peer) all[peer]->data[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int peer = 0; peer < pes; ++peer)
        asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(&all[peer]->flag[rank]), "r"(1) : "memory");
      unsigned seen;
      do asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(&all[rank]->flag[0]) : "memory"); while (!seen);
    }
  }
  out[threadIdx.x] = all[rank]->data[threadIdx.x];
}
