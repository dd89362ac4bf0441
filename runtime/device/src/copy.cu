// Copies of any alignment and size. The word is the widest that divides the distance between the two addresses, up to 16
// bytes; what lies before the first and behind the last whole word goes byte by byte, by different threads.
#include "runtime.cuh"
#include "copy.cuh"

// Byte pointers of both sides and pointers to words of W bytes on both sides have different address spaces in the two
// directions, so the code is a template over the pointers to bytes.
template <class Word, class WordTo, class WordFrom, class To, class From>
GICC_RT void copy_by(To *to, const From *from, uint64_t bytes, unsigned rank, unsigned count) {
  const uint64_t width = sizeof(Word);
  uint64_t head = -(uint64_t)to & (width - 1);
  if (head > bytes) head = bytes;
  uint64_t words = (bytes - head) / width, tail = head + words * width;
  for (uint64_t i = rank; i < head; i += count) to[i] = from[i];
  WordTo *t = (WordTo *)(to + head);
  const WordFrom *f = (const WordFrom *)(from + head);
  uint64_t k = rank, stride = count;
#pragma clang loop unroll(disable)
  for (; k + 3 * stride < words; k += 4 * stride) {
    Word a = f[k], b = f[k + stride], c = f[k + 2 * stride], d = f[k + 3 * stride];
    t[k] = a, t[k + stride] = b, t[k + 2 * stride] = c, t[k + 3 * stride] = d;
  }
#pragma clang loop unroll(disable)
  for (; k < words; k += stride) t[k] = f[k];
  for (uint64_t i = tail + rank; i < bytes; i += count) to[i] = from[i];
}

extern "C" __device__ __attribute__((noinline)) void gicc_rt_copy_to_global(void GICC_GLOBAL *to, const void *from,
                                                                            uint64_t bytes, unsigned rank,
                                                                            unsigned count) {
  typedef unsigned char GICC_GLOBAL To;
  typedef unsigned char From;
  To *t = (To *)to;
  const From *f = (const From *)from;
  uint64_t apart = (uint64_t)to ^ (uint64_t)from;
  if ((apart & 15) == 0) copy_by<Word16, Word16 GICC_GLOBAL, Word16>(t, f, bytes, rank, count);
  else if ((apart & 7) == 0) copy_by<uint64_t, uint64_t GICC_GLOBAL, uint64_t>(t, f, bytes, rank, count);
  else if ((apart & 3) == 0) copy_by<uint32_t, uint32_t GICC_GLOBAL, uint32_t>(t, f, bytes, rank, count);
  else if ((apart & 1) == 0) copy_by<uint16_t, uint16_t GICC_GLOBAL, uint16_t>(t, f, bytes, rank, count);
  else copy_by<uint8_t, To, From>(t, f, bytes, rank, count);
}

extern "C" __device__ __attribute__((noinline)) void gicc_rt_copy_from_global(void *to, const void GICC_GLOBAL *from,
                                                                              uint64_t bytes, unsigned rank,
                                                                              unsigned count) {
  typedef unsigned char To;
  typedef unsigned char GICC_GLOBAL From;
  To *t = (To *)to;
  const From *f = (const From *)from;
  uint64_t apart = (uint64_t)to ^ (uint64_t)from;
  if ((apart & 15) == 0) copy_by<Word16, Word16, Word16 GICC_GLOBAL>(t, f, bytes, rank, count);
  else if ((apart & 7) == 0) copy_by<uint64_t, uint64_t, uint64_t GICC_GLOBAL>(t, f, bytes, rank, count);
  else if ((apart & 3) == 0) copy_by<uint32_t, uint32_t, uint32_t GICC_GLOBAL>(t, f, bytes, rank, count);
  else if ((apart & 1) == 0) copy_by<uint16_t, uint16_t, uint16_t GICC_GLOBAL>(t, f, bytes, rank, count);
  else copy_by<uint8_t, To, From>(t, f, bytes, rank, count);
}
