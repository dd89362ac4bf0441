// The end of a Transformer's layer on several GPUs that share its matrices: each PE has a part of the sum, and then comes the
// residual and the norm. One kernel for all of it: nothing is launched between, and each row goes on when it is reduced.
//
//   sum      = all-reduce of partial
//   residual = residual + sum
//   out      = residual / sqrt(mean of residual² + epsilon) * weight
#include <cuda_bf16.h>
#include <gicc/gicc.cuh>

// The sum over the block, for all of its threads.
__device__ float block_sum(float value) {
  __shared__ float of_warp[32];
  for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(0xffffffffu, value, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < (int)blockDim.x / 32; w++) sum += of_warp[w];
  return sum;
}

// Blocks of whole warps; block b has rows b, b + gridDim.x, and so on, the same on every PE.
__global__ void fused_norm(__nv_bfloat16 *out, float *residual, float *sum, const float *partial, const float *weight,
                           float epsilon, int rows, int width) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    long long first = (long long)row * width;
    gicc::all_reduce(sum + first, partial + first, width);
    if (gicc::failed<gicc::block>()) return;
    float squares = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      float value = residual[first + i] + sum[first + i];
      residual[first + i] = value;
      squares += value * value;
    }
    float scale = rsqrtf(block_sum(squares) / width + epsilon);
    for (int i = threadIdx.x; i < width; i += blockDim.x) out[first + i] = residual[first + i] * scale * weight[i];
  }
}
