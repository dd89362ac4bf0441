// Streams of messages of many lengths through channels of every protocol, to the next PE from the one before. Each PE
// receives as many as it sends, and appends what it gets to its output.
#include <gicc/gicc.cuh>
#include "stream.h"

using gicc::packet;
using gicc::protocol;

__device__ int next() { return (gicc::my_pe() + 1) % gicc::n_pes(); }
__device__ int previous() { return (gicc::my_pe() + gicc::n_pes() - 1) % gicc::n_pes(); }

template <gicc::group G> __device__ int rank() { return G == gicc::thread ? 0 : threadIdx.x; }
template <gicc::group G> __device__ int size() {
  return G == gicc::thread ? 1 : G == gicc::warp ? 32 : blockDim.x;
}
/// Whether the thread is in the first group of its kind.
template <gicc::group G> __device__ bool takes_part() { return threadIdx.x < size<G>(); }

/// `batch` messages are sent, then waited for, then read, then done.
template <gicc::group Put, gicc::group Wait, int Capacity, class Channel, class T>
__device__ void stream(Channel &c, const T *source, T *out, long *position, int first, int messages, int batch,
                       unsigned seed) {
  long at = *position;
  __syncthreads();
  for (int m = first; m < first + messages; m += batch) {
    if (takes_part<Put>())
      for (int i = m; i < m + batch; i++)
        c.template put<Put>(source + start_of(i, seed), length_of(i, seed, Capacity), next());
    if (takes_part<Wait>()) {
      const T *slots[4];
      for (int i = 0; i < batch; i++) slots[i] = c.template wait<Wait>(length_of(m + i, seed, Capacity), previous());
      for (int i = 0; i < batch; i++) {
        int n = length_of(m + i, seed, Capacity);
        if (slots[i])
          for (int k = rank<Wait>(); k < n; k += size<Wait>()) out[at + k] = slots[i][k];
        at += n;
        c.template done<Wait>(previous());
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *position = at;
}

#define STREAM(name, T, P, Slots, Capacity, Form, Put, Wait)                                                           \
  extern "C" __global__ void name(void *storage, T *slots, const T *source, T *out, long *position, int first,         \
                                  int messages, int batch, unsigned seed) {                                            \
    using Channel = gicc::channel<T, protocol::P, Slots, Capacity, packet::Form>;                                      \
    static_assert(Channel::storage_bytes <= (1 << 19) + 128 && Channel::buffer_elements * sizeof(T) <= 1 << 19, "the buffers"); \
    Channel c(#name, (typename Channel::storage *)storage, slots);                                                     \
    stream<gicc::Put, gicc::Wait, Capacity>(c, source, out, position, first, messages, batch, seed);                   \
  }

struct alignas(8) Three { double x, y, z; };

STREAM(floats, float, ll, 4, 300, automatic, block, block)
STREAM(floats_8, float, ll, 4, 300, data_8, block, block)
STREAM(words_8, unsigned long long, ll, 4, 90, data_8, block, block)
STREAM(warps, float, ll, 4, 300, data_12, warp, warp)
STREAM(threads, float, ll, 4, 40, data_12, thread, thread)
STREAM(block_to_warp, float, ll, 4, 300, data_12, block, warp)
STREAM(thread_to_block, float, ll, 4, 60, data_8, thread, block)
STREAM(bytes_12, unsigned char, ll, 4, 333, data_12, block, block)
STREAM(bytes_8, unsigned char, ll, 4, 333, data_8, warp, block)
// Slots that are smaller than what a packet carries: a message without elements leaves the others alone.
STREAM(tiny, unsigned char, ll, 4, 3, data_8, warp, block)
STREAM(halves, unsigned short, ll, 5, 333, data_12, block, warp)
STREAM(structures, Three, ll, 4, 50, data_12, block, block)
STREAM(one_slot, float, ll, 1, 100, data_12, block, block)
STREAM(simple, float, simple, 4, 300, automatic, block, warp)
STREAM(both, float, automatic, 2, 12000, automatic, block, block)
STREAM(both_by_warps, unsigned char, automatic, 1, 40000, automatic, warp, warp)
STREAM(both_mixed, float, automatic, 4, 9000, automatic, block, warp)
