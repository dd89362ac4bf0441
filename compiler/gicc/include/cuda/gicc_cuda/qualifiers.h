// Qualifiers of CUDA C++ and the version macros that kernel files look at.
#pragma once

#ifndef CUDA_VERSION
#define CUDA_VERSION 12080
#define CUDART_VERSION 12080
#endif
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__                                                                                                    \
  _Pragma("GCC error \"__managed__ variables are not supported: pass a buffer to the kernel instead\"")
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n) __attribute__((maxnreg(n)))
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
// `inline` written beside it is allowed, as nvcc allows it; the attribute itself makes clang inline.
#define __forceinline__ __inline__ __attribute__((always_inline))
// Clang has this one as a keyword of CUDA; used as the attribute of libraries' macros it must stay one.
#define __device_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define __CUDA_HOSTDEVICE__ __host__ __device__
