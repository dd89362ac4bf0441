// What a poll reads, and what a counter returns, may lie in memory of the thread or the block before it is looked at.
// RUN: %gicc explain %s --format json | %python %S/summary.py | FileCheck %s

struct alignas(16) word {
  unsigned part[4];
};

// CHECK-LABEL: sentinel
// A slot that another PE fills with anything but zeros.
__global__ void sentinel(word *const *slots, int rank, word value, word *out) {
  for (int pe = 0; pe < 4; ++pe) {
    word *to = slots[pe] + rank;
    // CHECK: packet-store [[@LINE+1]]
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(value.part[0]), "r"(value.part[1]),
                 "r"(value.part[2]), "r"(value.part[3]));
  }
  word seen[4];
  bool done = false;
  while (!done) {
    done = true;
    for (int pe = 0; pe < 4; ++pe) {
      word *from = slots[rank] + pe;
      // CHECK: packet-load [[@LINE+1]]
      asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(seen[pe].part[0]), "=r"(seen[pe].part[1]), "=r"(seen[pe].part[2]), "=r"(seen[pe].part[3])
                   : "l"(from));
      for (int i = 0; i < 4; ++i) done &= seen[pe].part[i] != 0;
    }
  }
  for (int pe = 0; pe < 4; ++pe) out[pe] = seen[pe];
}

// CHECK-LABEL: last_block
__global__ void last_block(unsigned *const *flags, int rank, unsigned *count) {
  __shared__ unsigned ticket;
  __syncthreads();
  // CHECK: grid-counter [[@LINE+1]]
  if (threadIdx.x == 0) ticket = atomicAdd(count, 1);
  __syncthreads();
  if (ticket == gridDim.x - 1 && threadIdx.x < 4) {
    // CHECK: signal [[@LINE+1]]
    asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(flags[threadIdx.x] + rank) : "memory");
  }
}
