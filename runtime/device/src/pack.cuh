// Between bytes and packets. A packet carries 8 bytes of data and 8 of flag, or 12 and 4; packet k of a message holds its
// bytes from k times that on, and the last one may hold fewer. An empty message is one packet. Sources and destinations that
// are aligned to words go in words; all others byte by byte, out of line.
#pragma once

/// Data and flag as the two halves of a packet.
struct Packet {
  uint64_t low, high;
};

/// Bytes of data in a packet, and the words in which source and destination are accessed.
template <int Data, class Word> struct Form {
  static constexpr int data = Data;
  static constexpr uint32_t word = sizeof(Word);

  /// A packet of the data at from, of which there are `bytes` bytes at least.
  GICC_RT Packet read(const char *from, uint64_t flag, uint32_t bytes = Data) {
    const Word *w = (const Word *)from;
    uint64_t part[3] = {0, 0, 0};
#pragma unroll
    for (uint32_t i = 0; i < Data / word; i++)
      if (i * word < bytes) part[i] = w[i];
    if constexpr (word == 8) return {part[0], flag};
    else return {part[0] | part[1] << 32, Data == 12 ? part[2] | flag << 32 : flag};
  }

  /// The data of a packet to to, `bytes` of it.
  GICC_RT void write(char GICC_GLOBAL *to, gicc_v2i64 packet, uint32_t bytes = Data) {
    Word GICC_GLOBAL *w = (Word GICC_GLOBAL *)to;
    const uint64_t part[3] = {(uint64_t)packet.x, (uint64_t)packet.x >> 32, (uint64_t)packet.y};
#pragma unroll
    for (uint32_t i = 0; i < Data / word; i++)
      if (i * word < bytes) w[i] = (Word)part[i];
  }
};

/// A packet's high half is the flag, or has it in its high 32 bits.
GICC_RT int64_t flag_mask(int data) { return data == 12 ? (int64_t)0xffffffff00000000u : -1; }
GICC_RT int64_t flag_bits(int data, uint64_t flag) { return (int64_t)(data == 12 ? flag << 32 : flag); }

GICC_RT void store_packet(char *to, Packet p) {
  __gicc_store_b128(to, (int64_t)p.low, (int64_t)p.high, GICC_ORDER_RELAXED, GICC_SCOPE_SYS);
}

/// Stores a message's packets. A thread's loads are under way together.
template <class Group, class F> GICC_RT void pack_words(char *to, const char *from, uint32_t bytes, uint64_t flag) {
  const uint32_t whole = bytes / F::data, rest = bytes - whole * F::data, stride = Group::count();
  uint32_t k = Group::rank();
#pragma clang loop unroll(disable)
  while (k < whole && whole - k > stride) {
    Packet a = F::read(from + (uint64_t)k * F::data, flag);
    Packet b = F::read(from + (uint64_t)(k + stride) * F::data, flag);
    store_packet(to + (uint64_t)k * GICC_PACKET_BYTES, a);
    store_packet(to + (uint64_t)(k + stride) * GICC_PACKET_BYTES, b);
    k += 2 * stride;
  }
  if (k < whole) {
    store_packet(to + (uint64_t)k * GICC_PACKET_BYTES, F::read(from + (uint64_t)k * F::data, flag));
    k += stride;
  }
  if (k == whole && (rest != 0 || bytes == 0))
    store_packet(to + (uint64_t)k * GICC_PACKET_BYTES, F::read(from + (uint64_t)k * F::data, flag, rest));
}

/// The packets at `place` and those `stride` further, N of them, when all carry the flag. False where the wait gave up.
template <int N> GICC_RT bool fetch(char *place, uint64_t stride, int64_t flag, int64_t mask, int32_t pe, gicc_v2i64 *w) {
  uint64_t since = 0;
  do {
#pragma clang loop unroll(disable)
    for (int i = 0; i < GICC_POLLS; i++) {
      bool all = true;
      // Those that have come, too: a load that depends on a compare would wait for the loads before it.
#pragma unroll
      for (int u = 0; u < N; u++) w[u] = packet_load(place + u * stride);
#pragma unroll
      for (int u = 0; u < N; u++) all &= packet_is(w[u], flag, mask);
      if (all) return true;
    }
    int late = 0;
    for (int u = N - 1; u >= 0; u--)
      if (!packet_is(w[u], flag, mask)) late = u;
    // The flag as a number.
    int shift = mask == -1 ? 0 : 32;
    uint64_t seen = (uint64_t)(late == 0 ? w[0].y : w[N - 1].y) >> shift;
    since = gicc_rt_keep_waiting(place + late * stride, GICC_COMPARE_EQ, (uint64_t)flag >> shift, seen, pe, since);
  } while (since != 0);
  return false;
}

/// Polls a message's packets and stores their data. False where the wait gave up.
template <class Group, class F>
GICC_RT bool unpack_words(char *packets, char GICC_GLOBAL *to, uint32_t bytes, uint64_t flag, int32_t pe) {
  const uint32_t whole = bytes / F::data, rest = bytes - whole * F::data, stride = Group::count();
  const int64_t bits = flag_bits(F::data, flag), mask = flag_mask(F::data);
  uint32_t k = Group::rank();
  gicc_v2i64 w[2];
#pragma clang loop unroll(disable)
  while (k < whole && whole - k > stride) {
    if (!fetch<2>(packets + (uint64_t)k * GICC_PACKET_BYTES, (uint64_t)stride * GICC_PACKET_BYTES, bits, mask, pe, w))
      return false;
    F::write(to + (uint64_t)k * F::data, w[0]);
    F::write(to + (uint64_t)(k + stride) * F::data, w[1]);
    k += 2 * stride;
  }
  if (k < whole) {
    if (!fetch<1>(packets + (uint64_t)k * GICC_PACKET_BYTES, 0, bits, mask, pe, w)) return false;
    F::write(to + (uint64_t)k * F::data, w[0]);
    k += stride;
  }
  if (k == whole && (rest != 0 || bytes == 0)) {
    if (!fetch<1>(packets + (uint64_t)k * GICC_PACKET_BYTES, 0, bits, mask, pe, w)) return false;
    F::write(to + (uint64_t)k * F::data, w[0], rest);
  }
  return true;
}

/// Sources and destinations of any alignment.
extern "C" __device__ void gicc_rt_pack(char *to, const char *from, uint32_t bytes, int32_t data, uint64_t flag,
                                        unsigned rank, unsigned count);
extern "C" __device__ bool gicc_rt_unpack(char *packets, char GICC_GLOBAL *to, uint32_t bytes, int32_t data,
                                          uint64_t flag, int32_t pe, unsigned rank, unsigned count);

/// Whether bytes at an address can go in words of so many; elements of that alignment were checked before.
GICC_RT bool in_words(const void *p, int64_t bytes, int32_t element, int32_t word) {
  return element % word == 0 || (((uint64_t)p | (uint64_t)bytes) & (uint64_t)(word - 1)) == 0;
}

/// Sends bytes as packets to `to` on a peer.
template <class Group>
GICC_RT void pack(char *to, const char *from, int64_t bytes, int32_t element, int32_t data, uint64_t flag) {
  uint32_t n = (uint32_t)bytes;
  if (data == 12 && in_words(from, bytes, element, 4)) pack_words<Group, Form<12, uint32_t>>(to, from, n, flag);
  else if (data == 8 && in_words(from, bytes, element, 8)) pack_words<Group, Form<8, uint64_t>>(to, from, n, flag);
  else if (data == 8 && element % 4 == 0) pack_words<Group, Form<8, uint32_t>>(to, from, n, flag);
  else gicc_rt_pack(to, from, n, data, flag, Group::rank(), Group::count());
}

/// Takes bytes out of packets of this PE.
template <class Group>
GICC_RT bool unpack(char *packets, char *to, int64_t bytes, int32_t element, int32_t data, uint64_t flag, int32_t pe) {
  uint32_t n = (uint32_t)bytes;
  char GICC_GLOBAL *t = (char GICC_GLOBAL *)to;
  if (data == 12 && in_words(to, bytes, element, 4)) return unpack_words<Group, Form<12, uint32_t>>(packets, t, n, flag, pe);
  if (data == 8 && in_words(to, bytes, element, 8)) return unpack_words<Group, Form<8, uint64_t>>(packets, t, n, flag, pe);
  if (data == 8 && element % 4 == 0) return unpack_words<Group, Form<8, uint32_t>>(packets, t, n, flag, pe);
  return gicc_rt_unpack(packets, t, n, data, flag, pe, Group::rank(), Group::count());
}
