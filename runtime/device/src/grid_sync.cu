// grid_sync: all blocks of the grid on this PE meet. One 64-bit counter in the workspace: the first block adds 2^63 minus
// the other blocks, each of these adds one, so every meeting turns the top bit over and leaves the rest as it was, whatever
// the size of the grid. A block waits until the top bit is another one than it found. Causality: every block's writes, its
// meeting, its count (which continues the others' release), the polls, the meetings behind them.
#include "runtime.cuh"
#include "poll.cuh"

/// Polls until the counter's top bit is another one than in `before`. Bounded as all polls are.
GICC_RT void poll_turned(void *counter, uint64_t before) {
  uint64_t since = 0, seen;
  do {
#pragma clang loop unroll(disable)
    for (int i = 0; i < GICC_POLLS; i++) {
      seen = (uint64_t)__gicc_count_poll(counter);
      if ((int64_t)(seen ^ before) < 0) return;
    }
    since = gicc_rt_keep_waiting(counter, GICC_COMPARE_NE, before, seen, __gicc_my_pe(), since);
  } while (since != 0);
}

extern "C" __device__ __attribute__((always_inline)) void __gicc_grid_sync() {
  uint64_t *counter = (uint64_t *)((char *)__gicc_workspace() + GICC_GRID_COUNTER);
  Block::meet();
  if (blocks_of_grid() == 1) return;
  if (Block::speaks()) {
    uint64_t others = (uint64_t)blocks_of_grid() - 1;
    uint64_t turn = block_in_grid() == 0 ? ((uint64_t)1 << 63) - others : 1;
    uint64_t before = (uint64_t)__gicc_count_add(counter, (int64_t)turn);
    // The block that turned the bit itself, being the last, need not look; its own addition shows in the sum.
    if ((int64_t)((before + turn) ^ before) >= 0) poll_turned(counter, before);
  }
  Block::meet();
}
