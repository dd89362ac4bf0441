// Peers from a table in memory, whose pointers the kernel itself writes anew: the slot is another one in each round, and no error
// is claimed. A table that stays as it is in the loop, or gets the same pointer in each round, is one slot, which the peer must
// have read.
// RUN: %gicc check %s -DMOVES | FileCheck %s --check-prefix=MOVES
// RUN: not %gicc check %s > %t
// RUN: FileCheck %s --check-prefix=STAYS < %t

static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
static __device__ void set(unsigned *flag, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

struct Memory {
  float slot[256];
  unsigned full;
};
struct Peers {
  Memory *all[8];
  Memory *both[8][2];
};

// One round: no credit keeps it from the next one.
static __device__ void exchange(Memory *const *all, int rank, int pes, float *sum, int round) {
  int peer = (rank + 1) % pes;
  all[peer]->slot[threadIdx.x] = sum[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    set(&all[peer]->full, round);
    while (get(&all[rank]->full) < round) {}
  }
  __syncthreads();
  sum[threadIdx.x] += all[rank]->slot[threadIdx.x];
  __syncthreads();
}

#ifdef MOVES
// MOVES-NOT: error[
// MOVES: nothing is wrong
// MOVES-NOT: error[
#define KERNEL(name) extern "C" __global__ void name(Peers *peers, int rank, int pes, float *sum, int rounds, Memory **again)
#define ROUNDS for (int round = 1; round <= rounds; ++round)

// One thread moves all of them there and back.
KERNEL(there_and_back) {
  ROUNDS {
    exchange(peers->all, rank, pes, sum, round);
    if (threadIdx.x == 0)
      for (int i = 0; i < pes; ++i) peers->all[i] += (round & 1) ? 1 : -1;
    __syncthreads();
  }
}

// Each thread moves its own.
KERNEL(by_threads) {
  ROUNDS {
    exchange(peers->all, rank, pes, sum, round);
    if (threadIdx.x < pes) peers->all[threadIdx.x] += (round & 1) ? 1 : -1;
    __syncthreads();
  }
}

// Two of them change places.
KERNEL(change_places) {
  ROUNDS {
    exchange(peers->all, rank, pes, sum, round);
    if (threadIdx.x < pes) {
      Memory *now = peers->both[threadIdx.x][0];
      peers->all[threadIdx.x] = peers->both[threadIdx.x][0] = peers->both[threadIdx.x][1];
      peers->both[threadIdx.x][1] = now;
    }
    __syncthreads();
  }
}

// The round picks one.
KERNEL(picked) {
  ROUNDS {
    if (threadIdx.x < pes) peers->all[threadIdx.x] = peers->both[threadIdx.x][round & 1];
    __syncthreads();
    exchange(peers->all, rank, pes, sum, round);
  }
}

// Bits of it change.
KERNEL(by_bits) {
  ROUNDS {
    exchange(peers->all, rank, pes, sum, round);
    if (threadIdx.x < pes) {
      auto *word = (unsigned long long *)&peers->all[threadIdx.x];
      *word ^= sizeof(Memory);
    }
    __syncthreads();
  }
}

KERNEL(by_atomics) {
  ROUNDS {
    exchange(peers->all, rank, pes, sum, round);
    if (threadIdx.x < pes) atomicXor((unsigned long long *)&peers->all[threadIdx.x], sizeof(Memory));
    __syncthreads();
  }
}

KERNEL(by_assembly) {
  ROUNDS {
    exchange(peers->all, rank, pes, sum, round);
    if (threadIdx.x < pes)
      asm volatile("st.global.u64 [%0], %1;" ::"l"(&peers->all[threadIdx.x]), "l"(peers->all[threadIdx.x] + 1) : "memory");
    __syncthreads();
  }
}

// As a whole.
KERNEL(copied) {
  ROUNDS {
    exchange(peers->all, rank, pes, sum, round);
    if (threadIdx.x == 0) __builtin_memcpy(peers->all, peers->both[round & 1], sizeof peers->all);
    __syncthreads();
  }
}

// The loop keeps a copy of its own, and exchanges its halves.
KERNEL(copies_in_turn) {
  Memory *all[8], *next[8];
  __builtin_memcpy(all, peers->all, sizeof all);
  __builtin_memcpy(next, again, sizeof next);
  ROUNDS {
    exchange(all, rank, pes, sum, round);
    Memory *now[8];
    __builtin_memcpy(now, all, sizeof now);
    __builtin_memcpy(all, next, sizeof all);
    __builtin_memcpy(next, now, sizeof next);
  }
}

// The same memory by another name.
KERNEL(renamed) {
  ROUNDS {
    exchange(peers->all, rank, pes, sum, round);
    if (threadIdx.x < pes) again[threadIdx.x] = peers->all[threadIdx.x] + 1;
    __syncthreads();
  }
}

// Another warp's loop does it, and meets this one's.
KERNEL(by_another_warp) {
  if (threadIdx.x < 32)
    ROUNDS {
      exchange(peers->all, rank, pes, sum, round);
      __syncthreads();
    }
  else
    ROUNDS {
      __syncthreads();
      __syncthreads();
      __syncthreads();
      if (threadIdx.x < 32 + pes) peers->all[threadIdx.x - 32] += 1;
      __syncthreads();
    }
}

// The host, or a peer, may do it.
extern "C" __global__ void by_others(Memory *volatile *all, int rank, int pes, float *sum, int rounds) {
  ROUNDS {
    Memory *mine = all[rank], *its = all[(rank + 1) % pes];
    its->slot[threadIdx.x] = sum[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      set(&its->full, round);
      while (get(&mine->full) < round) {}
    }
    __syncthreads();
    sum[threadIdx.x] += mine->slot[threadIdx.x];
    __syncthreads();
  }
}
#else
#define KERNEL(name)                                                                                                         \
  extern "C" __global__ void name(Peers *peers, int rank, int pes, float *sum, int rounds, unsigned long long *count,             \
                              Memory *symmetric)
#define ROUNDS for (int round = 1; round <= rounds; ++round)

// STAYS: error[C0109] slot-reused, in `filled_before`
KERNEL(filled_before) {
  if (threadIdx.x < pes) peers->all[threadIdx.x] = peers->both[threadIdx.x][0];
  __syncthreads();
  ROUNDS exchange(peers->all, rank, pes, sum, round);
}

// STAYS: error[C0109] slot-reused, in `filled_in_each_round`
KERNEL(filled_in_each_round) {
  ROUNDS {
    if (threadIdx.x < pes) peers->all[threadIdx.x] = symmetric + threadIdx.x;
    __syncthreads();
    exchange(peers->all, rank, pes, sum, round);
  }
}

// What is written beside it is no pointer, or no part of it.
// STAYS: error[C0109] slot-reused, in `counts_beside`
KERNEL(counts_beside) {
  ROUNDS {
    exchange(peers->all, rank, pes, sum, round);
    count[threadIdx.x] += count[threadIdx.x + 1];
    if (threadIdx.x == 0) count[round] = round;
  }
}

// STAYS: error[C0109] slot-reused, in `moved_behind`
KERNEL(moved_behind) {
  ROUNDS exchange(peers->all, rank, pes, sum, round);
  if (threadIdx.x < pes) peers->all[threadIdx.x] += 1;
}
// The loop copies the table each time.
// STAYS: error[C0109] slot-reused, in `copied_in_each_round`
KERNEL(copied_in_each_round) {
  ROUNDS {
    Memory *all[8];
    __builtin_memcpy(all, peers->all, sizeof all);
    exchange(all, rank, pes, sum, round);
  }
}
// STAYS: 5 kernels: 5 findings of correctness
#endif
