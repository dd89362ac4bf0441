// A whole CUDA file, with host code and a launch, compiles with NVIDIA's headers: only the device's side is read.
// REQUIRES: cuda-headers
// RUN: %cuda-gicc %s -o - | FileCheck %s
// CHECK: .entry k(
#include <cooperative_groups.h>
#include <cuda/atomic>
extern "C" __global__ void k(int *p) {
  cooperative_groups::this_thread_block().sync();
  // CHECK: st.release.sys
  cuda::atomic_ref<int, cuda::thread_scope_system>(*p).store(1, cuda::std::memory_order_release);
}
int main() {
  int *p;
  cudaMalloc(&p, 4);
  k<<<1, 32>>>(p);
  return cudaDeviceSynchronize();
}
