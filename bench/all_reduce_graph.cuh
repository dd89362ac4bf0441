// All-reduce as a kernel of its own, for one type of elements: what takes the place of a library's call between other kernels.
// By the whole grid, as the compiler chooses and by each algorithm; and `stretches`, in which each block reduces a stretch of
// its own and the kernel's end says that all is done.
#pragma once
#include <gicc/gicc.cuh>

// Stretches are whole lines of 256 bytes, so that wide words stay wide.
template <class T> __device__ void reduce_stretches(T *out, const T *in, long count) {
  constexpr long line = 256 / sizeof(T);
  long lines = (count + line - 1) / line, each = (lines + gridDim.x - 1) / gridDim.x * line;
  long first = min(blockIdx.x * each, count), end = min(first + each, count);
  gicc::all_reduce<gicc::block>(out + first, in + first, end - first);
}

#define ALL_REDUCE(name, type, way)                                                                                    \
  extern "C" __global__ void __launch_bounds__(512, 1) name##_##way(type *out, const type *in, long count) {           \
    gicc::all_reduce<gicc::grid>(out, in, count, gicc::reduce::sum, gicc::algorithm::way);                             \
  }

// The kernels NAME_automatic, NAME_one_shot, NAME_two_shot and NAME_stretches.
#define ALL_REDUCES(name, type)                                                                                        \
  ALL_REDUCE(name, type, automatic)                                                                                    \
  ALL_REDUCE(name, type, one_shot)                                                                                     \
  ALL_REDUCE(name, type, two_shot)                                                                                     \
  extern "C" __global__ void __launch_bounds__(512, 1) name##_stretches(type *out, const type *in, long count) {       \
    reduce_stretches(out, in, count);                                                                                  \
  }
