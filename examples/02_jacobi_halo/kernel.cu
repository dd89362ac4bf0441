// Jacobi iterations on a grid that is split by rows over the PEs, and on each PE over its blocks, until no cell changes by
// more than a tolerance. Everything happens in one launch: a block goes on to the next iteration when its two neighbours
// have finished this one, whether they are blocks of its own GPU or of another; halos are pushed from inside the kernel.
//
// All blocks of the launch must be resident at once, since they wait for each other.
#include <gicc/gicc.cuh>

// What a PE holds. Rows 0 and rows + 1 of the grids are halos, or the fixed edge of the whole grid.
struct Part {
  float *grid[2];               // symmetric, (rows + 2) * width each: the iterations write them in turn
  gicc::signal_t *from_above;   // symmetric, one for each block: iterations that the block above has finished, plus 1
  gicc::signal_t *from_below;   // symmetric, likewise for the block below
  float *changes;               // symmetric, two for each PE: the largest change on that PE, by turns
  gicc::signal_t *changes_here; // symmetric, one for each PE: checks that the PE has taken part in
  int *largest;                 // two words: the largest change of this PE's blocks (bits of a float), by turns; zero
  unsigned *counter;            // counts blocks; zero
};

// Tells the blocks above and below that this block has finished `finished` iterations, the last one in `grid`; where they
// are on another PE, their halo row goes along.
__device__ void tell_neighbours(const Part &p, float *grid, int rows, int width, int first, int last, uint64_t finished) {
  int me = gicc::my_pe(), block = blockIdx.x, blocks = gridDim.x;
  if (block > 0) gicc::signal<gicc::block>(p.from_below + block - 1, finished, me);
  else if (me > 0)
    gicc::put_signal<gicc::block>(grid + (rows + 1) * width, grid + first * width, width, p.from_below + blocks - 1,
                                  finished, me - 1);
  if (block < blocks - 1) gicc::signal<gicc::block>(p.from_above + block + 1, finished, me);
  else if (me < gicc::n_pes() - 1)
    gicc::put_signal<gicc::block>(grid, grid + (last - 1) * width, width, p.from_above, finished, me + 1);
}

__device__ void wait_for_neighbours(const Part &p, uint64_t finished) {
  int me = gicc::my_pe(), block = blockIdx.x, blocks = gridDim.x;
  if (block > 0 || me > 0)
    gicc::wait<gicc::block>(p.from_above + block, gicc::cmp::ge, finished, block > 0 ? me : me - 1);
  if (block < blocks - 1 || me < gicc::n_pes() - 1)
    gicc::wait<gicc::block>(p.from_below + block, gicc::cmp::ge, finished, block < blocks - 1 ? me : me + 1);
}

// The largest of the threads' values, for thread 0.
__device__ float largest_of_block(float value) {
  __shared__ float of_warp[32];
  for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_down_sync(0xffffffffu, value, step));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  for (int w = 1; w < (int)blockDim.x / 32; w++) value = fmaxf(value, of_warp[w]);
  __syncthreads();
  return value;
}

// The largest change on all PEs, the same for every block of every PE. check: 1, 2, …
__device__ float largest_of_all(const Part &p, float change, uint64_t check) {
  int turn = check % 2, me = gicc::my_pe(), pes = gicc::n_pes();
  change = largest_of_block(change);
  // Changes are not negative, so their bits are in the same order as they are.
  if (threadIdx.x == 0) atomicMax(p.largest + turn, __float_as_int(change));
  if (gicc::arrive(p.counter)) {
    // The last block has seen all of them, and speaks for its PE.
    float *mine = p.changes + turn * pes + me;
    if (threadIdx.x == 0) {
      *mine = __int_as_float(p.largest[turn]);
      p.largest[turn] = 0;
    }
    __syncthreads();
    for (int pe = 0; pe < pes; pe++) gicc::put_signal<gicc::block>(mine, mine, 1, p.changes_here + me, check, pe);
  }
  float largest = 0;
  for (int pe = 0; pe < pes; pe++) {
    gicc::wait<gicc::block>(p.changes_here + pe, gicc::cmp::ge, check, pe);
    largest = fmaxf(largest, p.changes[turn * pes + pe]);
  }
  return largest;
}

__global__ void jacobi(float *grid0, float *grid1, gicc::signal_t *from_above, gicc::signal_t *from_below, float *changes,
                       gicc::signal_t *changes_here, int *largest, unsigned *counter, const float *source, float *result,
                       int *iterations, int rows, int width, int check_every, int most, float tolerance) {
  Part p = {{grid0, grid1}, from_above, from_below, changes, changes_here, largest, counter};
  int first = 1 + rows * (int)blockIdx.x / (int)gridDim.x, last = 1 + rows * ((int)blockIdx.x + 1) / (int)gridDim.x;

  // The second grid has the same edges, so this block's rows are copied, and the rows above and below the whole grid. The
  // halos between PEs are not: a neighbour pushes them, and may be doing so already.
  bool top = blockIdx.x == 0 && gicc::my_pe() == 0;
  bool bottom = blockIdx.x == gridDim.x - 1 && gicc::my_pe() == gicc::n_pes() - 1;
  int copy_from = top ? 0 : first, copy_to = bottom ? rows + 2 : last;
  for (int i = copy_from * width + threadIdx.x; i < copy_to * width; i += blockDim.x) grid1[i] = grid0[i];
  __syncthreads();
  tell_neighbours(p, grid0, rows, width, first, last, 1);

  int done = 0;
  uint64_t check = 0;
  while (done < most) {
    const float *old = p.grid[done % 2];
    float *now = p.grid[1 - done % 2];
    // The neighbours have finished what this block reads, and have read what it overwrites.
    wait_for_neighbours(p, done + 1);
    float change = 0;
    int inner = width - 2;
    for (int k = threadIdx.x; k < (last - first) * inner; k += blockDim.x) {
      int i = (first + k / inner) * width + 1 + k % inner;
      float value = 0.25f * (old[i - width] + old[i + width] + old[i - 1] + old[i + 1] + source[i - width]);
      change = fmaxf(change, fabsf(value - old[i]));
      now[i] = value;
    }
    done++;
    __syncthreads();
    tell_neighbours(p, now, rows, width, first, last, done + 1);
    if (done % check_every == 0 && largest_of_all(p, change, ++check) < tolerance) break;
    // A wait that gave up leaves numbers that mean nothing. All threads of the block get the same answer.
    if (gicc::failed<gicc::block>()) return;
  }

  const float *final = p.grid[done % 2];
  for (int i = first * width + threadIdx.x; i < last * width; i += blockDim.x) result[i - width] = final[i];
  if (blockIdx.x == 0 && threadIdx.x == 0) *iterations = done;
}
