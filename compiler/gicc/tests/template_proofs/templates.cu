// One kernel a side for each lowering template. Readers read what another thread of their group would have waited for, so
// that the meeting after a wait matters. Their loads are volatile in the language, not in PTX: `asm` keeps them weak and in
// the code.
#include <gicc/gicc.cuh>
using namespace gicc;

__device__ unsigned read(const unsigned *p) {
  unsigned v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ void write(unsigned *p, unsigned v) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

// data: two words of 32 bits, thread i stores word i; source has both.
extern "C" __global__ void put_signal_thread(unsigned *data, const unsigned *source, signal_t *f) {
  put_signal(data, source, 1, f, 1, 1);
}
extern "C" __global__ void put_signal_warp(unsigned *data, const unsigned *source, signal_t *f) {
  put_signal<warp>(data, source, 2, f, 1, 1);
}
extern "C" __global__ void put_signal_block(unsigned *data, const unsigned *source, signal_t *f) {
  put_signal<block>(data, source, 2, f, 1, 1);
}
extern "C" __global__ void put_signal_add_block(unsigned *data, const unsigned *source, signal_t *f) {
  put_signal<block>(data, source, 2, f, 1, 1, op::add);
}
extern "C" __global__ void put_then_signal_block(unsigned *data, const unsigned *source, signal_t *f) {
  put<block>(data, source, 2, 1);
  signal<block>(f, 1, 1);
}
// Several signals behind one release: g is the second.
extern "C" __global__ void two_signals(unsigned *data, const unsigned *source, signal_t *f, signal_t *g) {
  put(data, source, 1, 1);
  signal(f, 1, 1);
  signal(g, 1, 1);
}
extern "C" __global__ void release_then_relaxed_block(unsigned *data, const unsigned *source, signal_t *f) {
  put<block>(data, source, 2, 1);
  release<block>();
  signal<block>(f, 1, 1, op::set, order::relaxed);
}
// Wrong: the block's release publishes with what its first thread signals, and this is another one.
extern "C" __global__ void release_then_wrong_thread(unsigned *data, const unsigned *source, signal_t *f) {
  put<block>(data, source, 2, 1);
  release<block>();
  if (threadIdx.x == 1) signal(f, 1, 1, op::set, order::relaxed);
}
// Wrong: a relaxed signal publishes nothing.
extern "C" __global__ void put_then_relaxed(unsigned *data, const unsigned *source, signal_t *f) {
  put<block>(data, source, 2, 1);
  signal<block>(f, 1, 1, op::set, order::relaxed);
}
extern "C" __global__ void quiet_then_relaxed(unsigned *data, const unsigned *source, signal_t *f) {
  put(data, source, 1, 1);
  quiet();
  signal(f, 1, 1, op::set, order::relaxed);
}
// An initiation: with its signal; its event waited for by the group; its event tested by another thread than the speaker.
extern "C" __global__ void initiate_signal(unsigned *data, const unsigned *source, signal_t *f) {
  initiation how;
  how.sig = f;
  initiate<block>(data, source, 2, 1, how);
}
extern "C" __global__ void initiate_then_wait(unsigned *data, const unsigned *source, signal_t *f) {
  event e = initiate<block>(data, source, 2, 1);
  wait<block>(e);
  signal<block>(f, 1, 1, op::set, order::relaxed);
}
extern "C" __global__ void initiate_then_test(unsigned *data, const unsigned *source, signal_t *f) {
  event e = initiate<block>(data, source, 2, 1);
  if (threadIdx.x == 1) {
    while (!test(e)) {}
    signal(f, 1, 1, op::set, order::relaxed);
  }
}
// Two blocks; each stores one word with its second thread; the last one signals for both.
extern "C" __global__ void last_block(unsigned *data, signal_t *f, unsigned *counter) {
  if (threadIdx.x == 1) write(peer_ptr(data, 1) + blockIdx.x, blockIdx.x + 1);
  if (arrive(counter, 2)) signal<block>(f, 1, 1);
}

extern "C" __global__ void wait_thread(const unsigned *data, signal_t *f) {
  wait(f, cmp::ge, 1, 0);
  read(data);
}
extern "C" __global__ void wait_warp(const unsigned *data, signal_t *f) {
  wait<warp>(f, cmp::ge, 1, 0);
  read(data + (threadIdx.x ^ 1));
}
extern "C" __global__ void wait_block(const unsigned *data, signal_t *f) {
  wait<block>(f, cmp::ge, 1, 0);
  read(data + (threadIdx.x ^ 1));
}
// One thread waits for its block.
extern "C" __global__ void wait_elected(const unsigned *data, signal_t *f) {
  if (threadIdx.x == 0) wait(f, cmp::ge, 1, 0);
  __syncthreads();
  read(data + (threadIdx.x ^ 1));
}
extern "C" __global__ void test_until(const unsigned *data, signal_t *f) {
  while (!test(f, cmp::ge, 1)) {}
  read(data);
}

// Each PE stores a word at the other with its second thread and reads its own word with its first.
extern "C" __global__ void barrier_pes(unsigned *data) {
  if (threadIdx.x == 1) write(peer_ptr(data, 1 - my_pe()), 5);
  barrier();
  if (threadIdx.x == 0) read(data);
}

// A channel of one slot: the second message waits for the credit of the first.
using stream = channel<unsigned, protocol::simple, 1, 2>;
extern "C" __global__ void channel_put_block(channel_state *s, unsigned *data, const unsigned *source) {
  stream c(s, data);
  c.put<block>(source, 2, 1);
  c.put<block>(source + 2, 2, 1);
}
extern "C" __global__ void channel_wait_block(channel_state *s, unsigned *data) {
  stream c(s, data);
  const unsigned *slot = c.wait<block>(0);
  read(slot + (threadIdx.x ^ 1));
  c.done<block>(0);
  slot = c.wait<block>(0);
  read(slot + (threadIdx.x ^ 1));
}

// Packets: three messages of two packets through one slot, which has places for two: the third message takes the place of the
// first. The wait side takes the first, each thread unpacking one packet and reading the other thread's.
using packets = channel<unsigned long long, protocol::ll, 1, 2, packet::data_8>;
extern "C" __global__ void ll_put_block(packets::storage *s, unsigned long long *data, const unsigned long long *source) {
  packets c(s, data);
  c.put<block>(source, 2, 1);
  c.put<block>(source + 2, 2, 1);
  c.put<block>(source + 4, 2, 1);
}
extern "C" __global__ void ll_wait_block(packets::storage *s, unsigned long long *data) {
  packets c(s, data);
  const unsigned long long *slot = c.wait<block>(2, 0);
  read((const unsigned *)(slot + (threadIdx.x ^ 1)));
  c.done<block>(0);
}

// The same by a warp, of two threads.
extern "C" __global__ void ll_put_warp(packets::storage *s, unsigned long long *data, const unsigned long long *source) {
  packets c(s, data);
  c.put<warp>(source, 2, 1);
  c.put<warp>(source + 2, 2, 1);
  c.put<warp>(source + 4, 2, 1);
}
extern "C" __global__ void ll_wait_warp(packets::storage *s, unsigned long long *data) {
  packets c(s, data);
  const unsigned long long *slot = c.wait<warp>(2, 0);
  read((const unsigned *)(slot + (threadIdx.x ^ 1)));
  c.done<warp>(0);
}

// The same with 12 bytes of data in a packet, and a message of five words, of which the second packet has two.
using dense = channel<unsigned, protocol::ll, 1, 5, packet::data_12>;
extern "C" __global__ void ll_12_put_block(dense::storage *s, unsigned *data, const unsigned *source) {
  dense c(s, data);
  c.put<block>(source, 5, 1);
  c.put<block>(source + 1, 5, 1);
  c.put<block>(source + 2, 5, 1);
}
extern "C" __global__ void ll_12_wait_block(dense::storage *s, unsigned *data) {
  dense c(s, data);
  const unsigned *slot = c.wait<block>(5, 0);
  read(slot + 3 * (threadIdx.x ^ 1));
  c.done<block>(0);
}
