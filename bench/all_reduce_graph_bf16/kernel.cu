// All-reduce of bf16 as a kernel of its own: what takes the place of a library's call between other kernels. By the
// whole grid, as the compiler chooses and by each algorithm; and `stretches`, in which each block reduces a stretch of its own
// and the kernel's end says that all is done.
#include <gicc/gicc.cuh>

#define ALL_REDUCE(name, way)                                                                                          \
  extern "C" __global__ void __launch_bounds__(512, 1) name(__bf16 *out, const __bf16 *in, long count) {               \
    gicc::all_reduce<gicc::grid>(out, in, count, gicc::reduce::sum, gicc::algorithm::way);                             \
  }
ALL_REDUCE(bf16_automatic, automatic)
ALL_REDUCE(bf16_one_shot, one_shot)
ALL_REDUCE(bf16_two_shot, two_shot)

// Stretches are whole lines of 256 bytes, so that wide words stay wide.
extern "C" __global__ void __launch_bounds__(512, 1) bf16_stretches(__bf16 *out, const __bf16 *in, long count) {
  constexpr long line = 256 / sizeof(__bf16);
  long lines = (count + line - 1) / line, each = (lines + gridDim.x - 1) / gridDim.x * line;
  long first = min(blockIdx.x * each, count), end = min(first + each, count);
  gicc::all_reduce<gicc::block>(out + first, in + first, end - first);
}
