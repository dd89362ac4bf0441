// Between bytes and packets. A packet carries 8 bytes of data and 8 of flag, or 12 and 4; packet k of a message holds its
// bytes from k times that on, and the last one may hold fewer. An empty message is one packet. Sources and destinations that
// are aligned to words go in words; all others byte by byte, out of line.
#pragma once

/// Two words as one of 64 bits, through a vector: shifts would be taken apart and moved to the loads.
typedef uint32_t gicc_rt_v2u32 __attribute__((ext_vector_type(2)));
GICC_RT int64_t joined(uint32_t low, uint32_t high) { return __builtin_bit_cast(int64_t, gicc_rt_v2u32{low, high}); }

/// Bytes of data in a packet, and the words in which source and destination are accessed.
template <int Data, class Word> struct Form {
  static constexpr int data = Data;
  static constexpr uint32_t word = sizeof(Word), words = Data / word;

  /// The data of a packet as it was loaded. The words are joined when the packet is stored: what was done with one of them before
  /// would wait for its load, and the loads behind it with it.
  struct Packet {
    Word part[words] = {};
    GICC_RT_MEMBER int64_t low() const {
      if constexpr (word == 8) return (int64_t)part[0];
      else return joined(part[0], part[1]);
    }
    /// With the flag, which has its place in it or is all of it.
    GICC_RT_MEMBER int64_t high(int64_t flag) const {
      if constexpr (Data == 12) return joined(part[2], (uint32_t)((uint64_t)flag >> 32));
      else return flag;
    }
  };

  /// The data at from, of which there are `bytes` bytes at least.
  GICC_RT Packet read(const char *from, uint32_t bytes) {
    Packet p;
#pragma unroll
    for (uint32_t i = 0; i < words; i++)
      if (i * word < bytes) p.part[i] = ((const Word *)from)[i];
    return p;
  }

  /// The data of a packet to to, `bytes` of it.
  GICC_RT void write(char GICC_GLOBAL *to, gicc_v2i64 packet, uint32_t bytes) {
    Word GICC_GLOBAL *w = (Word GICC_GLOBAL *)to;
    const uint64_t part[3] = {(uint64_t)packet.x, (uint64_t)packet.x >> 32, (uint64_t)packet.y};
#pragma unroll
    for (uint32_t i = 0; i < words; i++)
      if (i * word < bytes) w[i] = (Word)part[i];
  }
};

/// A message cut into packets: `whole` full ones, and one of `rest` bytes where that is not 0 or there is no other.
template <class F> struct Cut {
  uint32_t whole, rest, packets;
  GICC_RT_MEMBER Cut(uint32_t bytes)
      : whole(bytes / F::data), rest(bytes - whole * F::data), packets(whole + (rest != 0 || bytes == 0)) {}
  /// Bytes of data in packet k.
  GICC_RT_MEMBER uint32_t bytes_of(uint32_t k) const { return k < whole ? F::data : rest; }
};

/// A packet's high half is the flag, or has it in its high 32 bits.
GICC_RT int64_t flag_mask(int data) { return data == 12 ? (int64_t)0xffffffff00000000u : -1; }
GICC_RT int64_t flag_bits(int data, uint64_t flag) { return (int64_t)(data == 12 ? flag << 32 : flag); }

/// Sends a message's packets. `begin` loads what the thread sends first, so that whatever else has to be found out is found
/// out while its loads are under way; `finish` stores it with the flag, and all the rest. A message of at most one packet a
/// thread has a path of its own, which all threads take alike: lanes of a warp that took different paths would go one after
/// the other.
template <class Group, class F> struct Packer {
  using Packet = typename F::Packet;
  const char *from;
  Cut<F> cut;
  uint32_t k, stride;
  Packet first, second;

  GICC_RT_MEMBER Packer(const char *source, uint32_t bytes)
      : from(source), cut(bytes), k(Group::rank()), stride(Group::count()), first{}, second{} {
    if (k < cut.packets) first = read(k);
    if (cut.packets > stride && cut.packets - stride > k) second = read(k + stride);
  }

  GICC_RT_MEMBER void finish(char *to, int64_t flag) {
    if (k < cut.packets) store(to, k, first, flag);
    if (cut.packets <= stride) return;
    if (cut.packets - stride > k) store(to, k + stride, second, flag);
    k += 2 * stride;
#pragma clang loop unroll(disable)
    while (k < cut.whole && cut.whole - k > stride) {
      Packet a = read_whole(k), b = read_whole(k + stride);
      store(to, k, a, flag);
      store(to, k + stride, b, flag);
      k += 2 * stride;
    }
#pragma clang loop unroll(disable)
    for (; k < cut.packets; k += stride) store(to, k, read(k), flag);
  }

private:
  GICC_RT_MEMBER Packet read(uint32_t at) const { return F::read(from + (uint64_t)at * F::data, cut.bytes_of(at)); }
  GICC_RT_MEMBER Packet read_whole(uint32_t at) const { return F::read(from + (uint64_t)at * F::data, F::data); }
  GICC_RT_MEMBER static void store(char *to, uint32_t at, Packet p, int64_t flag) {
    __gicc_store_b128(to + (uint64_t)at * GICC_PACKET_BYTES, p.low(), p.high(flag), GICC_ORDER_RELAXED, GICC_SCOPE_SYS);
  }
};

/// The packets at `place` and those `stride` further, N of them, when all carry the flag. False where the wait gave up.
template <int N> GICC_RT bool fetch(char *place, uint64_t stride, int64_t flag, int64_t mask, int32_t pe, gicc_v2i64 *w) {
  Patience patience;
  bool over;
#pragma clang loop unroll(disable)
  do {
    // Those that have come, too: a load that depends on a compare would wait for the loads before it.
#pragma unroll
    for (int u = 0; u < N; u++) w[u] = packet_load(place + u * stride);
    if (patience.ends()) {
      int late = 0;
      for (int u = N - 1; u >= 0; u--)
        if (!packet_is(w[u], flag, mask)) late = u;
      // The flag as a number.
      int shift = mask == -1 ? 0 : 32;
      uint64_t seen = (uint64_t)(late == 0 ? w[0].y : w[N - 1].y) >> shift;
      patience.look(place + late * stride, GICC_COMPARE_EQ, (uint64_t)flag >> shift, seen, pe);
    }
    over = true;
#pragma unroll
    for (int u = 0; u < N; u++) over &= packet_is(w[u], flag, mask);
    over |= patience.gave_up();
  } while (!over);
  return !patience.gave_up();
}

/// Polls a message's packets and stores their data. False where the wait gave up. Paths as in `Packer`.
template <class Group, class F>
GICC_RT bool unpack_words(char *packets, char GICC_GLOBAL *to, uint32_t bytes, uint64_t flag, int32_t pe) {
  const Cut<F> cut(bytes);
  const uint32_t stride = Group::count();
  const int64_t bits = flag_bits(F::data, flag), mask = flag_mask(F::data);
  uint32_t k = Group::rank();
  gicc_v2i64 w[2];
  if (cut.packets <= stride) {
    if (k >= cut.packets) return true;
    if (!fetch<1>(packets + (uint64_t)k * GICC_PACKET_BYTES, 0, bits, mask, pe, w)) return false;
    F::write(to + (uint64_t)k * F::data, w[0], cut.bytes_of(k));
    return true;
  }
#pragma clang loop unroll(disable)
  while (k < cut.packets) {
    bool two = cut.packets - k > stride;
    // The same packet twice where there is no second.
    uint32_t next = two ? k + stride : k;
    if (!fetch<2>(packets + (uint64_t)k * GICC_PACKET_BYTES, (uint64_t)(next - k) * GICC_PACKET_BYTES, bits, mask, pe, w))
      return false;
    if (next < cut.whole) {
      F::write(to + (uint64_t)k * F::data, w[0], F::data);
      F::write(to + (uint64_t)next * F::data, w[1], F::data);
    } else {
      F::write(to + (uint64_t)k * F::data, w[0], cut.bytes_of(k));
      if (two) F::write(to + (uint64_t)next * F::data, w[1], cut.bytes_of(next));
    }
    k += 2 * stride;
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

/// Sends bytes as packets. `place(to)` says whether to send them, and where to on the peer; it is asked when the first loads
/// are under way.
template <class Group, class Place>
GICC_RT void pack(const char *from, int64_t bytes, int32_t element, int32_t data, uint64_t flag, Place place) {
  uint32_t n = (uint32_t)bytes;
  const int64_t bits = flag_bits(data, flag);
  char *to;
  if (data == 12 && in_words(from, bytes, element, 4)) {
    Packer<Group, Form<12, uint32_t>> p(from, n);
    if (place(to)) p.finish(to, bits);
  } else if (data == 8 && in_words(from, bytes, element, 8)) {
    Packer<Group, Form<8, uint64_t>> p(from, n);
    if (place(to)) p.finish(to, bits);
  } else if (data == 8 && element % 4 == 0) {
    Packer<Group, Form<8, uint32_t>> p(from, n);
    if (place(to)) p.finish(to, bits);
  } else if (place(to)) {
    gicc_rt_pack(to, from, n, data, flag, Group::rank(), Group::count());
  }
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
