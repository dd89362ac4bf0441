// A buffer whose address is moved to a peer and stored through there: peers do the same, so the own one is what they write, and
// reads of it behind the poll receive, those through the non-coherent path too. A buffer that is not moved is none.
// RUN: %gicc explain %s --format json | %python %S/summary.py | FileCheck %s

struct heap {
  char *base;
  char *const *peers;
};

template <typename T> static __device__ T *at_peer(heap h, T *own, int me, int pe) {
  if (me == pe) return own;
  return (T *)(h.peers[pe] + ((char *)own - h.base));
}

static __device__ int ld_nc(const int *p) {
  int value;
  asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(value) : "l"(p));
  return value;
}

// CHECK-LABEL: exchange
extern "C" __global__ void exchange(heap h, int *landing, unsigned *arrived, const int *mine, const int *table, int *out,
                                    int me, int pe) {
  at_peer(h, landing, me, pe)[threadIdx.x] = mine[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(at_peer(h, arrived, me, pe)) : "memory");
    unsigned seen;
    do {
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
    } while (seen != 1);
  }
  __syncthreads();
  // CHECK: local-load [[#@LINE-17]]
  // CHECK-NOT: local-load
  out[threadIdx.x] = ld_nc(landing + threadIdx.x) + table[threadIdx.x];
}
