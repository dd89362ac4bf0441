// channel, protocol simple. The put side waits for a credit, stores into the slot, meets, and says with release how many
// messages have been sent; the wait side polls that count, and when the slot has been read gives it back with release, so
// that the reads come before the next message's writes. The four counters only grow; `sent` and `received` are this
// side's own, `arrived` and `credited` are set by the peer.
#include "runtime.cuh"
#include "poll.cuh"
#include "transfer.cuh"

template <class Group>
GICC_RT void channel_put(gicc_channel_state *state, void *dst, const void *src, int64_t bytes, int64_t capacity,
                         int32_t element, int32_t slots, int32_t pe) {
  if (!signal_ok<Group>(state, pe, sizeof *state)) return;
  if (__builtin_expect(bytes > capacity, 0)) {
    if (Group::speaks())
      gicc_rt_fail(GICC_ERROR_CODE_OVER_CAPACITY, pe, 0, dst, (uint64_t)bytes, (uint64_t)capacity);
    return;
  }
  uint64_t sent = state->sent;
  char *slot = (char *)dst + (int64_t)(sent % (uint32_t)slots) * capacity;
  if (!transfer_ok<Group>(slot, src, bytes, element, pe)) return;
  if (sent >= (uint32_t)slots) {
    uint64_t seen;
    bool free = poll_together<Group>(&state->credited, GICC_COMPARE_GT, sent - (uint32_t)slots, pe, seen);
    if (!broadcast(Group(), free)) return;
  }
  put_checked<Group>(slot, src, bytes, pe);
  // All stores of the group come before the release, and all its threads have read `sent`.
  Group::meet();
  if (Group::speaks()) state->sent = sent + 1;
  send_signal<Group>(&state->arrived, (int64_t)(sent + 1), GICC_SIGNAL_OP_SET, GICC_ORDER_RELEASE, pe);
}

template <class Group>
GICC_RT void *channel_wait(gicc_channel_state *state, void *dst, int64_t capacity, int32_t slots, int32_t pe) {
  if (!signal_ok<Group>(state, pe, sizeof *state)) return nullptr;
  uint64_t received = state->received;
  uint64_t seen;
  bool here = poll_together<Group>(&state->arrived, GICC_COMPARE_GT, received, pe, seen);
  return broadcast(Group(), here) ? (char *)dst + (int64_t)(received % (uint32_t)slots) * capacity : nullptr;
}

template <class Group> GICC_RT void channel_done(gicc_channel_state *state, int32_t pe) {
  if (!signal_ok<Group>(state, pe, sizeof *state)) return;
  uint64_t received = state->received;
  // All have read the slot, and `received`.
  Group::meet();
  if (Group::speaks()) state->received = received + 1;
  send_signal<Group>(&state->credited, (int64_t)(received + 1), GICC_SIGNAL_OP_SET, GICC_ORDER_RELEASE, pe);
  // The group's next call reads `received`.
  Group::meet();
}

#define GICC_CHANNEL(group, Group)                                                                                     \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_channel_put_##group(                                \
      void *state, void *dst, const void *src, int64_t bytes, int64_t capacity, int32_t element, int32_t slots,        \
      int32_t, int32_t pe) {                                                                                           \
    channel_put<Group>((gicc_channel_state *)state, dst, src, bytes, capacity, element, slots, pe);                    \
    Group::meet();                                                                                                     \
  }                                                                                                                    \
  extern "C" __device__ __attribute__((always_inline)) void *__gicc_channel_wait_##group(                              \
      void *state, void *dst, int64_t capacity, int32_t, int32_t slots, int32_t, int32_t pe) {                         \
    return channel_wait<Group>((gicc_channel_state *)state, dst, capacity, slots, pe);                                 \
  }                                                                                                                    \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_channel_done_##group(                               \
      void *state, int32_t, int32_t, int32_t, int32_t pe) {                                                            \
    channel_done<Group>((gicc_channel_state *)state, pe);                                                              \
  }
GICC_CHANNEL(thread, Thread)
GICC_CHANNEL(warp, Warp)
GICC_CHANNEL(block, Block)
