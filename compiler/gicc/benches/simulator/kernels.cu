// Kernels that `benches/simulator` runs: loops of plain accesses, and communication between PEs with gicc's primitives.
#include <gicc/gicc.cuh>

__device__ int thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

// A load and a store an iteration, of words that no other thread touches. a: four words a thread.
extern "C" __global__ void own_words(const int *a, int *b, int n) {
  int t = thread_of_grid(), threads = gridDim.x * blockDim.x;
  for (int i = 0; i < n; ++i) b[t] = a[t + (i & 3) * threads] + i;
}

// The same, and each word of a is read by 32 threads.
extern "C" __global__ void shared_words(const int *a, int *b, int n) {
  int t = thread_of_grid();
  for (int i = 0; i < n; ++i) b[t] = a[t + (i & 31)] + i;
}

// One load and one store a thread.
extern "C" __global__ void one_each(const int *a, int *b, int n) {
  int t = thread_of_grid();
  b[t] = a[t] + n;
}

// Each round, every block sends a word a thread to its own index on the next PE, waits for the previous PE's, and gives the
// slot back. Two slots; landing, arrived, credit: symmetric, one signal for each block. first: 1, 1 + rounds, …
extern "C" __global__ void put_signal_rounds(float *landing, gicc::signal_t *arrived, gicc::signal_t *credit, const float *source,
                                  float *output, int rounds, unsigned long long first) {
  int me = gicc::my_pe(), n = gicc::n_pes();
  int next = (me + 1) % n, previous = (me + n - 1) % n;
  long from = (long)blockIdx.x * blockDim.x, words = (long)gridDim.x * blockDim.x;
  float sum = 0;
  for (unsigned long long round = first; round < first + rounds; ++round) {
    float *slot = landing + (round & 1) * words + from;
    if (round > 2) gicc::wait<gicc::block>(credit + blockIdx.x, gicc::cmp::ge, round - 2, next);
    gicc::put_signal<gicc::block>(slot, source + from, blockDim.x, arrived + blockIdx.x, round, next);
    gicc::wait<gicc::block>(arrived + blockIdx.x, gicc::cmp::ge, round, previous);
    sum += slot[threadIdx.x];
    gicc::signal<gicc::block>(credit + blockIdx.x, round, previous);
  }
  output[from + threadIdx.x] = sum;
}

// One-shot all-reduce: every block sends its words to all PEs, and adds up what it got from all. Two slots, so that nobody
// waits for readers: who has got round r from a peer knows that the peer has read round r - 1. slots: 2 * n_pes times the
// words of the grid; arrived: n_pes signals for each block.
extern "C" __global__ void all_reduce(float *slots, gicc::signal_t *arrived, const float *source, float *output, int rounds,
                           unsigned long long first) {
  int me = gicc::my_pe(), n = gicc::n_pes();
  long from = (long)blockIdx.x * blockDim.x, words = (long)gridDim.x * blockDim.x;
  float sum = 0;
  for (unsigned long long round = first; round < first + rounds; ++round) {
    float *half = slots + (round & 1) * n * words + from;
    for (int i = 0; i < n; ++i)
      gicc::put_signal<gicc::block>(half + me * words, source + from, blockDim.x, arrived + me * gridDim.x + blockIdx.x,
                                    round, (me + i) % n);
    for (int pe = 0; pe < n; ++pe) {
      gicc::wait<gicc::block>(arrived + pe * gridDim.x + blockIdx.x, gicc::cmp::ge, round, pe);
      sum += half[pe * words + threadIdx.x];
    }
  }
  output[from + threadIdx.x] = sum;
}

// All blocks of the grid meet: the last one that arrives tells the others, so that all have to be resident. count: one word,
// zero at first; told: one signal.
extern "C" __global__ void grid_meets(unsigned int *count, gicc::signal_t *told, float *output) {
  if (gicc::arrive(count)) gicc::signal<gicc::block>(told, 1, gicc::my_pe());
  gicc::wait<gicc::block>(told, gicc::cmp::ge, 1, gicc::my_pe());
  output[thread_of_grid()] = 1;
}
