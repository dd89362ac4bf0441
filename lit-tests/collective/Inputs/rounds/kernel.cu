// Collectives one after the other, so that slots are used again and again, and each needs the one before: in place, the
// elements of a round are the sums of the round before.
#include <gicc/gicc.cuh>

#define REDUCE(name, group, way)                                                                                       \
  extern "C" __global__ void name(unsigned *elements, unsigned *all, int n, int rounds) {                              \
    for (int i = 0; i < rounds; i++)                                                                                   \
      gicc::all_reduce<gicc::group>(elements, elements, n - i, gicc::reduce::sum, gicc::algorithm::way);               \
  }
REDUCE(one_shot_block, block, one_shot)
REDUCE(two_shot_block, block, two_shot)
REDUCE(ring_block, block, ring)
REDUCE(one_shot_grid, grid, one_shot)
REDUCE(two_shot_grid, grid, two_shot)
REDUCE(ring_grid, grid, ring)

// What is gathered is summed up by whole blocks, so every thread reads what others stored.
#define GATHER(name, group, way)                                                                                       \
  extern "C" __global__ void name(unsigned *elements, unsigned *all, int n, int rounds) {                              \
    for (int i = 0; i < rounds; i++) {                                                                                 \
      gicc::all_gather<gicc::group>(all, elements, n - i, gicc::algorithm::way);                                       \
      for (int k = threadIdx.x + blockDim.x * blockIdx.x; k < n - i; k += blockDim.x * gridDim.x) {                    \
        unsigned sum = 0;                                                                                              \
        for (int pe = 0; pe < gicc::n_pes(); pe++) sum += all[pe * (n - i) + (k + 1) % (n - i)];                       \
        elements[(k + 1) % (n - i)] = sum;                                                                             \
      }                                                                                                                \
      if constexpr (gicc::group == gicc::grid) gicc::grid_sync();                                                      \
      else __syncthreads();                                                                                            \
    }                                                                                                                  \
  }
GATHER(direct_block, block, direct)
GATHER(gather_ring_block, block, ring)
GATHER(direct_grid, grid, direct)
GATHER(gather_ring_grid, grid, ring)
