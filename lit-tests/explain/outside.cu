// A kernel that waits for a word which nobody in it writes: a peer does, or the host. What it waits for in a word that its own
// blocks count in is the grid's.
// RUN: %gicc explain %s --format json | %python %S/../check/summary.py | FileCheck %s

// CHECK-LABEL: held_back(
// CHECK: poll-local [[#@LINE+3]]
__global__ void held_back(volatile int *go, long long clocks) {
  long long start = clock64();
  while (!*go)
    if (clock64() - start > clocks) break;
}

// CHECK-LABEL: grid(
// CHECK-NOT: poll-local
__global__ void grid(volatile unsigned *count) {
  if (threadIdx.x == 0) {
    atomicAdd((unsigned *)count, 1);
    while (*count < gridDim.x) {}
  }
  __syncthreads();
}
