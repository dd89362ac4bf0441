// All-reduce as a kernel of its own: each block takes a stretch, and the kernel's end says that all is done. For programs that
// call a collective between kernels; to be compared with NCCL and with torch's one-shot and two-shot.
#include <cuda_bf16.h>
#include <gicc/gicc.cuh>

// A block's stretch: whole 256-byte lines, so that wide words stay wide.
template <class T> __device__ void of_block(T *out, const T *in, long count) {
  constexpr long line = 256 / sizeof(T);
  long lines = (count + line - 1) / line, each = (lines + gridDim.x - 1) / gridDim.x * line;
  long first = min(blockIdx.x * each, count), end = min(first + each, count);
  gicc::all_reduce(out + first, in + first, end - first);
}

extern "C" __global__ void __launch_bounds__(512) f32(float *out, const float *in, __nv_bfloat16 *, const __nv_bfloat16 *,
                                                      long bytes) {
  of_block(out, in, bytes / 4);
}

extern "C" __global__ void __launch_bounds__(512) bf16(float *, const float *, __nv_bfloat16 *out, const __nv_bfloat16 *in,
                                                       long bytes) {
  of_block(out, in, bytes / 2);
}
