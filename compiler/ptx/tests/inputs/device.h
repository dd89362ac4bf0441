// The little of CUDA that these kernels use, so that they need no toolkit.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
typedef unsigned u32;
typedef unsigned long long u64;
__device__ inline u32 thread_index() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ inline u32 block_size() { return __nvvm_read_ptx_sreg_ntid_x(); }
__device__ inline u32 block_index() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ inline void block_barrier() { __nvvm_bar_sync(0); }
