// Every primitive of gicc.cuh by every group, one kernel each. All messages go from PE p to PE p + 1.
#include <gicc/gicc.cuh>

__device__ int next() { return (gicc::my_pe() + 1) % gicc::n_pes(); }
__device__ int previous() { return (gicc::my_pe() + gicc::n_pes() - 1) % gicc::n_pes(); }

// Each group of the block moves its own part of n elements; the signals are one for each group.
template <gicc::group G> __device__ int groups() {
  return G == gicc::thread ? blockDim.x : G == gicc::warp ? blockDim.x / 32 : 1;
}
template <gicc::group G> __device__ int me() {
  return G == gicc::thread ? threadIdx.x : G == gicc::warp ? threadIdx.x / 32 : 0;
}
template <gicc::group G> __device__ int lane() {
  return G == gicc::thread ? 0 : G == gicc::warp ? threadIdx.x % 32 : threadIdx.x;
}
template <gicc::group G> __device__ int lanes() {
  return G == gicc::thread ? 1 : G == gicc::warp ? 32 : blockDim.x;
}
template <gicc::group G> __device__ void converge() {
  if (G == gicc::warp) __syncwarp();
  if (G == gicc::block) __syncthreads();
}

// put_signal and wait; each group doubles what came.
template <gicc::group G>
__device__ void put_signal(float *landing, const float *source, gicc::signal_t *flags, float *out, int n) {
  int each = n / groups<G>(), from = me<G>() * each;
  gicc::put_signal<G>(landing + from, source + from, each, flags + me<G>(), 1, next());
  gicc::wait<G>(flags + me<G>(), gicc::cmp::eq, 1, previous());
  for (int i = lane<G>(); i < each; i += lanes<G>()) out[from + i] = 2 * landing[from + i];
}
__global__ void put_signal_thread(float *l, const float *s, gicc::signal_t *f, float *o, int n) { put_signal<gicc::thread>(l, s, f, o, n); }
__global__ void put_signal_warp(float *l, const float *s, gicc::signal_t *f, float *o, int n) { put_signal<gicc::warp>(l, s, f, o, n); }
__global__ void put_signal_block(float *l, const float *s, gicc::signal_t *f, float *o, int n) { put_signal<gicc::block>(l, s, f, o, n); }

// put, release, a relaxed adding signal; test as the wait's last step.
template <gicc::group G>
__device__ void put_release(float *landing, const float *source, gicc::signal_t *flags, float *out, int n) {
  int each = n / groups<G>(), from = me<G>() * each;
  gicc::put<G>(landing + from, source + from, each, next());
  gicc::release<G>();
  gicc::signal<G>(flags + me<G>(), 3, next(), gicc::op::add, gicc::order::relaxed);
  gicc::wait<G>(flags + me<G>(), gicc::cmp::gt, 2, previous());
  if (!gicc::test(flags + me<G>(), gicc::cmp::ne, 0)) return;
  for (int i = lane<G>(); i < each; i += lanes<G>()) out[from + i] = 2 * landing[from + i];
}
__global__ void put_release_thread(float *l, const float *s, gicc::signal_t *f, float *o, int n) { put_release<gicc::thread>(l, s, f, o, n); }
__global__ void put_release_warp(float *l, const float *s, gicc::signal_t *f, float *o, int n) { put_release<gicc::warp>(l, s, f, o, n); }
__global__ void put_release_block(float *l, const float *s, gicc::signal_t *f, float *o, int n) { put_release<gicc::block>(l, s, f, o, n); }

// The receiver pulls: the owner fills, all PEs meet, then get.
template <gicc::group G>
__device__ void get(float *landing, const float *source, gicc::signal_t *, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) landing[i] = source[i];
  gicc::barrier();
  int each = n / groups<G>(), from = me<G>() * each;
  gicc::get<G>(out + from, landing + from, each, previous());
  converge<G>();
  for (int i = lane<G>(); i < each; i += lanes<G>()) out[from + i] *= 2;
  gicc::barrier();
}
__global__ void get_thread(float *l, const float *s, gicc::signal_t *f, float *o, int n) { get<gicc::thread>(l, s, f, o, n); }
__global__ void get_warp(float *l, const float *s, gicc::signal_t *f, float *o, int n) { get<gicc::warp>(l, s, f, o, n); }
__global__ void get_block(float *l, const float *s, gicc::signal_t *f, float *o, int n) { get<gicc::block>(l, s, f, o, n); }

// Plain stores through peer_ptr, published by quiet and a signal of one thread.
__global__ void peer(float *landing, const float *source, gicc::signal_t *flags, float *out, int n) {
  float *there = gicc::peer_ptr(landing, next());
  for (int i = threadIdx.x; i < n; i += blockDim.x) there[i] = source[i];
  gicc::quiet<gicc::block>();
  gicc::signal<gicc::block>(flags, 7, next());
  gicc::wait<gicc::block>(flags, gicc::cmp::ge, 7, previous());
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 2 * landing[i];
}

// Several blocks store; the last to arrive speaks for all, and the waiting side is any block.
__global__ void last_block(float *landing, const float *source, gicc::signal_t *flags, float *out, int n, uint32_t *count) {
  int each = n / gridDim.x, from = blockIdx.x * each;
  gicc::put<gicc::block>(landing + from, source + from, each, next());
  if (gicc::arrive(count)) gicc::signal<gicc::block>(flags, 1, next());
  gicc::wait<gicc::block>(flags, gicc::cmp::le, 1, previous());
  gicc::wait<gicc::block>(flags, gicc::cmp::ne, 0, previous());
  for (int i = threadIdx.x; i < each; i += blockDim.x) out[from + i] = 2 * landing[from + i];
}

// A stream of messages through two slots.
__global__ void channel(float *slots, const float *source, gicc::channel_state *state, float *out, int n) {
  constexpr int message = 64;
  gicc::channel<float, gicc::protocol::simple, 2, message> c(state, slots);
  for (int at = 0; at < n; at += message) {
    c.put<gicc::block>(source + at, message, next());
    if (const float *slot = c.wait<gicc::block>(previous()))
      for (int i = threadIdx.x; i < message; i += blockDim.x) out[at + i] = 2 * slot[i];
    c.done<gicc::block>(previous());
  }
}

// An initiation whose signal the receiver waits for; the sender waits for the event and spoils its copy of the source.
template <gicc::group G>
__device__ void initiate(float *landing, const float *source, gicc::signal_t *flags, float *out, int n) {
  int each = n / groups<G>(), from = me<G>() * each;
  for (int i = lane<G>(); i < each; i += lanes<G>()) out[from + i] = source[from + i];
  converge<G>();
  gicc::initiation how;
  how.sig = flags + me<G>();
  how.value = 5;
  how.priority = 1;
  gicc::event e = gicc::initiate<G>(landing + from, out + from, each, next(), how);
  bool good = gicc::wait<G>(e);
  for (int i = lane<G>(); i < each; i += lanes<G>()) out[from + i] = good ? 0 : -1;
  gicc::wait<G>(flags + me<G>(), gicc::cmp::eq, 5, previous());
  for (int i = lane<G>(); i < each; i += lanes<G>()) out[from + i] += 2 * landing[from + i];
}
__global__ void initiate_thread(float *l, const float *s, gicc::signal_t *f, float *o, int n) { initiate<gicc::thread>(l, s, f, o, n); }
__global__ void initiate_warp(float *l, const float *s, gicc::signal_t *f, float *o, int n) { initiate<gicc::warp>(l, s, f, o, n); }
__global__ void initiate_block(float *l, const float *s, gicc::signal_t *f, float *o, int n) { initiate<gicc::block>(l, s, f, o, n); }

// Several initiations are under way; then each group tests by its last thread, which sends a relaxed signal.
template <gicc::group G>
__device__ void event(float *landing, const float *source, gicc::signal_t *flags, float *out, int n) {
  int each = n / groups<G>(), from = me<G>() * each, half = each / 2;
  gicc::event first = gicc::initiate<G>(landing + from, source + from, half, next());
  gicc::event second = gicc::initiate<G>(landing + from + half, source + from + half, each - half, next());
  if (lane<G>() == lanes<G>() - 1) {
    while (!gicc::test(first) || !gicc::test(second)) {
    }
    gicc::signal(flags + me<G>(), 1, next(), gicc::op::set, gicc::order::relaxed);
  }
  gicc::wait<G>(flags + me<G>(), gicc::cmp::eq, 1, previous());
  bool bad = gicc::failed<G>();
  for (int i = lane<G>(); i < each; i += lanes<G>()) out[from + i] = bad ? -1 : 2 * landing[from + i];
}
__global__ void event_thread(float *l, const float *s, gicc::signal_t *f, float *o, int n) { event<gicc::thread>(l, s, f, o, n); }
__global__ void event_warp(float *l, const float *s, gicc::signal_t *f, float *o, int n) { event<gicc::warp>(l, s, f, o, n); }
__global__ void event_block(float *l, const float *s, gicc::signal_t *f, float *o, int n) { event<gicc::block>(l, s, f, o, n); }

// No error word was written by any of the above.
__global__ void no_error(float *out, int n) {
  if (gicc::error() != gicc::error_code::none) out[0] = -1;
}
