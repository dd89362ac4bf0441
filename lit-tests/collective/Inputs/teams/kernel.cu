// Collectives of teams: neighbours in pairs, then PEs of the same parity (which overlap the pairs), then the pairs again, round
// after round in place, so that each needs the one before and slots are used again and again. A PE without a partner does not
// call; all PEs of one parity do.
#include <gicc/gicc.cuh>

#define REDUCE(name, group, way)                                                                                       \
  extern "C" __global__ void name(unsigned *elements, unsigned *all, int n, int rounds) {                              \
    const int me = gicc::my_pe(), pes = gicc::n_pes();                                                                 \
    const gicc::team pair(me & ~1, 1, 2), parity(me & 1, 2, (pes + 1 - (me & 1)) / 2);                                 \
    for (int i = 0; i < rounds; i++) {                                                                                 \
      if ((me | 1) < pes)                                                                                              \
        gicc::all_reduce<gicc::group>(pair, elements, elements, n - i, gicc::reduce::sum, gicc::algorithm::way);       \
      gicc::all_reduce<gicc::group>(parity, elements, elements, n, gicc::reduce::sum, gicc::algorithm::way);           \
    }                                                                                                                  \
  }
REDUCE(one_shot_block, block, one_shot)
REDUCE(two_shot_block, block, two_shot)
REDUCE(ring_block, block, ring)
REDUCE(one_shot_grid, grid, one_shot)
REDUCE(two_shot_grid, grid, two_shot)
REDUCE(ring_grid, grid, ring)

// What is gathered is summed up by whole blocks, so every thread reads what others stored.
__device__ void add_up(unsigned *elements, const unsigned *all, int members, int n) {
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    unsigned sum = 0;
    for (int pe = 0; pe < members; pe++) sum += all[pe * n + (k + 1) % n];
    elements[(k + 1) % n] = sum;
  }
  __syncthreads();
}
#define GATHER(name, way)                                                                                              \
  extern "C" __global__ void name(unsigned *elements, unsigned *all, int n, int rounds) {                              \
    const int me = gicc::my_pe(), pes = gicc::n_pes();                                                                 \
    const gicc::team pair(me & ~1, 1, 2), parity(me & 1, 2, (pes + 1 - (me & 1)) / 2);                                 \
    for (int i = 0; i < rounds; i++) {                                                                                 \
      if ((me | 1) < pes) {                                                                                            \
        gicc::all_gather(pair, all, elements, n - i, gicc::algorithm::way);                                            \
        add_up(elements, all, 2, n - i);                                                                               \
      }                                                                                                                \
      gicc::all_gather(parity, all, elements, n, gicc::algorithm::way);                                                \
      add_up(elements, all, parity.n_pes(), n);                                                                        \
    }                                                                                                                  \
  }
GATHER(direct_block, direct)
GATHER(gather_ring_block, ring)

// The same by hand, with a team's barrier: its members meet, so that none reads any more what came before, maybe of another team;
// store at all members; meet; and add up what came, by threads that did not store it.
__device__ void reduce(const gicc::team &team, unsigned *elements, unsigned *all, int n) {
  gicc::barrier(team);
  for (int pe = 0; pe < team.n_pes(); pe++) {
    unsigned *there = gicc::peer_ptr(all, team.world_pe(pe)) + team.my_pe() * n;
    for (int k = threadIdx.x; k < n; k += blockDim.x) there[k] = elements[k];
  }
  gicc::barrier(team);
  add_up(elements, all, team.n_pes(), n);
}
extern "C" __global__ void barrier_block(unsigned *elements, unsigned *all, int n, int rounds) {
  const int me = gicc::my_pe(), pes = gicc::n_pes();
  const gicc::team pair(me & ~1, 1, 2), parity(me & 1, 2, (pes + 1 - (me & 1)) / 2);
  for (int i = 0; i < rounds; i++) {
    // Barriers and collectives of a pair count the same rounds.
    if ((me | 1) < pes && i % 2 == 1) gicc::all_reduce(pair, elements, elements, n - i);
    else if ((me | 1) < pes) reduce(pair, elements, all, n - i);
    reduce(parity, elements, all, n);
  }
}
