// __match_any_sync and __match_all_sync for every type, over the primitives that clang's own headers define just before
// they include a file of this name.
#pragma once

#define GICC_CUDA_MATCH(type, bits, word)                                                                              \
  __device__ inline unsigned __match_any_sync(unsigned mask, type value) {                                             \
    word w = 0;                                                                                                        \
    __builtin_memcpy(&w, &value, sizeof value);                                                                        \
    return __match##bits##_any_sync(mask, w);                                                                          \
  }                                                                                                                    \
  __device__ inline unsigned __match_all_sync(unsigned mask, type value, int *pred) {                                  \
    word w = 0;                                                                                                        \
    __builtin_memcpy(&w, &value, sizeof value);                                                                        \
    return __match##bits##_all_sync(mask, w, pred);                                                                    \
  }
GICC_CUDA_MATCH(unsigned, 32, unsigned)
GICC_CUDA_MATCH(int, 32, unsigned)
GICC_CUDA_MATCH(float, 32, unsigned)
GICC_CUDA_MATCH(unsigned long, 64, unsigned long long)
GICC_CUDA_MATCH(long, 64, unsigned long long)
GICC_CUDA_MATCH(unsigned long long, 64, unsigned long long)
GICC_CUDA_MATCH(long long, 64, unsigned long long)
GICC_CUDA_MATCH(double, 64, unsigned long long)
#undef GICC_CUDA_MATCH
