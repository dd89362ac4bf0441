// threadIdx, blockIdx, blockDim, gridDim, warpSize.
#pragma once

#include <__clang_cuda_builtin_vars.h>

#define GICC_CUDA_CONVERSIONS(type)                                                                                    \
  __device__ inline type::operator dim3() const { return dim3(x, y, z); }                                              \
  __device__ inline type::operator uint3() const { return {x, y, z}; }
GICC_CUDA_CONVERSIONS(__cuda_builtin_threadIdx_t)
GICC_CUDA_CONVERSIONS(__cuda_builtin_blockIdx_t)
GICC_CUDA_CONVERSIONS(__cuda_builtin_blockDim_t)
GICC_CUDA_CONVERSIONS(__cuda_builtin_gridDim_t)
#undef GICC_CUDA_CONVERSIONS

// Host code of the file must parse, the launch syntax `kernel<<<grid, block, bytes, stream>>>()` included; it is not
// compiled. Clang looks up one of these two, by the version of the toolkit that it found or did not find.
typedef struct CUstream_st *cudaStream_t;
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
