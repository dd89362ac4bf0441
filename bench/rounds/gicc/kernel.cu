// Strict rounds between two GPUs: PE 0 sends a message of `bytes` bytes, PE 1 replies with 8 bytes when the whole message
// is at its destination, and the next message starts after the reply. Each block sends one part and signals it.
#include <gicc/gicc.cuh>

// The 16-byte words of a block's part: parts differ by at most one word.
__device__ void part(long words, long &from, long &count) {
  long each = words / gridDim.x, rest = words % gridDim.x, block = blockIdx.x;
  from = block * each + (block < rest ? block : rest);
  count = each + (block < rest ? 1 : 0);
}

// epoch: rounds played in earlier launches, so that flags only grow. flags: one word in 128 bytes for each block.
extern "C" __global__ void __launch_bounds__(512)
    rounds(long iterations, long bytes, uint4 *message, const uint4 *source, gicc::signal_t *flags, gicc::signal_t *reply,
           unsigned *arrived, unsigned long long *epoch) {
  long from, count;
  part(bytes / 16, from, count);
  gicc::signal_t *flag = flags + blockIdx.x * 16;
  unsigned long long first = *epoch + 1, last = *epoch + iterations;
  if (gicc::my_pe() == 0) {
    for (unsigned long long i = first; i <= last; i++) {
      gicc::put_signal<gicc::block>(message + from, source + from, count, flag, i, 1);
      gicc::wait<gicc::block>(reply, gicc::cmp::ge, i, 1);
    }
  } else {
    for (unsigned long long i = first; i <= last; i++) {
      gicc::wait<gicc::block>(flag, gicc::cmp::ge, i, 0);
      if (gridDim.x == 1 || gicc::arrive(arrived, gridDim.x))
        gicc::signal<gicc::block>(reply, i, 0, gicc::op::set, gicc::order::relaxed);
    }
  }
  // Every block has read the epoch: it took part in the last round.
  if (blockIdx.x == 0 && threadIdx.x == 0) *epoch = last;
}
