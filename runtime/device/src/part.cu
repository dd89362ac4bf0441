// What the functions of collectives of a part of the PEs need: whether there are such PEs, the epochs of pairs, a barrier.
//
// Parts of the PEs differ in how often they communicate, so no count of the block alone could be the flag of a round. Each
// block counts, for every other PE, the rounds that the two have ended together: of collectives in which both take part. In
// a round each member counts one more with each other member, whether a packet goes between them or not. So:
//
// - Both ends of a pair have the same count before each round: members of two parts come to those in one order, since else
//   each would wait for the other.
// - A count only grows, and its round's slot and flag come from it; what an earlier round left has another flag.
// - A member that ended round e of a pair knows that the other one ended all that it did before its round e: it heard of it
//   in the round, from it or through others. So round e + 1 may overwrite the slot of round e - 1, whose packets the other
//   one has read, whatever part that round was of and whatever the two did with others in between.
//
// - Whatever a block stores depends on all that it polled in the rounds before, as without fences it must: a word of every PE,
//   member or not, is written anew from the reduction that ended the rounds. (Round a ring a block sends to one PE, and what
//   it polled may have come of a part that this one is none of.)
//
// Words and packets of parts are others than those of collectives of all PEs, whose count lives in a register.
#include "runtime.cuh"
#include "poll.cuh"

/// The calling block's memory for parts. A block too many has none: its collectives are refused before they ask.
GICC_RT char *part_memory() {
  uint64_t each = GICC_PART_BYTES * (uint64_t)(uint32_t)__gicc_n_pes();
  return (char *)__gicc_workspace() + __gicc_workspace_bytes() + block_in_grid() * each;
}

GICC_RT uint64_t GICC_GLOBAL *part_epochs() { return (uint64_t GICC_GLOBAL *)part_memory(); }

GICC_RT uint64_t *part_arrivals() {
  return (uint64_t *)(part_memory() + GICC_PART_LINE * (uint64_t)(uint32_t)__gicc_n_pes());
}

/// Whether all PEs of a part exist, and not more than there are packets for each step round a ring.
GICC_RT bool part_exists(int32_t start, int32_t stride, int32_t members) {
  bool numbers = (int)(start >= 0) & (int)(stride >= 1) & (int)(members >= 1);
  bool steps = (uint64_t)members <= GICC_PACKETS_OF_SLOT;
  return (int)numbers & (int)steps & (int)(start + (int64_t)stride * ((int64_t)members - 1) < __gicc_n_pes());
}

/// The number of a PE in a part; -1 where it is none of it.
GICC_RT int32_t rank_in_part(uint32_t pe, int32_t start, int32_t stride, int32_t members) {
  // Below the first PE this is a large number.
  uint32_t behind = pe - (uint32_t)start, step = stride < 1 ? 1 : (uint32_t)stride;
  uint32_t rank = behind / step;
  bool is_member = (int)(rank * step == behind) & (int)(rank < (uint32_t)members) & (int)(members > 0);
  return is_member ? (int32_t)rank : -1;
}

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_part_rank(int32_t start, int32_t stride,
                                                                              int32_t members) {
  return rank_in_part((uint32_t)__gicc_my_pe(), start, stride, members);
}

/// Out of line: finds out which check failed.
extern "C" __device__ __attribute__((noinline, cold)) void gicc_rt_fail_part(int32_t start, int32_t stride,
                                                                             int32_t members) {
  uint64_t shape = (uint64_t)(uint32_t)members | (uint64_t)(uint32_t)stride << 32;
  gicc_rt_fail(GICC_ERROR_CODE_BAD_TEAM, start, GICC_OF_COLLECTIVE, __gicc_workspace(), shape,
               (uint64_t)(uint32_t)__gicc_n_pes());
}

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_part_check(void *out, void *in, int64_t count,
                                                                               int32_t size, int32_t start,
                                                                               int32_t stride, int32_t members) {
  bool is_part = part_exists(start, stride, members);
  bool is_member = __gicc_part_rank(start, stride, members) >= 0;
  if (__builtin_expect((int)is_part & (int)is_member, 1)) return __gicc_collective_check(out, in, count, size);
  if (Block::speaks()) gicc_rt_fail_part(start, stride, members);
  return 0;
}

extern "C" __device__ __attribute__((always_inline)) void *__gicc_part_packets() {
  return part_memory() + 2 * GICC_PART_LINE * (uint64_t)(uint32_t)__gicc_n_pes();
}

extern "C" __device__ __attribute__((always_inline)) int64_t __gicc_part_epoch(int32_t other_pe) {
  return (int64_t)part_epochs()[other_pe];
}

/// As `__gicc_barrier_block`, with the epoch of each pair and `more`.
GICC_RT void meet_part(int32_t start, int32_t stride, int32_t members, uint64_t more) {
  int32_t me = __gicc_my_pe();
  uint64_t GICC_GLOBAL *epochs = part_epochs();
  uint64_t *arrivals = part_arrivals();
  // All that the block wrote comes before the release.
  Block::meet();
  if (Block::speaks()) {
    __gicc_publish(GICC_SCOPE_AUTO, 0, -1);
#pragma clang loop unroll(disable)
    for (int32_t n = 0; n < members; n++) {
      int32_t pe = start + n * stride;
      if (pe != me)
        __gicc_signal_set(peer_address(arrivals + me, pe), (int64_t)(epochs[pe] + more), GICC_ORDER_RELAXED, pe);
    }
  }
  for (uint32_t n = thread_in_block(); n < (uint32_t)members; n += threads_of_block()) {
    int32_t pe = start + (int32_t)n * stride;
    uint64_t seen;
    if (pe != me && !poll_until(arrivals + pe, GICC_COMPARE_GE, epochs[pe] + more, pe, seen)) break;
  }
  Block::meet();
}

// Nothing counts here.
extern "C" __device__ __attribute__((always_inline)) void __gicc_part_barrier_block(int32_t start, int32_t stride,
                                                                                    int32_t members, int64_t rounds) {
  meet_part(start, stride, members, (uint64_t)rounds + 1);
}

// Counts first: what ended before this ended with a meeting of the block, so nobody reads the epochs any more, and the meeting
// in front of the release shows all of them to the thread that signals. What follows depends on the polls by their order.
extern "C" __device__ __attribute__((always_inline)) void __gicc_barrier_part_block(int32_t start, int32_t stride,
                                                                                    int32_t members) {
  if (!__gicc_part_check(nullptr, nullptr, 0, 1, start, stride, members)) return;
  uint64_t GICC_GLOBAL *epochs = part_epochs();
  for (uint32_t n = thread_in_block(); n < (uint32_t)members; n += threads_of_block()) epochs[start + (int32_t)n * stride]++;
  meet_part(start, stride, members, 0);
}

// Behind a meeting of the block: all have read the epochs.
extern "C" __device__ __attribute__((always_inline)) void __gicc_part_end_block(int32_t start, int32_t stride,
                                                                                int32_t members, int64_t rounds) {
  uint64_t GICC_GLOBAL *epochs = part_epochs();
  uint32_t pes = (uint32_t)__gicc_n_pes();
  for (uint32_t pe = thread_in_block(); pe < pes; pe += threads_of_block()) {
    bool is_member = rank_in_part(pe, start, stride, members) >= 0;
    epochs[pe] += is_member ? (uint64_t)rounds : 0;
  }
  Block::meet();
}

// Nothing is left of it: what is checked stood behind it before the link.
extern "C" __device__ __attribute__((always_inline)) void __gicc_part_over() {}
