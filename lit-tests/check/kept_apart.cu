// Right kernels in which what keeps rounds apart is another thread's, a packet, or an atomic operation, or in which the slot is
// another one by a pointer that shared memory holds: what is not followed is said, and no error is claimed.
// RUN: %gicc check %s | FileCheck %s
// CHECK-NOT: error[
// CHECK: nothing is wrong
// CHECK-NOT: error[
static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
static __device__ void set(unsigned *flag, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
struct Memory {
  float slot[2][256];
  unsigned full[8], empty[8];
};
struct Peers {
  Memory *all[8];
};

// One warp waits for the credit in its own loop, the writers meet it at barriers.
extern "C" __global__ void split_loops(Peers peers, int rank, int pes, float *sum, int rounds) {
  if (rank == 0) {
    if (threadIdx.x < 32) {
      for (int r = 1; r <= rounds; ++r) {
        if (threadIdx.x == 0) while (get(&peers.all[rank]->empty[0]) < r - 1) {}
        asm volatile("bar.sync 1, 256;" ::: "memory");
        asm volatile("bar.sync 2, 256;" ::: "memory");
      }
    } else {
      for (int r = 1; r <= rounds; ++r) {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        peers.all[1]->slot[0][threadIdx.x] = sum[threadIdx.x];
        asm volatile("bar.sync 2, 256;" ::: "memory");
        if (threadIdx.x == 32) set(&peers.all[1]->full[0], r);
      }
    }
  } else {
    for (int r = 1; r <= rounds; ++r) {
      if (threadIdx.x == 0) while (get(&peers.all[rank]->full[0]) < r) {}
      __syncthreads();
      sum[threadIdx.x] += peers.all[rank]->slot[0][threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) set(&peers.all[0]->empty[0], r);
    }
  }
}

// Block 0 waits for the peer and opens a gate of the GPU for the writing blocks.
extern "C" __global__ void gated(Peers peers, int rank, int pes, float *sum, unsigned *gate, int rounds) {
  if (rank == 0) {
    if (blockIdx.x == 0) {
      if (threadIdx.x == 0)
      for (int r = 1; r <= rounds; ++r) {
        while (get(&peers.all[rank]->empty[0]) < r - 1) {}
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(gate), "r"(r) : "memory");
      }
    } else {
      for (int r = 1; r <= rounds; ++r) {
        if (threadIdx.x == 0) { unsigned v; do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(gate) : "memory"); while (v < r); }
        __syncthreads();
        peers.all[1]->slot[0][threadIdx.x] = sum[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) set(&peers.all[1]->full[0], r);
      }
    }
  } else {
    for (int r = 1; r <= rounds; ++r) {
      if (threadIdx.x == 0) while (get(&peers.all[rank]->full[0]) < r) {}
      __syncthreads();
      sum[threadIdx.x] += peers.all[rank]->slot[0][threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) set(&peers.all[0]->empty[0], r);
    }
  }
}

// The pointer to the slot alternates, in shared memory.
extern "C" __global__ void by_shared(Peers peers, int rank, float *sum, int rounds) {
  __shared__ float *to, *from;
  for (int r = 1; r <= rounds; ++r) {
    if (threadIdx.x == 0) { to = peers.all[1 - rank]->slot[r & 1]; from = peers.all[rank]->slot[r & 1]; }
    __syncthreads();
    to[threadIdx.x] = sum[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) { set(&peers.all[1-rank]->full[0], r); while (get(&peers.all[rank]->full[0]) < r) {} }
    __syncthreads();
    sum[threadIdx.x] += from[threadIdx.x];
    __syncthreads();
  }
}

// The reply comes in packets.
struct WithReplies {
  float slot[256];
  unsigned full;
  uint4 reply[256];
};
struct PeersWithReplies {
  WithReplies *all[8];
};
extern "C" __global__ void packet_reply(PeersWithReplies peers, int rank, float *sum, int rounds) {
  if (rank == 0)
    for (unsigned r = 1; r <= rounds; ++r) {
      peers.all[1]->slot[threadIdx.x] = sum[threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) set(&peers.all[1]->full, r);
      // the reply comes in packets
      unsigned a, b, c, d;
      do asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(&peers.all[0]->reply[threadIdx.x]) : "memory"); while (b != r || d != r);
      sum[threadIdx.x] = __uint_as_float(a);
      __threadfence_system();
      __syncthreads();
    }
  else
    for (unsigned r = 1; r <= rounds; ++r) {
      if (threadIdx.x == 0) while (get(&peers.all[rank]->full) < r) {}
      __syncthreads();
      float x = peers.all[rank]->slot[threadIdx.x] + peers.all[rank]->slot[threadIdx.x ^ 1];
      __syncthreads();
      __threadfence_system();
      asm volatile("st.volatile.global.v4.u32 [%0], {%1,%2,%3,%4};" :: "l"(&peers.all[0]->reply[threadIdx.x]), "r"(__float_as_uint(x)), "r"(r), "r"(0), "r"(r) : "memory");
    }
}

// Locks taken with compare-and-swap meet the peer between the reset and the next signal.
struct Flags {
  unsigned lock[8], first[8], second[8];
};
static __device__ bool put_down(unsigned *lock) {
  unsigned before;
  asm volatile("atom.release.sys.global.cas.b32 %0, [%1], 0, 1;" : "=r"(before) : "l"(lock) : "memory");
  return before == 0;
}
static __device__ bool take(unsigned *lock) {
  unsigned before;
  asm volatile("atom.acquire.sys.global.cas.b32 %0, [%1], 1, 0;" : "=r"(before) : "l"(lock) : "memory");
  return before == 1;
}
extern "C" __global__ void cas_meeting(Flags *own, Flags *const *all, Flags *const *locks, int rank, int pes) {
  int peer = threadIdx.x;
  if (peer < pes) {
    own->second[peer] = 0;
    while (!put_down(&locks[peer]->lock[rank])) {}
    while (!take(&locks[rank]->lock[peer])) {}
    *(volatile unsigned *)&all[peer]->first[rank] = 1;
    while (*(volatile unsigned *)&own->first[peer] == 0) {}
  }
  __syncthreads();
  if (peer < pes) {
    set(&all[peer]->second[rank], 1);
    while (get(&own->second[peer]) == 0) {}
  }
}
