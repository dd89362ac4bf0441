// barrier: the blocks of one index on all PEs meet. Every PE has one word for each of its blocks and each PE; PE s sets
// word s of every peer to the epoch, one release publishing for all of them, and each word is polled by a thread of its
// own, so that a wait that reaches its bound names the PE that did not come. Epochs only grow and live in the workspace,
// so nothing is reset between barriers or launches.
#include "runtime.cuh"
#include "poll.cuh"

extern "C" __device__ __attribute__((always_inline)) void __gicc_barrier_block() {
  int32_t me = __gicc_my_pe(), pes = __gicc_n_pes();
  uint32_t block = block_in_grid();
  if (block >= GICC_MAX_BARRIER_BLOCKS || (uint64_t)(block + 1) * (uint32_t)pes > GICC_BARRIER_WORDS) {
    if (Block::speaks())
      gicc_rt_fail(GICC_ERROR_CODE_TOO_MANY_BLOCKS, -1, 0, __gicc_workspace(), GICC_BARRIER_WORDS / (uint32_t)pes,
                   block);
    return;
  }
  char *workspace = (char *)__gicc_workspace();
  uint64_t *arrivals = (uint64_t *)(workspace + GICC_BARRIER_ARRIVALS) + (uint64_t)block * (uint32_t)pes;
  uint64_t *epochs = (uint64_t *)(workspace + GICC_BARRIER_EPOCHS) + block;
  uint64_t epoch = *epochs + 1;
  // All have read the epoch, and all that the block wrote comes before the release.
  Block::meet();
  if (Block::speaks()) {
    *epochs = epoch;
    __gicc_publish(GICC_SCOPE_AUTO, 0, -1);
#pragma clang loop unroll(disable)
    for (int32_t pe = 0; pe < pes; pe++)
      if (pe != me) __gicc_signal_set(peer_address(arrivals + me, pe), (int64_t)epoch, GICC_ORDER_RELAXED, pe);
  }
  for (uint32_t pe = thread_in_block(); pe < (uint32_t)pes; pe += threads_of_block()) {
    uint64_t seen;
    if (pe != (uint32_t)me && !poll_until(arrivals + pe, GICC_COMPARE_GE, epoch, (int32_t)pe, seen)) break;
  }
  Block::meet();
}
