// All-reduce: every PE gets the sum of all PEs' elements, the same bits everywhere. The kernels only say what they want; the
// compiler chooses the algorithm by size and team, makes its code and inlines it.
//   gicc run examples/04_all_reduce --pes 4
//   gicc examples/04_all_reduce --remarks human -o build/04      says what was chosen, and why
#include <cuda_bf16.h>
#include <gicc/gicc.cuh>

// All blocks together, on elements that the host wrote. In place: the sum takes the place of the elements.
__global__ void sum(float *elements, int n) { gicc::all_reduce<gicc::grid>(elements, elements, n); }

// A step of training: each PE has its own gradients in 16 bits; all take the average, and the largest gradient of all PEs is
// known for the log. Each block has a stretch of its own, so the blocks need not meet.
__global__ void step(__nv_bfloat16 *weights, const __nv_bfloat16 *gradients, __nv_bfloat16 *total, float *largest, float rate,
                     int n_of_block) {
  __shared__ float seen[32];
  long long first = (long long)blockIdx.x * n_of_block;
  gicc::all_reduce(total + first, gradients + first, n_of_block);
  if (gicc::failed<gicc::block>()) return;

  float most = 0;
  for (int i = threadIdx.x; i < n_of_block; i += blockDim.x) {
    float gradient = (float)total[first + i] / gicc::n_pes();
    weights[first + i] = (float)weights[first + i] - rate * gradient;
    most = fmaxf(most, fabsf((float)gradients[first + i]));
  }
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
  if (threadIdx.x % 32 == 0) seen[threadIdx.x / 32] = most;
  __syncthreads();
  for (int w = 0; w < (int)blockDim.x / 32; w++) most = fmaxf(most, seen[w]);
  if (threadIdx.x == 0) largest[blockIdx.x] = most;
  __syncthreads();
  // One element: 4 bytes, so there is only one way.
  gicc::all_reduce(largest + blockIdx.x, largest + blockIdx.x, 1, gicc::reduce::max);
}
