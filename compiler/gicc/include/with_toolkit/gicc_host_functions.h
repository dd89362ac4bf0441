// What NVIDIA's compiler declares for host code besides its headers, and clang's wrapper of those headers does not: the
// smallest and largest of two numbers in the global namespace. Device code has them from the wrapper.
#pragma once

#ifdef __CUDA__
#define GICC_HOST_PAIR(type)                                                                                               \
  static inline __attribute__((host)) type min(type a, type b) { return b < a ? b : a; }                                   \
  static inline __attribute__((host)) type max(type a, type b) { return a < b ? b : a; }
GICC_HOST_PAIR(int)
GICC_HOST_PAIR(unsigned int)
GICC_HOST_PAIR(long)
GICC_HOST_PAIR(unsigned long)
GICC_HOST_PAIR(long long)
GICC_HOST_PAIR(unsigned long long)
GICC_HOST_PAIR(float)
GICC_HOST_PAIR(double)
#undef GICC_HOST_PAIR
#endif
