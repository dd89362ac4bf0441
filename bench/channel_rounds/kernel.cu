// Strict rounds between two GPUs over channels: PE 0 sends a message of `bytes` bytes, PE 1 replies with 8 bytes when the
// whole message is at its destination, and the next message starts after the reply. Each block sends a part of the message
// through a channel of its own: protocol `ll` with 8 or 12 bytes of data in a packet, `automatic`, `simple`. Beside them the
// best that was written by hand (by_hand.cuh).
#include <gicc/gicc.cuh>
#include "by_hand.cuh"

// The 16-byte words of a block's part: rows of half a word a thread, which is a packet of 8 bytes each, so that a small
// message is one block's, and a larger one is spread as widely as packets can be.
__device__ void part(long words, long &from, long &count, unsigned block) {
  const long row = blockDim.x / 2;
  long rows = (words + row - 1) / row, each = (rows + gridDim.x - 1) / gridDim.x * row;
  from = min(block * each, words);
  count = min(each, words - from);
}

template <class Channel>
__device__ void play(long iterations, long bytes, void *storage, uint4 *slots, const uint4 *source, u64 *reply,
                     unsigned *arrived, u64 first) {
  long from, count;
  part(bytes / 16, from, count, blockIdx.x);
  Channel c((typename Channel::storage *)storage + blockIdx.x, slots + blockIdx.x * Channel::buffer_elements);
  if (gicc::my_pe() == 0) {
    for (u64 i = first; i < first + iterations; i++) {
      c.template put<gicc::block>(source + from, count, 1);
      gicc::wait<gicc::block>(reply, gicc::cmp::ge, i, 1);
    }
  } else {
    for (u64 i = first; i < first + iterations; i++) {
      c.template wait<gicc::block>(count, 0);
      if (threadIdx.x == 0 && (gridDim.x == 1 || gicc::arrive<gicc::thread>(arrived)))
        gicc::signal(reply, i, 0, gicc::op::set, gicc::order::relaxed);
      c.template done<gicc::block>(0);
    }
  }
}

// Eight slots as large as the messages ask for: 4 KB, 32 KB, 128 KB, 1 MB.
template <gicc::protocol P, gicc::packet F>
__device__ void rounds(long iterations, long bytes, void *storage, uint4 *slots, const uint4 *source,
                       u64 *reply, unsigned *arrived, u64 *epoch) {
  constexpr int n = 8;
  u64 first = *epoch + 1;
  long from, count;
  part(bytes / 16, from, count, 0);
  if (count <= 256)
    play<gicc::channel<uint4, P, n, 256, F>>(iterations, bytes, storage, slots, source, reply, arrived, first);
  else if (count <= 2048)
    play<gicc::channel<uint4, P, n, 2048, F>>(iterations, bytes, storage, slots, source, reply, arrived, first);
  else if (count <= 8192)
    play<gicc::channel<uint4, P, n, 8192, F>>(iterations, bytes, storage, slots, source, reply, arrived, first);
  else play<gicc::channel<uint4, P, n, 65536, F>>(iterations, bytes, storage, slots, source, reply, arrived, first);
  // Every block has read the epoch: it took part in the last round.
  if (blockIdx.x == 0 && threadIdx.x == 0) *epoch = first + iterations - 1;
}

// Where the reply lies decides about a tenth of a short round: a poll that just misses it costs one more. `place` moves it,
// in steps of 64 KB.
#define PLACE 8192

#define ROUNDS(name, P, F)                                                                                             \
  extern "C" __global__ void __launch_bounds__(512, 1)                                                                    \
      name(long iterations, long bytes, void *storage, uint4 *slots, const uint4 *source, u64 *flags, u64 *reply,      \
           unsigned *arrived, u64 *epoch, long place) {                                                                \
    reply += place * PLACE;                                                                                            \
    rounds<gicc::protocol::P, gicc::packet::F>(iterations, bytes, storage, slots, source, reply, arrived, epoch);       \
  }
ROUNDS(ll_8, ll, data_8)
ROUNDS(ll_12, ll, data_12)
ROUNDS(automatic, automatic, automatic)
ROUNDS(simple, simple, automatic)

// The same arguments; packets lie where the channels' storage does, messages where the slots are.
#define BY_HAND(name, Way)                                                                                             \
  extern "C" __global__ void __launch_bounds__(512, 1)                                                                    \
      name(long iterations, long bytes, char *storage, uint4 *slots, const uint4 *source, u64 *flags, u64 *reply,      \
           unsigned *arrived, u64 *epoch, long place) {                                                                \
    reply += place * PLACE;                                                                                            \
    u64 first = *epoch + 1, *flag = flags + blockIdx.x * 16;                                                           \
    if (gicc::my_pe() == 0)                                                                                            \
      by_hand::send<Way>(iterations, first, bytes, gicc::peer_ptr(slots, 1), gicc::peer_ptr(storage, 1), source,       \
                         gicc::peer_ptr(flag, 1), reply);                                                              \
    else by_hand::receive<Way>(iterations, first, bytes, slots, storage, flag, gicc::peer_ptr(reply, 0), arrived);     \
    if (blockIdx.x == 0 && threadIdx.x == 0) *epoch = first + iterations - 1;                                          \
  }
BY_HAND(by_hand_8, by_hand::packets_8)
BY_HAND(by_hand_12, by_hand::packets_12)
BY_HAND(by_hand_simple, by_hand::wide_stores)
