// An array that goes to a peer in small stores. One store for each peer, a scatter, wide stores, and gicc's own copy are none.
// RUN: %gicc check %s | FileCheck %s
#include <gicc/gicc.cuh>

// CHECK: performance[C0205] narrow-stores, in `narrow`
// CHECK: an array goes to a peer in stores of 4 bytes
// CHECK: narrow_stores.cu:[[@LINE+5]]:
// CHECK: store 16 bytes at a time
// CHECK-NOT: in `narrow`
extern "C" __global__ void narrow(float *landing, const float *mine, int n, gicc::signal_t *arrived) {
  float *peer = gicc::peer_ptr(landing, 1 - gicc::my_pe());
  for (int i = threadIdx.x; i < n; i += blockDim.x) peer[i] = mine[i];
  gicc::signal<gicc::block>(arrived, 1, 1 - gicc::my_pe());
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 1 - gicc::my_pe());
}

// CHECK: performance[C0205] narrow-stores, in `half_wide`
// CHECK: an array goes to a peer in stores of 8 bytes
// CHECK-NOT: performance[
extern "C" __global__ void half_wide(float2 *landing, const float2 *mine, int n, gicc::signal_t *arrived) {
  float2 *peer = gicc::peer_ptr(landing, 1 - gicc::my_pe());
  int all = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) peer[i] = mine[i];
  gicc::signal<gicc::block>(arrived, 1, 1 - gicc::my_pe());
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 1 - gicc::my_pe());
}

extern "C" __global__ void wide(float4 *landing, const float4 *mine, int n, gicc::signal_t *arrived) {
  float4 *peer = gicc::peer_ptr(landing, 1 - gicc::my_pe());
  for (int i = threadIdx.x; i < n; i += blockDim.x) peer[i] = mine[i];
  gicc::signal<gicc::block>(arrived, 1, 1 - gicc::my_pe());
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 1 - gicc::my_pe());
}

// Four elements side by side become one store.
extern "C" __global__ void side_by_side(float *landing, const float *mine, int n, gicc::signal_t *arrived) {
  float *peer = gicc::peer_ptr(landing, 1 - gicc::my_pe());
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    peer[4 * i] = mine[i], peer[4 * i + 1] = 0, peer[4 * i + 2] = 0, peer[4 * i + 3] = 1;
  }
  gicc::signal<gicc::block>(arrived, 1, 1 - gicc::my_pe());
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 1 - gicc::my_pe());
}

extern "C" __global__ void scatter(float *landing, const int *place, const float *mine, int n, gicc::signal_t *arrived) {
  float *peer = gicc::peer_ptr(landing, 1 - gicc::my_pe());
  for (int i = threadIdx.x; i < n; i += blockDim.x) peer[place[i]] = mine[i];
  gicc::signal<gicc::block>(arrived, 1, 1 - gicc::my_pe());
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 1 - gicc::my_pe());
}

// Each thread has one element for each peer.
extern "C" __global__ void to_each(float *landing, const float *mine, gicc::signal_t *arrived) {
  landing += gicc::my_pe() * blockDim.x;
  for (int pe = 0; pe < gicc::n_pes(); ++pe) gicc::peer_ptr(landing, pe)[threadIdx.x] = mine[threadIdx.x];
  gicc::signal<gicc::block>(arrived, 1, 1 - gicc::my_pe());
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 1 - gicc::my_pe());
}

extern "C" __global__ void by_gicc(float *landing, const float *mine, int n, gicc::signal_t *arrived) {
  gicc::put_signal<gicc::block>(landing, mine, n, arrived, 1, 1 - gicc::my_pe());
  gicc::wait<gicc::block>(arrived, gicc::cmp::ge, 1, 1 - gicc::my_pe());
}
