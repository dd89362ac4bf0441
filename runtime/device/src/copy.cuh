// Copies by a group. The fast way is for addresses and sizes that are multiples of 16: each thread loads several 16-byte
// words and then stores them, so that its loads are under way together; neighbouring threads take neighbouring words.
// Everything else (other alignments, heads and tails) is out of line and takes the widest word that both sides allow.
#pragma once

/// 16 bytes that one instruction moves.
typedef unsigned Word16 __attribute__((ext_vector_type(4)));

// Indices are 32 bits wide on purpose: the compiler cannot split the address of `base[k + u * stride]` then, and so does not
// keep a 64-bit address for each of the words in registers, around the whole loop of the user that the copy stands in.

/// As long as `Unroll` words are left for each thread: load them all, then store them all. k: the thread's next word.
template <int Unroll, class To, class From>
GICC_RT void copy_unrolled(To *to, const From *from, uint32_t words, uint32_t stride, uint32_t &k) {
#pragma clang loop unroll(disable)
  while (k < words && words - k > (Unroll - 1) * stride) {
    Word16 held[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; u++) held[u] = from[k + u * stride];
#pragma unroll
    for (int u = 0; u < Unroll; u++) to[k + u * stride] = held[u];
    k += Unroll * stride;
  }
}

/// The at most three words that are left for a thread; the loads are under way together.
template <class To, class From>
GICC_RT void copy_rest(To *to, const From *from, uint32_t words, uint32_t stride, uint32_t k) {
  if (k >= words) return;
  uint32_t left = words - k;
  Word16 a = from[k], b, c;
  if (left > stride) b = from[k + stride];
  if (left > 2 * stride) c = from[k + 2 * stride];
  to[k] = a;
  if (left > stride) to[k + stride] = b;
  if (left > 2 * stride) to[k + 2 * stride] = c;
}

/// Every 16-byte word once, by the group. Long copies have four words a thread under way: eight were no faster between two
/// H200, and the code is larger. Copies of one word a thread, where every cycle counts, take the first branch.
template <class Group, class To, class From> GICC_RT void copy_words(To *to, const From *from, uint32_t words) {
  uint32_t k = Group::rank(), stride = Group::count();
  if (words <= stride) {
    if (k < words) to[k] = from[k];
    return;
  }
  copy_unrolled<4>(to, from, words, stride, k);
  copy_rest(to, from, words, stride, k);
}

/// Any alignment and size; rank and count say which part is the thread's.
extern "C" __device__ void gicc_rt_copy_to_global(void GICC_GLOBAL *to, const void *from, uint64_t bytes, unsigned rank,
                                                  unsigned count);
extern "C" __device__ void gicc_rt_copy_from_global(void *to, const void GICC_GLOBAL *from, uint64_t bytes,
                                                    unsigned rank, unsigned count);

/// Whether all of it can go in 16-byte words that 32 bits count.
GICC_RT bool wide(uint64_t to, uint64_t from, uint64_t bytes) {
  return ((to | from | bytes) & 15) == 0 && bytes < (uint64_t)1 << 35;
}

/// Bytes from anywhere to the memory of a GPU.
template <class Group> GICC_RT void copy_to_global(void *to, const void *from, uint64_t bytes) {
  if (__builtin_expect(wide((uint64_t)to, (uint64_t)from, bytes), 1))
    copy_words<Group>((Word16 GICC_GLOBAL *)to, (const Word16 *)from, (uint32_t)(bytes / 16));
  else
    gicc_rt_copy_to_global((void GICC_GLOBAL *)to, from, bytes, Group::rank(), Group::count());
}

/// Bytes from the memory of a GPU to anywhere.
template <class Group> GICC_RT void copy_from_global(void *to, const void *from, uint64_t bytes) {
  if (__builtin_expect(wide((uint64_t)to, (uint64_t)from, bytes), 1))
    copy_words<Group>((Word16 *)to, (const Word16 GICC_GLOBAL *)from, (uint32_t)(bytes / 16));
  else
    gicc_rt_copy_from_global(to, (const void GICC_GLOBAL *)from, bytes, Group::rank(), Group::count());
}
