// Whether a PE sends, to whom and how much depends on its data: each item names the PE that it belongs to, and each PE
// drops a part of its items. Block d of a PE sends to PE d; block s of a PE receives from PE s. A receiver knows nothing
// beforehand: the signal tells it how many items came.
#include <gicc/gicc.cuh>

// The items for PE `to`, in their order, to `staging`; how many there are. All threads of a block of whole warps call.
__device__ int select(unsigned *staging, const unsigned *items, int n, const int *route, int routes, int keep_below,
                      int to) {
  __shared__ int in_warp[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, found = 0;
  for (int tile = 0; tile < n; tile += blockDim.x) {
    int i = tile + threadIdx.x;
    unsigned item = i < n ? items[i] : 0;
    bool mine = i < n && (int)(item % 1024) < keep_below && route[item / 1024 % routes] == to;
    unsigned votes = __ballot_sync(0xffffffffu, mine);
    if (lane == 0) in_warp[warp] = __popc(votes);
    __syncthreads();
    int before = found;
    for (int w = 0; w < warps; w++) {
      if (w < warp) before += in_warp[w];
      found += in_warp[w];
    }
    if (mine) staging[before + __popc(votes & ((1u << lane) - 1))] = item;
    __syncthreads();
  }
  return found;
}

// inbox: symmetric, `capacity` items for each source PE. arrived: symmetric, one signal for each source PE; items plus 1.
__global__ void dispatch(unsigned *inbox, gicc::signal_t *arrived, unsigned *staging, const unsigned *items,
                         const int *route, int *received, unsigned long long *sums, int n, int routes, int keep_below,
                         int capacity) {
  __shared__ unsigned long long sum;
  int me = gicc::my_pe(), peer = blockIdx.x;

  unsigned *outbox = staging + (long)peer * capacity;
  int count = select(outbox, items, n, route, routes, keep_below, peer);
  if (count > 0) gicc::put_signal<gicc::block>(inbox + (long)me * capacity, outbox, count, arrived + me, count + 1, peer);
  else gicc::signal<gicc::block>(arrived + me, 1, peer, gicc::op::set, gicc::order::relaxed);

  int came = (int)gicc::wait<gicc::block>(arrived + peer, gicc::cmp::ne, 0, peer) - 1;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < came; i += blockDim.x)
    atomicAdd(&sum, (unsigned long long)inbox[(long)peer * capacity + i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    received[peer] = came;
    sums[peer] = sum;
  }
}
