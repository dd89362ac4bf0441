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

  /// The data at from, of which there are `bytes` bytes at least. For a word that is not there the first one is loaded again, so
  /// that the loads do not wait for conditions of their own; nobody looks at it.
  GICC_RT Packet read(const char *from, uint32_t bytes) {
    Packet p;
    if (bytes == 0) return p;
#pragma unroll
    for (uint32_t i = 0; i < words; i++) p.part[i] = *(const Word *)(from + (i * word < bytes ? i * word : 0));
    return p;
  }

  /// The data of a packet to to, `bytes` of it. A packet of one word is full, so that its store waits for no condition.
  GICC_RT void write(char GICC_GLOBAL *to, gicc_v2i64 packet, uint32_t bytes) {
    Word GICC_GLOBAL *w = (Word GICC_GLOBAL *)to;
    const uint64_t part[3] = {(uint64_t)packet.x, (uint64_t)packet.x >> 32, (uint64_t)packet.y};
#pragma unroll
    for (uint32_t i = 0; i < words; i++)
      if (words == 1 || i * word < bytes) w[i] = (Word)part[i];
  }
};

/// A message cut into packets: `whole` full ones, and one of `rest` bytes where that is not 0 or there is no other.
template <class F> struct Cut {
  uint32_t whole, rest, packets;
  GICC_RT_MEMBER Cut(uint32_t bytes)
      : whole(bytes / F::data), rest(F::words == 1 ? 0 : bytes - whole * F::data),
        packets(whole + (rest != 0 || bytes == 0)) {}
  /// Bytes of data in packet k.
  GICC_RT_MEMBER uint32_t bytes_of(uint32_t k) const { return k < whole ? F::data : rest; }
};

/// A packet's high half is the flag, or has it in its high 32 bits.
GICC_RT int64_t flag_mask(int data) { return data == 12 ? (int64_t)0xffffffff00000000u : -1; }
GICC_RT int64_t flag_bits(int data, uint64_t flag) { return (int64_t)(data == 12 ? flag << 32 : flag); }

/// Sends the packets of a message, of which each thread has k, k + stride and so on.
template <class F> struct Packer {
  using Packet = typename F::Packet;
  const char *from;
  char *to;
  int64_t flag;
  Cut<F> cut;

  GICC_RT_MEMBER Packer(char *place, const char *source, uint32_t bytes, int64_t bits)
      : from(source), to(place), flag(bits), cut(bytes) {}

  GICC_RT_MEMBER Packet read(uint32_t at) const { return F::read(from + (uint64_t)at * F::data, cut.bytes_of(at)); }
  GICC_RT_MEMBER void store(uint32_t at, Packet p) const {
    __gicc_store_b128(to + (uint64_t)at * GICC_PACKET_BYTES, p.low(), p.high(flag), GICC_ORDER_RELAXED, GICC_SCOPE_SYS);
  }

  /// From k on, two under way.
  GICC_RT_MEMBER void all(uint32_t k, uint32_t stride) const {
    // Full packets of several words first, since they ask for no conditions.
    if constexpr (F::words > 1) {
#pragma clang loop unroll(disable)
      for (; k < cut.whole && cut.whole - k > stride; k += 2 * stride) {
        Packet a = read_whole(k), b = read_whole(k + stride);
        store(k, a);
        store(k + stride, b);
      }
    }
#pragma clang loop unroll(disable)
    for (; k < cut.packets; k += 2 * stride) {
      bool two = cut.packets - k > stride;
      // The same packet twice where there is no second.
      uint32_t next = two ? k + stride : k;
      Packet a = read(k), b = read(next);
      store(k, a);
      if (two) store(next, b);
    }
  }

private:
  GICC_RT_MEMBER Packet read_whole(uint32_t at) const { return F::read(from + (uint64_t)at * F::data, F::data); }
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

/// Polls the packets of a message, of which the thread has k, k + stride and so on, two under way, and stores their data. False
/// where the wait gave up.
template <class F>
GICC_RT bool unpack_all(char *packets, char GICC_GLOBAL *to, const Cut<F> cut, int64_t bits, int32_t pe, uint32_t k,
                        uint32_t stride) {
  const int64_t mask = flag_mask(F::data);
  gicc_v2i64 w[2];
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

/// Out of line: sources and destinations of any alignment, and messages that had to wait for room. `word` is 8 or 4 where a
/// source can go in words of that many bytes, else 1.
extern "C" __device__ void gicc_rt_pack(char *to, const char *from, uint32_t bytes, int32_t data, int32_t word,
                                        uint64_t flag, unsigned rank, unsigned count);
extern "C" __device__ bool gicc_rt_unpack(char *packets, char GICC_GLOBAL *to, uint32_t bytes, int32_t data,
                                          uint64_t flag, int32_t pe, unsigned rank, unsigned count);

/// Whether bytes at an address can go in words of so many; elements of that alignment were checked before.
GICC_RT bool in_words(const void *p, int64_t bytes, int32_t element, int32_t word) {
  return element % word == 0 || (((uint64_t)p | (uint64_t)bytes) & (uint64_t)(word - 1)) == 0;
}

/// A message in packets of a form. A message of at most one packet a thread has a path of its own, which all threads take alike:
/// lanes of a warp that took different paths would go one after the other. `go`: nothing is in the way; else `find_out` says
/// whether to send. What the thread sends first is loaded before that is decided, so that it is decided while the loads are
/// under way: one packet, and of packets of several words two, whose loads take longer.
template <class Group, class F, class FindOut>
GICC_RT bool pack_words(char *to, const char *from, uint32_t bytes, uint64_t flag, bool go, FindOut find_out) {
  using Packet = typename F::Packet;
  constexpr bool ahead = F::words > 1;
  const Packer<F> p(to, from, bytes, flag_bits(F::data, flag));
  const uint32_t k = Group::rank(), stride = Group::count();
  const bool few = p.cut.packets <= stride;
  const bool one = (few || ahead) && k < p.cut.packets, two = ahead && !few && p.cut.packets - stride > k;
  Packet first{}, second{};
  if (go && one) first = p.read(k);
  if (go && two) second = p.read(k + stride);
  if (__builtin_expect(!go, 0)) {
    go = find_out();
    Group::converge();
    if (go) gicc_rt_pack(to, from, bytes, F::data, F::word, flag, k, stride);
    return go;
  }
  Group::converge();
  if (one) p.store(k, first);
  if (two) p.store(k + stride, second);
  if (!few) p.all(ahead ? k + 2 * stride : k, stride);
  return true;
}

/// Sends bytes as packets to `to` on the peer, if `go` or `find_out` says so; what was said.
template <class Group, class FindOut>
GICC_RT bool pack(char *to, const char *from, int64_t bytes, int32_t element, int32_t data, uint64_t flag, bool go,
                  FindOut find_out) {
  uint32_t n = (uint32_t)bytes;
  if (data == 12 && in_words(from, bytes, element, 4))
    return pack_words<Group, Form<12, uint32_t>>(to, from, n, flag, go, find_out);
  if (data == 8 && in_words(from, bytes, element, 8))
    return pack_words<Group, Form<8, uint64_t>>(to, from, n, flag, go, find_out);
  if (data == 8 && element % 4 == 0)
    return pack_words<Group, Form<8, uint32_t>>(to, from, n, flag, go, find_out);
  if (!go) go = find_out();
  Group::converge();
  if (go) gicc_rt_pack(to, from, n, data, 1, flag, Group::rank(), Group::count());
  return go;
}

/// Takes a message out of packets of a form. Paths as in `pack_words`.
template <class Group, class F>
GICC_RT bool unpack_words(char *packets, char GICC_GLOBAL *to, uint32_t bytes, uint64_t flag, int32_t pe) {
  const Cut<F> cut(bytes);
  const uint32_t k = Group::rank(), stride = Group::count();
  const int64_t bits = flag_bits(F::data, flag);
  if (cut.packets > stride) return unpack_all<F>(packets, to, cut, bits, pe, k, stride);
  // A packet of one word is full, or the one of an empty message.
  if (k >= (F::words == 1 ? cut.whole : cut.packets))
    return k >= cut.packets || gicc_rt_unpack(packets, to, bytes, F::data, flag, pe, k, stride);
  gicc_v2i64 w;
  bool good = fetch<1>(packets + (uint64_t)k * GICC_PACKET_BYTES, 0, bits, flag_mask(F::data), pe, &w);
  // Also where the wait gave up: the slot is this side's, and nobody is told to read it.
  F::write(to + (uint64_t)k * F::data, w, cut.bytes_of(k));
  return good;
}

/// Takes bytes out of packets of this PE.
template <class Group>
GICC_RT bool unpack(char *packets, char *to, int64_t bytes, int32_t element, int32_t data, uint64_t flag, int32_t pe) {
  uint32_t n = (uint32_t)bytes;
  char GICC_GLOBAL *t = (char GICC_GLOBAL *)to;
  if (data == 12 && in_words(to, bytes, element, 4))
    return unpack_words<Group, Form<12, uint32_t>>(packets, t, n, flag, pe);
  if (data == 8 && in_words(to, bytes, element, 8))
    return unpack_words<Group, Form<8, uint64_t>>(packets, t, n, flag, pe);
  if (data == 8 && element % 4 == 0) return unpack_words<Group, Form<8, uint32_t>>(packets, t, n, flag, pe);
  return gicc_rt_unpack(packets, t, n, data, flag, pe, Group::rank(), Group::count());
}
