// The CUDA surface that gicc supplies where there is no toolkit: what kernels use every day.
// RUN: %gicc %s --verify-each --emit llvm -o - | FileCheck %s

// CHECK-LABEL: define {{.*}}ptx_kernel void @_Z3allPi(
__global__ void all(int *p) {
  __shared__ int tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = p[i];
  // CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  __syncthreads();
  // CHECK: call {{.*}}@llvm.nvvm.shfl.sync.down.i32(
  int down = __shfl_down_sync(0xffffffffu, tile[threadIdx.x], 1);
  // CHECK: call {{.*}}@llvm.nvvm.vote.ballot.sync(
  unsigned votes = __ballot_sync(0xffffffffu, down > 0);
  // CHECK: {{atomicrmw add|atom.*add.u32}}
  atomicAdd(p, __popc(votes));
  // CHECK: call void @llvm.nvvm.membar.sys()
  __threadfence_system();
  __syncwarp();
}
