// A function that meets the peers is called twice: what stands behind its second call is judged too, though its lines are
// those of the first.
// RUN: not %gicc check %s -DVOLATILE | FileCheck %s --check-prefix=WRONG
// RUN: %gicc check %s | FileCheck %s --check-prefix=RIGHT
// RIGHT: nothing is wrong
#ifdef VOLATILE
#define SIGNAL "st.volatile.global.u32"
#define POLL "ld.volatile.global.u32"
#else
#define SIGNAL "st.release.sys.global.u32"
#define POLL "ld.acquire.sys.global.u32"
#endif

static __device__ void meet(unsigned *const *flags, int rank, unsigned epoch) {
  __syncthreads();
  if (threadIdx.x < 4) {
    // WRONG: error[C0115] unordered-flag
    // WRONG: twice.cu:[[#@LINE+1]]:
    asm volatile(SIGNAL " [%1], %0;" ::"r"(epoch), "l"(flags[threadIdx.x] + rank) : "memory");
    unsigned seen;
    do {
      asm volatile(POLL " %0, [%1];" : "=r"(seen) : "l"(flags[rank] + threadIdx.x) : "memory");
    } while (seen != epoch);
  }
  __syncthreads();
}

__global__ void push(float *const *data, unsigned *const *flags, int rank, unsigned epoch, const float *in, float *out) {
  meet(flags, rank, epoch);
  data[threadIdx.x & 3][rank] = in[threadIdx.x & 3];
  meet(flags, rank, epoch + 1);
  out[threadIdx.x] = data[rank][threadIdx.x & 3];
}
