// Packets out of line: messages that had to wait for room, and sources and destinations that do not go in words, byte by byte.
#include "runtime.cuh"
#include "poll.cuh"
#include "packet.cuh"
#include "pack.cuh"

/// Packets of a message; an empty one has one.
GICC_RT uint32_t packets_of(uint32_t bytes, uint32_t data) { return bytes == 0 ? 1 : (bytes + data - 1) / data; }

extern "C" __device__ __attribute__((noinline)) void gicc_rt_pack(char *to, const char *from, uint32_t bytes,
                                                                  int32_t data, int32_t word, uint64_t flag,
                                                                  unsigned rank, unsigned count) {
  const int64_t bits = flag_bits(data, flag);
  if (word == 4 && data == 12) return Packer<Form<12, uint32_t>>(to, from, bytes, bits).all(rank, count);
  if (word == 8) return Packer<Form<8, uint64_t>>(to, from, bytes, bits).all(rank, count);
  if (word == 4) return Packer<Form<8, uint32_t>>(to, from, bytes, bits).all(rank, count);
  uint32_t d = (uint32_t)data, packets = packets_of(bytes, d);
  for (uint32_t k = rank; k < packets; k += count) {
    uint32_t left = bytes - k * d, many = left < d ? left : d;
    uint64_t low = 0, high = 0;
    for (uint32_t i = 0; i < many; i++) {
      uint64_t byte = (unsigned char)from[(uint64_t)k * d + i];
      if (i < 8) low |= byte << (8 * i);
      else high |= byte << (8 * (i - 8));
    }
    __gicc_store_b128(to + (uint64_t)k * GICC_PACKET_BYTES, (int64_t)low, (int64_t)high | bits,
                      GICC_ORDER_RELAXED, GICC_SCOPE_SYS);
  }
}

extern "C" __device__ __attribute__((noinline)) bool gicc_rt_unpack(char *packets, char GICC_GLOBAL *to, uint32_t bytes,
                                                                    int32_t data, uint64_t flag, int32_t pe,
                                                                    unsigned rank, unsigned count) {
  const int64_t bits = flag_bits(data, flag);
  uint32_t d = (uint32_t)data, all = packets_of(bytes, d);
  for (uint32_t k = rank; k < all; k += count) {
    gicc_v2i64 w;
    char *place = packets + (uint64_t)k * GICC_PACKET_BYTES;
    if (!fetch<1>(place, 0, bits, flag_mask(data), pe, &w)) return false;
    uint32_t left = bytes - k * d, many = left < d ? left : d;
    uint64_t low = (uint64_t)w.x, high = (uint64_t)w.y;
    for (uint32_t i = 0; i < many; i++)
      to[(uint64_t)k * d + i] = (char)(i < 8 ? low >> (8 * i) : high >> (8 * (i - 8)));
  }
  return true;
}
