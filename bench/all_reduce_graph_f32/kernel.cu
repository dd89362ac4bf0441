// All-reduce of single precision as a kernel of its own: what takes the place of a library's call between other kernels. By the
// whole grid, as the compiler chooses and by each algorithm; and `stretches`, in which each block reduces a stretch of its own
// and the kernel's end says that all is done.
#include <gicc/gicc.cuh>

#define ALL_REDUCE(name, way)                                                                                          \
  extern "C" __global__ void __launch_bounds__(512, 1) name(float *out, const float *in, long count) {                 \
    gicc::all_reduce<gicc::grid>(out, in, count, gicc::reduce::sum, gicc::algorithm::way);                             \
  }
ALL_REDUCE(f32_automatic, automatic)
ALL_REDUCE(f32_one_shot, one_shot)
ALL_REDUCE(f32_two_shot, two_shot)

// Stretches are whole lines of 256 bytes, so that wide words stay wide.
extern "C" __global__ void __launch_bounds__(512, 1) f32_stretches(float *out, const float *in, long count) {
  constexpr long line = 256 / sizeof(float);
  long lines = (count + line - 1) / line, each = (lines + gridDim.x - 1) / gridDim.x * line;
  long first = min(blockIdx.x * each, count), end = min(first + each, count);
  gicc::all_reduce<gicc::block>(out + first, in + first, end - first);
}
