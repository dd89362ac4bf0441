// What kernel and reference agree on: how long each message is, and where it begins in the source.
#pragma once
#ifdef __CUDACC__
#define BOTH __host__ __device__ inline
#else
#define BOTH inline
#endif

BOTH unsigned mixed(unsigned x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ x >> 16;
}

/// Elements of a message: any number that a slot holds, none at times, and often few.
BOTH int length_of(int message, unsigned seed, int capacity) {
  unsigned r = mixed(seed + 2 * (unsigned)message);
  return (int)(mixed(r) % ((r & 3) == 0 ? (unsigned)capacity + 1 : (unsigned)capacity / 8 + 1));
}

/// Its first element in a source of `capacity` elements and a few more.
BOTH int start_of(int message, unsigned seed) { return (int)(mixed(seed + 2 * (unsigned)message + 1) % 13); }
