// Included by defines_and_includes.cu.
__device__ inline int factor() {
#ifdef TWICE
  return 2 * FACTOR;
#else
  return FACTOR;
#endif
}
