// Puts and gets of any size and alignment by each group, one case a block; the bytes around must stay as they were.
#include <gicc/gicc.cuh>

template <gicc::group G> __device__ void transfer(bool pull, char *here, char *landing, const char *source, long bytes) {
  int peer = (gicc::my_pe() + 1) % gicc::n_pes();
  if (pull) gicc::get_bytes<G>(here, source, bytes, peer);
  else gicc::put_bytes<G>(landing, source, bytes, peer);
}

// cases: the offset in the destination, the offset in the source, the size, and which group and direction.
__global__ void transfers(char *landing, char *source, char *pulled, const int *cases, long region) {
  const int *mine = cases + 4 * blockIdx.x;
  char *to = landing + blockIdx.x * region + mine[0], *here = pulled + blockIdx.x * region + mine[0];
  const char *from = source + blockIdx.x * region + mine[1];
  long bytes = mine[2];
  int kind = mine[3] % 3;
  bool pull = mine[3] >= 3;
  if (kind == 0) {
    if (threadIdx.x == 0) transfer<gicc::thread>(pull, here, to, from, bytes);
  } else if (kind == 1) {
    if (threadIdx.x < 32) transfer<gicc::warp>(pull, here, to, from, bytes);
  } else {
    transfer<gicc::block>(pull, here, to, from, bytes);
  }
}
