// get: loads from a peer. The group meets afterwards, so that each of its threads may read all of dst.
#include "runtime.cuh"
#include "transfer.cuh"

#define GICC_GET(group, Group)                                                                                         \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_get_##group(                                        \
      void *dst, const void *src, int64_t bytes, int32_t element, int32_t pe) {                                        \
    if (transfer_ok<Group>(src, dst, bytes, element, pe))                                                              \
      copy_from_global<Group>(dst, peer_address(src, pe), (uint64_t)bytes);                                            \
    Group::meet();                                                                                                     \
  }
GICC_GET(thread, Thread)
GICC_GET(warp, Warp)
GICC_GET(block, Block)
