// Packets of sources and destinations that are not aligned to words, byte by byte, and the rest at the end of a message.
#include "runtime.cuh"
#include "poll.cuh"
#include "packet.cuh"
#include "pack.cuh"

extern "C" __device__ __attribute__((noinline)) void gicc_rt_pack_bytes(char *to, const char *from, uint32_t many,
                                                                        int32_t data, uint64_t flag) {
  uint64_t low = 0, high = 0;
  for (uint32_t i = 0; i < many; i++) {
    uint64_t byte = (unsigned char)from[i];
    if (i < 8) low |= byte << (8 * i);
    else high |= byte << (8 * (i - 8));
  }
  store_packet(to, {low, high | (uint64_t)flag_bits(data, flag)});
}

extern "C" __device__ __attribute__((noinline)) void gicc_rt_unpack_bytes(char GICC_GLOBAL *to, uint64_t low,
                                                                          uint64_t high, uint32_t many) {
  for (uint32_t i = 0; i < many; i++) to[i] = (char)(i < 8 ? low >> (8 * i) : high >> (8 * (i - 8)));
}

extern "C" __device__ __attribute__((noinline)) void gicc_rt_pack(char *to, const char *from, uint32_t bytes,
                                                                  int32_t data, uint64_t flag, unsigned rank,
                                                                  unsigned count) {
  uint32_t d = (uint32_t)data, packets = (bytes + d - 1) / d;
  for (uint32_t k = rank; k < packets; k += count) {
    uint32_t left = bytes - k * d;
    gicc_rt_pack_bytes(to + (uint64_t)k * GICC_PACKET_BYTES, from + (uint64_t)k * d, left < d ? left : d, data, flag);
  }
}

extern "C" __device__ __attribute__((noinline)) bool gicc_rt_unpack(char *packets, char GICC_GLOBAL *to, uint32_t bytes,
                                                                    int32_t data, uint64_t flag, int32_t pe,
                                                                    unsigned rank, unsigned count) {
  uint32_t d = (uint32_t)data, all = (bytes + d - 1) / d;
  for (uint32_t k = rank; k < all; k += count) {
    gicc_v2i64 w;
    char *place = packets + (uint64_t)k * GICC_PACKET_BYTES;
    if (!fetch<1>(place, 0, flag_bits(data, flag), flag_mask(data), pe, &w)) return false;
    uint32_t left = bytes - k * d;
    gicc_rt_unpack_bytes(to + (uint64_t)k * d, (uint64_t)w.x, (uint64_t)w.y, left < d ? left : d);
  }
  return true;
}
