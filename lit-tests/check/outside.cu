// Volatile words that nobody in the kernel writes. A loop that works until the host's word tells it to stop, or that counts up to
// such a word, waits for nobody. One that stands still until the word has changed waits for a peer or for the host, and it is not
// said to be the peer. In a kernel that signals, such a loop may be how the peer answers.
// RUN: %gicc check %s -DGOES_ON | FileCheck %s --check-prefix=GOES_ON
// RUN: %gicc check %s -DSTANDS > %t
// RUN: FileCheck %s --check-prefix=STANDS < %t
// RUN: %gicc check %s -DANSWERED | FileCheck %s --check-prefix=ANSWERED

#ifdef GOES_ON
// GOES_ON-NOT: note[
// GOES_ON: 6 kernels: nothing is wrong, 0 findings of performance, 0 notes
extern "C" __global__ void counts(const volatile int *n, float *x) {
  for (int i = 0; i < *n; ++i) x[i] = 2 * x[i];
}
extern "C" __global__ void counts_by_threads(const volatile int *n, float *x) {
  for (int i = threadIdx.x; i < *n; i += blockDim.x) x[i] = 2 * x[i];
}
extern "C" __global__ void counts_down(const volatile int *least, float *out) {
  float sum = 0;
  for (int i = 1000; i > *least; --i) sum += i * sum;
  out[threadIdx.x] = sum;
}
extern "C" __global__ void stops(const volatile int *stop, float *x, const float *y) {
  while (*stop == 0) {
    x[threadIdx.x] += y[threadIdx.x];
    __nanosleep(100);
  }
}
extern "C" __global__ void stops_all(const volatile int *stop, float *x, const float *y, int n) {
  while (!*stop)
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += y[i];
}
extern "C" __global__ void stops_or_ends(const volatile int *stop, float *x, int rounds) {
  for (int round = 0; round < rounds && *stop == 0; ++round) x[threadIdx.x] = x[threadIdx.x] * round;
}
#endif

#ifdef STANDS
// STANDS: note[C0304] unbounded-poll, in `host_go`
// STANDS: the poll ends only when somebody outside of the kernel, a peer or the host, has answered
// STANDS: note[C0309] formal-order, in `host_go`
// STANDS: somebody outside of the kernel, a peer or the host, sets the flag, and may have written what is read
extern "C" __global__ void host_go(const volatile int *go, const float *x, float *y) {
  if (threadIdx.x == 0)
    while (*go == 0) {
    }
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];
}
// A count of its own that ends it all the same is no bound of the word.
// STANDS: note[C0309] formal-order, in `patient`
extern "C" __global__ void patient(const volatile int *go, const float *x, float *y, int most) {
  if (threadIdx.x == 0)
    for (int n = 0; n < most && *go == 0; ++n) {
    }
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];
}
// STANDS: 2 kernels: nothing is wrong
#endif

#ifdef ANSWERED
struct tables {
  volatile int *flags[4];
};
// ANSWERED: note[C0304] unbounded-poll, in `told`
// ANSWERED: the poll ends only when the peer has answered
extern "C" __global__ void told(tables t, int rank, int epoch, float *x) {
  if (threadIdx.x == 0) {
    t.flags[rank ^ 1][0] = epoch;
    while (t.flags[rank][0] != epoch) x[0] += 1;
  }
}
#endif
