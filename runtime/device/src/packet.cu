// Packets: words of 16 bytes that are written and read as a whole, so that data and the flag that says so come together. No
// order with anything else is asked for. Addresses and PEs are known to be good here; who calls has checked them.
#include "runtime.cuh"
#include "poll.cuh"
#include "packet.cuh"

extern "C" __device__ __attribute__((always_inline)) void __gicc_packet_store(void *p, int64_t low, int64_t high,
                                                                              int32_t pe) {
  __gicc_store_b128(peer_address(p, pe), low, high, GICC_ORDER_RELAXED, GICC_SCOPE_SYS);
}

extern "C" __device__ __attribute__((always_inline)) gicc_v2i64 __gicc_packet_load(void *p) { return packet_load(p); }

extern "C" __device__ __attribute__((always_inline)) gicc_v2i64 __gicc_packet_wait(void *p, int64_t flag, int64_t mask,
                                                                                   int32_t source_pe) {
  return packet_wait(p, flag, mask, source_pe);
}
