// With --rdc a source may name what another source defines.
// RUN: split-file %s %t
// RUN: not %gicc %t/uses.cu -o - 2>&1 | FileCheck --check-prefix=ALONE %s
// RUN: %gicc --rdc %t/uses.cu %t/defines.cu -o - | FileCheck %s
// ALONE: __shared__ variable 'tile' cannot be 'extern'
// CHECK: .shared {{.*}}tile[128]
// CHECK: .entry _Z1kPi

//--- uses.cu
struct tile_t {
  int words[32];
};
extern __shared__ tile_t tile;
__device__ int twice(int);
__global__ void k(int *p) {
  tile.words[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = twice(tile.words[31 - threadIdx.x]);
}

//--- defines.cu
struct tile_t {
  int words[32];
};
__shared__ tile_t tile;
__device__ int twice(int x) { return 2 * x; }
