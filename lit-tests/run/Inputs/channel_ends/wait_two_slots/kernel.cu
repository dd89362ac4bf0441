// A wait side with other slots: it would look for messages where none arrive.
#include <gicc/gicc.cuh>
using halo = gicc::channel<float, gicc::protocol::ll, 2, 1024>;
__global__ void wait(halo::storage *words, float *buffer, float *out) {
  halo c("halo", words, buffer);
  const float *slot = c.wait<gicc::block>(1024, 1 - gicc::my_pe());
  out[threadIdx.x] = slot[threadIdx.x];
}
