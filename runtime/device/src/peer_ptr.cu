// peer_ptr: the address of a symmetric object on a peer.
#include "runtime.cuh"

extern "C" __device__ __attribute__((always_inline)) void *__gicc_peer_ptr(void *p, int32_t pe) {
  if (__builtin_expect(in_team(pe) && symmetric(p, 1), 1)) return peer_address(p, pe);
  gicc_rt_fail_transfer(p, p, 1, 1, pe);
  return nullptr;
}
