// With NVIDIA's headers: what its compiler has built in besides them. Groups of clusters, and the smallest and largest of two
// numbers in host code.
// REQUIRES: cuda-headers
// RUN: %cuda-gicc %s -o - --emit llvm --stop-after frontend | FileCheck %s
#include <cooperative_groups.h>

// CHECK-LABEL: define {{.*}}void @_Z1kPi
// CHECK: call {{.*}}cluster_group
__global__ void k(int *p) {
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  cluster.sync();
  p[threadIdx.x] = min(p[threadIdx.x], 3);
}

unsigned launch(int *p, unsigned blocks) {
  k<<<min(blocks, 32u), max(1, 2)>>>(p);
  return min(1u, blocks);
}
