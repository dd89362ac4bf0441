// All primitives at once: ptxas accepts the PTX for each architecture.
// REQUIRES: ptxas
// RUN: %every-arch %s
#include <gicc/gicc.cuh>

template <gicc::group G> __device__ void all(float *d, const float *s, uint64_t *f, gicc::channel_state *st, long long n, int pe) {
  gicc::put<G>(d, s, n, pe);
  gicc::put_bytes<G>(d, s, n, pe);
  gicc::put_signal<G>(d, s, n, f, 1, pe, gicc::op::add);
  gicc::signal<G>(f, 1, pe);
  gicc::wait<G>(f, gicc::cmp::ge, 1, pe);
  gicc::get<G>(d, s, n, pe);
  gicc::release<G>();
  gicc::acquire<G>();
  gicc::quiet<G>();
  gicc::channel<float> c(st, d);
  c.put<G>(s, n, pe);
  if (float *slot = c.wait<G>(pe)) d[0] = slot[0];
  c.done<G>(pe);
}

__global__ void k(float *d, const float *s, uint64_t *f, gicc::channel_state *st, uint32_t *count, long long n, int pe) {
  all<gicc::thread>(d, s, f, st, n, pe);
  all<gicc::warp>(d, s, f, st, n, pe);
  all<gicc::block>(d, s, f, st, n, pe);
  if (gicc::arrive(count)) gicc::barrier();
  if (gicc::test(f, gicc::cmp::ne, 0)) *gicc::peer_ptr(d, pe) = (float)(int)gicc::error();
}
