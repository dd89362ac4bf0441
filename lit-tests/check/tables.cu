// Peers that come from tables of the host's, in every shape that kernels have: the table's elements in turn, rotated by the
// own rank, from a structure that is passed by value or from memory, through an array of the thread's, with loops that are
// unrolled and loops that are kept. Each kernel signals before its block has met (the barrier behind the poll comes too late for
// that), and each is right with the barrier.
// RUN: not %gicc check %s -DIN_TURN | FileCheck %s --check-prefix=EARLY
// RUN: not %gicc check %s -DROTATED | FileCheck %s --check-prefix=EARLY
// RUN: not %gicc check %s -DIN_TURN -DKEPT | FileCheck %s --check-prefix=EARLY
// RUN: not %gicc check %s -DROTATED -DKEPT | FileCheck %s --check-prefix=EARLY
// RUN: %gicc check %s -DIN_TURN -DMEETS | FileCheck %s --check-prefix=RIGHT
// RUN: %gicc check %s -DROTATED -DMEETS | FileCheck %s --check-prefix=RIGHT
// RUN: %gicc check %s -DIN_TURN -DKEPT -DMEETS | FileCheck %s --check-prefix=RIGHT
// RUN: %gicc check %s -DROTATED -DKEPT -DMEETS | FileCheck %s --check-prefix=RIGHT
// A volatile flag of one byte for each peer, all of which one poll reads as a word.
// RUN: not %gicc check %s -DROTATED -DMEETS -DBYTES | FileCheck %s --check-prefix=BYTES

// RIGHT-NOT: error
// RIGHT: 3 kernels: nothing is wrong

// BYTES: error[C0115] unordered-flag, in `{{.*}}bytes
// BYTES: error[C0115] unordered-flag, in `{{.*}}bytes_at_once
#ifdef IN_TURN
#define PEER(i) (i)
#else
#define PEER(i) ((rank + (i)) % N)
#endif
#ifdef KEPT
#define LOOP _Pragma("nounroll")
#else
#define LOOP _Pragma("unroll")
#endif
constexpr int N = 4;
struct tables {
  float *data[N];
  unsigned *flags[N];
};

static __device__ void meet(unsigned *const *flags, int rank, unsigned epoch) {
#ifdef MEETS
  __syncthreads();
#endif
  if (threadIdx.x < N) {
    // EARLY: error[C0105] no-barrier-before-signal, in `{{.*}}by_value
    // EARLY: tables.cu:[[#@LINE+3]]:
    // EARLY: error[C0105] no-barrier-before-signal, in `{{.*}}by_pointer
    // EARLY: error[C0105] no-barrier-before-signal, in `{{.*}}direct
    asm volatile("st.global.release.sys.b32 [%1], %0;" ::"r"(epoch), "l"(flags[threadIdx.x] + rank) : "memory");
    // EARLY: 3 kernels: 3 findings of correctness
    unsigned seen;
    do {
      asm volatile("ld.global.acquire.sys.b32 %0, [%1];" : "=r"(seen) : "l"(flags[rank] + threadIdx.x) : "memory");
    } while (seen != epoch);
  }
  __syncthreads();
}

#ifndef BYTES
// Through an array of the thread's.
__global__ void by_value(tables t, int rank, unsigned epoch, const float *in, float *out, int n) {
  float *data[N];
  LOOP
  for (int i = 0; i < N; ++i) data[i] = t.data[PEER(i)];
  for (int k = threadIdx.x; k < n; k += blockDim.x) t.data[rank][k] = in[k];
  meet(t.flags, rank, epoch);
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    float sum = 0;
    LOOP
    for (int i = 0; i < N; ++i) sum += data[i][k];
    out[k] = sum;
  }
}

// The tables lie in memory.
__global__ void by_pointer(const tables *t, int rank, unsigned epoch, const float *in, float *out, int n) {
  for (int k = threadIdx.x; k < n; k += blockDim.x) t->data[rank][k] = in[k];
  meet(t->flags, rank, epoch);
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    float sum = 0;
    LOOP
    for (int i = 0; i < N; ++i) sum += t->data[PEER(i)][k];
    out[k] = sum;
  }
}

// A table of pointers as the argument.
__global__ void direct(float *const *data, unsigned *const *flags, int rank, unsigned epoch, const float *in, float *out, int n) {
  for (int k = threadIdx.x; k < n; k += blockDim.x) data[rank][k] = in[k];
  meet(flags, rank, epoch);
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    float sum = 0;
    LOOP
    for (int i = 0; i < N; ++i) sum += data[PEER(i)][k];
    out[k] = sum;
  }
}
#else
union word {
  unsigned char byte[8];
  unsigned long long all;
};
struct flagged {
  float *data[N];
  volatile word *flags[N];
};

// The own word through the table.
__global__ void bytes(flagged t, int rank, const float *in, float *out, int n) {
  for (int k = threadIdx.x; k < n; k += blockDim.x) t.data[rank][k] = in[k];
  __syncthreads();
  if (threadIdx.x < N) t.flags[threadIdx.x]->byte[rank] = 255;
  if (threadIdx.x == 0)
    while (t.flags[rank]->all != 0xffffffffull) {
    }
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    float sum = 0;
    LOOP
    for (int i = 0; i < N; ++i) sum += t.data[PEER(i)][k];
    out[k] = sum;
  }
}

// The own word through a pointer of its own.
__global__ void bytes_at_once(flagged t, volatile word *own, int rank, const float *in, float *out, int n) {
  float *data[N];
  LOOP
  for (int i = 0; i < N; ++i) data[i] = t.data[PEER(i)];
  for (int k = threadIdx.x; k < n; k += blockDim.x) data[0][k] = in[k];
  __syncthreads();
  if (threadIdx.x < N) t.flags[threadIdx.x]->byte[rank] = 255;
  if (threadIdx.x == 0)
    while (own->all != 0xffffffffull) {
    }
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    float sum = 0;
    LOOP
    for (int i = 0; i < N; ++i) sum += data[i][k];
    out[k] = sum;
  }
}
#endif
