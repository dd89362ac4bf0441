// The put side of a channel between two modules.
#include <gicc/gicc.cuh>
using halo = gicc::channel<float, gicc::protocol::ll, 4, 1024>;
__global__ void put(halo::storage *words, float *buffer, const float *source) {
  halo c("halo", words, buffer);
  c.put<gicc::block>(source, 1024, 1 - gicc::my_pe());
}
