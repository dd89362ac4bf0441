// Fences that are needless, too many, too wide or too strong, each beside one that is needed. That less is enough is what the
// memory model says of the kernel's small launches.
// RUN: %gicc check %s | FileCheck %s
// RUN: not %gicc check %s --deny redundant-fence > %t
// RUN: %gicc check %s --format json | FileCheck %s --check-prefix=JSON
// RUN: %gicc check %s --format sarif | FileCheck %s --check-prefix=SARIF
#include <gicc/gicc.cuh>

// JSON: "confirmed": "confirmed"
// JSON: "name": "redundant-fence"
// JSON: "severity": "warning"
// SARIF: "level": "warning"
// SARIF: "ruleId": "C0204"

static __device__ void st_release(unsigned *flag) { asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory"); }
static __device__ void st_relaxed(unsigned *flag) { asm volatile("st.relaxed.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory"); }
static __device__ unsigned ld_relaxed(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
static __device__ unsigned ld_acquire(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

// CHECK: performance[C0204] redundant-fence, in `redundant`
// CHECK: the fence (`fence.sc.sys`) orders nothing that is not ordered without it
// CHECK: without it no launch of the kernel has a race
// CHECK: this orders what comes before it
// CHECK: fences.cu:[[@LINE+6]]:
// CHECK: help: leave the fence out
extern "C" __global__ void redundant(int *data, unsigned *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(data, 1) = 7;
    __threadfence_system();
    st_release(gicc::peer_ptr(flag, 1));
  } else {
    while (ld_acquire(flag) != 1) {}
    *out = *data;
  }
}

// The reader's fences are sequentially consistent too, else this would be wrong.
// CHECK: performance[C0201] fence-per-thread, in `per_thread`
// CHECK: every thread executes the fence (`fence.sc.sys`), and one thread signals for them all
// CHECK: fences.cu:[[@LINE+6]]:
// CHECK: let the thread that signals release behind the barrier
// CHECK-NOT: performance[
extern "C" __global__ void per_thread(int *data, unsigned *flag, int *out) {
  if (gicc::my_pe() == 0) {
    gicc::peer_ptr(data, 1)[threadIdx.x] = 7;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) st_relaxed(gicc::peer_ptr(flag, 1));
  } else {
    if (threadIdx.x == 0) {
      while (ld_relaxed(flag) != 1) {}
    }
    __syncthreads();
    __threadfence_system();
    out[threadIdx.x] = data[threadIdx.x];
  }
}

// CHECK: performance[C0203] wide-scope, in `wide`
// CHECK: the fence (`fence.acq_rel.sys`) reaches the whole system, and what depends on it is on this GPU
// CHECK: fences.cu:[[@LINE+6]]:
// CHECK: use gpu scope
extern "C" __global__ void wide(int *data, unsigned *count, unsigned *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (gicc::my_pe() == 0) {
    gicc::peer_ptr(data, 1)[blockIdx.x] = 7;
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    unsigned before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(count) : "memory");
    if (before == 1) {
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
      st_release(gicc::peer_ptr(flag, 1));
    }
  } else if (blockIdx.x == 0) {
    while (ld_acquire(flag) != 1) {}
    *out = data[0] + data[1];
  }
}

// CHECK: performance[C0202] sc-fence, in `strong`
// CHECK: the fence (`fence.sc.sys`) is sequentially consistent, and acquire and release are enough
// CHECK: fences.cu:[[@LINE+7]]:
// CHECK: use `fence.acq_rel.sys`
// CHECK-NOT: performance[
extern "C" __global__ void strong(int *data, unsigned *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(data, 1) = 7;
    __threadfence_system();
    st_relaxed(gicc::peer_ptr(flag, 1));
  } else {
    while (ld_acquire(flag) != 1) {}
    *out = *data;
  }
}

// Each of these is needed as it is.
extern "C" __global__ void needed(int *data, unsigned *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(data, 1) = 7;
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    st_relaxed(gicc::peer_ptr(flag, 1));
  } else {
    while (ld_relaxed(flag) != 1) {}
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    *out = *data;
  }
}

// Each PE sets its own flag and looks at the other's: only sequential consistency keeps both from going on.
extern "C" __global__ void both(unsigned *mine, unsigned *won) {
  if (threadIdx.x != 0) return;
  st_relaxed(mine);
  __threadfence_system();
  if (ld_relaxed(gicc::peer_ptr(mine, 1 - gicc::my_pe())) == 0) st_relaxed(gicc::peer_ptr(won, 0));
}

// The host waits for a word of its own, and what it then reads is nowhere in the launch.
extern "C" __global__ void for_the_host(int *data, unsigned *flag, int *out, volatile unsigned *host) {
  if (threadIdx.x != 0) return;
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(data, 1) = 7;
    st_release(gicc::peer_ptr(flag, 1));
  } else {
    while (ld_acquire(flag) != 1) {}
    *out = *data;
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    *host = 1;
  }
}
