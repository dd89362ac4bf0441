// put: stores to a peer. Orders nothing; what publishes it comes later.
#include "runtime.cuh"
#include "transfer.cuh"

#define GICC_PUT(group, Group)                                                                                         \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_put_##group(                                        \
      void *dst, const void *src, int64_t bytes, int32_t element, int32_t pe) {                                        \
    if (transfer_ok<Group>(dst, src, bytes, element, pe)) put_checked<Group>(dst, src, bytes, pe);                     \
  }
GICC_PUT(thread, Thread)
GICC_PUT(warp, Warp)
GICC_PUT(block, Block)
