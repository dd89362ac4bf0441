// Peers from a host program's table, and slots that a loop writes in each round: the peer must have read a slot before it is
// written again.
// RUN: not %gicc check %s > %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=ONLY < %t

static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
static __device__ void set(unsigned *flag, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
static __device__ void set_relaxed(unsigned *flag, unsigned value) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

struct Memory {
  float slot[2][256];
  unsigned full[8], empty[8];
};
struct Peers {
  Memory *all[8];
};

static __device__ void send(Peers peers, int rank, int pes, float value, int slot, int round) {
  peers.all[(rank + 1) % pes]->slot[slot][threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0) set(&peers.all[(rank + 1) % pes]->full[0], round);
}
static __device__ float receive(Peers peers, int rank, int slot, int round) {
  if (threadIdx.x == 0) while (get(&peers.all[rank]->full[0]) < round) {}
  __syncthreads();
  return peers.all[rank]->slot[slot][threadIdx.x];
}

// Nothing says that the peer has read.
// CHECK: error[C0109] slot-reused, in `never_told`
// CHECK: nothing between waits for the peer to have read it
// CHECK: peers.all[(rank + 1) % pes]->slot[slot][threadIdx.x] = value;
// CHECK: the peer reads it here
// CHECK: witness: `ld 4 bytes (line 35)` {{.*}} It is the store of the next round.
extern "C" __global__ void never_told(Peers peers, int rank, int pes, float *sum, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    send(peers, rank, pes, sum[threadIdx.x], 0, round);
    sum[threadIdx.x] += receive(peers, rank, 0, round);
    __syncthreads();
  }
}

// The peer says so with a relaxed flag.
// CHECK: error[C0109] slot-reused, in `told_relaxed`
// CHECK: does not put the peer's read ahead of it
// CHECK: this tells that it was read
extern "C" __global__ void told_relaxed(Peers peers, int rank, int pes, float *sum, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    send(peers, rank, pes, sum[threadIdx.x], 0, round);
    sum[threadIdx.x] += receive(peers, rank, 0, round);
    __syncthreads();
    if (threadIdx.x == 0) {
      set_relaxed(&peers.all[(rank + pes - 1) % pes]->empty[0], round);
      while (get(&peers.all[rank]->empty[0]) < round) {}
    }
    __syncthreads();
  }
}

// An elected thread says so before the others have read.
// CHECK: error[C0109] slot-reused, in `told_too_early`
extern "C" __global__ void told_too_early(Peers peers, int rank, int pes, float *sum, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    send(peers, rank, pes, sum[threadIdx.x], 0, round);
    sum[threadIdx.x] += receive(peers, rank, 0, round);
    if (threadIdx.x == 0) {
      set(&peers.all[(rank + pes - 1) % pes]->empty[0], round);
      while (get(&peers.all[rank]->empty[0]) < round) {}
    }
    __syncthreads();
  }
}

static __device__ void send_to_all(Peers peers, int pes, float value, int round) {
  if (threadIdx.x < pes) {
    peers.all[threadIdx.x]->slot[0][0] = value;
    set(&peers.all[threadIdx.x]->full[0], round);
  }
}

// The writer and the readers have loops of their own.
// CHECK: error[C0109] slot-reused, in `two_loops`
extern "C" __global__ void two_loops(Peers peers, int rank, int pes, float *sum, int rounds) {
  if (rank == 0)
    for (int round = 1; round <= rounds; ++round) send_to_all(peers, pes, sum[threadIdx.x], round);
  else
    for (int round = 1; round <= rounds; ++round) {
      if (threadIdx.x == 0) {
        while (get(&peers.all[rank]->full[0]) < round) {}
        sum[0] += peers.all[rank]->slot[0][0];
      }
    }
}

// What peers pull is written again before they have.
// CHECK: error[C0109] slot-reused, in `pulled`
extern "C" __global__ void pulled(Peers peers, int rank, int pes, float *sum, int rounds) {
  int peer = (rank + 1) % pes;
  for (int round = 1; round <= rounds; ++round) {
    peers.all[rank]->slot[0][threadIdx.x] = sum[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      set(&peers.all[peer]->full[0], round);
      while (get(&peers.all[rank]->full[0]) < round) {}
    }
    __syncthreads();
    sum[threadIdx.x] += peers.all[peer]->slot[0][threadIdx.x];
  }
}

// ONLY-NOT: C0109{{.*}}right_
// Right: behind a barrier of the readers, with release and acquire.
extern "C" __global__ void right_told(Peers peers, int rank, int pes, float *sum, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    send(peers, rank, pes, sum[threadIdx.x], 0, round);
    sum[threadIdx.x] += receive(peers, rank, 0, round);
    __syncthreads();
    if (threadIdx.x == 0) {
      set(&peers.all[(rank + pes - 1) % pes]->empty[0], round);
      while (get(&peers.all[rank]->empty[0]) < round) {}
    }
    __syncthreads();
  }
}

// Right: two slots, and who has signalled twice has read the first.
extern "C" __global__ void right_alternates(Peers peers, int rank, int pes, float *sum, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    send(peers, rank, pes, sum[threadIdx.x], round & 1, round);
    sum[threadIdx.x] += receive(peers, rank, round & 1, round);
    __syncthreads();
  }
}

// Right: another slot for each round.
extern "C" __global__ void right_moves(Peers peers, int rank, int pes, float *sum, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    peers.all[(rank + 1) % pes]->slot[0][round * 32 + threadIdx.x] = sum[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      set(&peers.all[(rank + 1) % pes]->full[0], round);
      while (get(&peers.all[rank]->full[0]) < round) {}
    }
    __syncthreads();
    sum[threadIdx.x] += peers.all[rank]->slot[0][round * 32 + threadIdx.x];
  }
}

// Right: a round waits for the credits of the round before.
extern "C" __global__ void right_credit(Peers peers, int rank, int pes, float *sum, int rounds) {
  if (rank == 0)
    for (int round = 1; round <= rounds; ++round) {
      if (threadIdx.x < pes) while (get(&peers.all[rank]->empty[threadIdx.x]) < round - 1) {}
      __syncthreads();
      send_to_all(peers, pes, sum[threadIdx.x], round);
    }
  else
    for (int round = 1; round <= rounds; ++round) {
      if (threadIdx.x == 0) {
        while (get(&peers.all[rank]->full[0]) < round) {}
        sum[0] += peers.all[rank]->slot[0][0];
      }
      __syncthreads();
      if (threadIdx.x < pes) set(&peers.all[threadIdx.x]->empty[rank], round);
    }
}
