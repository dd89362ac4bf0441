// A header with a place that clang does not take.
#pragma once
__device__ inline int lane() {
  int lane;
  asm("mov.u32 %0, %laneid;" : "=r"(lane));
  return lane;
}
