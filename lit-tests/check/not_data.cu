// What looks like a read of what a peer sent, and is none: the plain load for a variable of the thread's own, which a library
// chooses where an address is one; and the address of a flag that comes out of a table.
// RUN: %gicc check %s | FileCheck %s
// CHECK-NOT: error[
// CHECK: {{nothing is wrong|0 findings of correctness}}

// As libcu++ loads an atomic object, and adds to one.
static __device__ unsigned long long load_acquire(const unsigned long long *flag) {
  if (__nvvm_isspacep_local(flag)) return *flag;
  unsigned long long seen;
  asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(seen) : "l"(flag) : "memory");
  return seen;
}
static __device__ void add_release(unsigned long long *flag) {
  if (__nvvm_isspacep_local(flag)) *flag += 1;
  else asm volatile("red.release.sys.add.u64 [%0], 1;" ::"l"(flag) : "memory");
}
// The threads that wait at the end go on alone, and nobody reads behind it.
struct Channel { unsigned long long *remote, *inbound, *expected; };
__global__ void pull_then_meet(Channel *channels, void *const *remote, float4 *buffer, float4 *result, int n) {
  __shared__ Channel local[4];
  if (threadIdx.x < 4) local[threadIdx.x] = channels[threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float4 sum = buffer[i];
    for (int p = 0; p < 4; p++) {
      float4 v = ((float4 *)remote[p])[i];
      sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    for (int p = 0; p < 4; p++) ((float4 *)remote[4 + p])[i] = sum;
    result[i] = sum;
  }
  __syncthreads();
  if (threadIdx.x < 4) {
    add_release(local[threadIdx.x].remote);
    unsigned long long e = *local[threadIdx.x].expected + 1;
    *local[threadIdx.x].expected = e;
    while (load_acquire(local[threadIdx.x].inbound) < e) {}
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
