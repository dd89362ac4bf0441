// What stands in for a collective where a kernel is examined (`gicc check`, `gicc explain`): what the collective does to memory of
// the PE that calls it, without its protocol, which is proven elsewhere. The group meets, reads one operand, writes the other
// (`copies` times one behind the other), and meets. It is never part of a program. What it writes is another number than it reads:
// else LLVM would see that nothing changes where both operands are one.
#include "runtime.cuh"

template <class T>
GICC_RT void stand_in(void *out, const void *in, int64_t count, int32_t copies, uint64_t rank, uint64_t threads) {
#pragma clang loop unroll(disable)
  for (int32_t copy = 0; copy < copies; copy++) {
#pragma clang loop unroll(disable)
    for (int64_t k = (int64_t)rank; k < count; k += (int64_t)threads) ((T *)out)[copy * count + k] = ((const T *)in)[k] + 1;
  }
}

// With nothing to do, a block's collective does not meet.
#define STAND_IN(bytes, T)                                                                                             \
  extern "C" __device__ void gicc_rt_stand_in_block_##bytes(void *out, const void *in, int64_t count, int32_t copies) { \
    if (count == 0) return;                                                                                            \
    Block::meet();                                                                                                     \
    stand_in<T>(out, in, count, copies, Block::rank(), Block::count());                                                \
    Block::meet();                                                                                                     \
  }                                                                                                                    \
  extern "C" __device__ void gicc_rt_stand_in_grid_##bytes(void *out, const void *in, int64_t count, int32_t copies) { \
    Block::meet();                                                                                                     \
    stand_in<T>(out, in, count, copies, (uint64_t)block_in_grid() * threads_of_block() + thread_in_block(),            \
                (uint64_t)blocks_of_grid() * threads_of_block());                                                      \
    __gicc_grid_sync();                                                                                                \
  }
STAND_IN(2, uint16_t)
STAND_IN(4, uint32_t)
STAND_IN(8, uint64_t)
#undef STAND_IN
