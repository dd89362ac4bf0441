// What looks like a read of what a peer sent, and is none: the plain load for a variable of the thread's own, which a library
// chooses where an address is one; and the address of a flag that comes out of a table.
// RUN: %gicc check %s | FileCheck %s
// CHECK-NOT: error[
// CHECK: {{nothing is wrong|0 findings of correctness}}

// As libcu++ loads an atomic object.
static __device__ unsigned load_acquire(const unsigned *flag) {
  if (__nvvm_isspacep_local(flag)) return *flag;
  unsigned seen;
  asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  return seen;
}
static __device__ void store_release(unsigned *flag, unsigned value) {
  if (__nvvm_isspacep_local(flag)) *flag = value;
  else asm volatile("st.release.sys.u32 [%1], %0;" ::"r"(value), "l"(flag) : "memory");
}

// The threads that wait at the end are the only ones; nobody reads behind it.
__global__ void push_then_meet(float4 *const *remote, unsigned *const *flags, unsigned *const *own, int rank,
                               const float4 *in, unsigned epoch) {
  for (int i = 0; i < 4; i++) remote[i][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 4) {
    store_release(flags[threadIdx.x] + rank, epoch);
    while (load_acquire(own[threadIdx.x]) < epoch) {}
  }
}

// As DeepEP's and FlashComm's barriers: the flag is taken back by the poll, and its address is read again each time.
__global__ void meet(unsigned *const *flags, int rank) {
  __threadfence_system();
  if (threadIdx.x < 4) {
    while (atomicCAS_system(flags[threadIdx.x] + rank, 0u, 1u) != 0) {}
    while (atomicCAS_system(flags[rank] + threadIdx.x, 1u, 0u) != 1) {}
  }
  __threadfence_system();
}
