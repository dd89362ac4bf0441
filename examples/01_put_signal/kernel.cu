// Every PE pushes bytes and floats to the next PE, each block its part, and works on what came from the PE before it.
// Size and alignment are arbitrary on both sides.
#include <gicc/gicc.cuh>

// The part of n elements that this block takes care of.
__device__ void part(long n, long &from, long &count) {
  long each = (n + gridDim.x - 1) / gridDim.x;
  from = min(blockIdx.x * each, n);
  count = min(each, n - from);
}

// landing, float_landing, arrived: symmetric; arrived has one signal for each block. round: 1, 2, …
__global__ void push(unsigned char *landing, float *float_landing, gicc::signal_t *arrived, const unsigned char *source,
                     const float *float_source, unsigned char *output, float *float_output, long n, long m, float scale,
                     unsigned long long round) {
  int next = (gicc::my_pe() + 1) % gicc::n_pes();
  int previous = (gicc::my_pe() + gicc::n_pes() - 1) % gicc::n_pes();
  long from, count, float_from, float_count;
  part(n, from, count);
  part(m, float_from, float_count);

  // The signal publishes both messages: one release for all that the block has stored.
  gicc::put_bytes<gicc::block>(landing + from, source + from, count, next);
  gicc::put_signal<gicc::block>(float_landing + float_from, float_source + float_from, float_count,
                                arrived + blockIdx.x, round, next);

  gicc::wait<gicc::block>(arrived + blockIdx.x, gicc::cmp::ge, round, previous);
  // A wait that gave up: the launcher says who waited for whom.
  if (gicc::failed<gicc::block>()) return;
  for (long i = threadIdx.x; i < count; i += blockDim.x) output[from + i] = landing[from + i] ^ 0x5a;
  for (long i = threadIdx.x; i < float_count; i += blockDim.x)
    float_output[float_from + i] = scale * float_landing[float_from + i] + 1.0f;
}
