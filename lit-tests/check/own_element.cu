// Which element of a table of pointers is the own PE's, where the table went through an array of the thread's: a copy of it in
// order is picked from as the table itself is; one that begins with the own PE's has it first.
// RUN: %gicc explain %s --format json | %python %S/summary.py | FileCheck %s

struct tables {
  float *data[4];
  unsigned *flags[4];
};

__device__ void meet(tables t, int rank, unsigned epoch) {
  __syncthreads();
  if (threadIdx.x < 4) {
    asm volatile("st.release.sys.global.u32 [%1], %0;" ::"r"(epoch), "l"(t.flags[threadIdx.x] + rank) : "memory");
    unsigned seen;
    do {
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(t.flags[rank] + threadIdx.x) : "memory");
    } while (seen != epoch);
  }
  __syncthreads();
}

// CHECK-LABEL: in_order
__global__ void in_order(tables t, int rank, unsigned epoch, const float *in, float *out) {
  float *data[4];
  for (int i = 0; i < 4; ++i) data[i] = t.data[i];
  // CHECK: exported-store [[@LINE+1]]
  data[rank][threadIdx.x] = in[threadIdx.x];
  meet(t, rank, epoch);
  // CHECK: remote-load [[@LINE+1]]
  for (int i = 0; i < 4; ++i) out[threadIdx.x] += data[i][threadIdx.x];
}

// CHECK-LABEL: turned
__global__ void turned(tables t, int rank, unsigned epoch, const float *in, float *out) {
  float *data[4];
  for (int i = 0; i < 4; ++i) data[i] = t.data[(rank + i) % 4];
  // CHECK: exported-store [[@LINE+1]]
  data[0][threadIdx.x] = in[threadIdx.x];
  meet(t, rank, epoch);
  // CHECK: remote-load [[@LINE+1]]
  for (int i = 0; i < 4; ++i) out[threadIdx.x] += data[i][threadIdx.x];
}

// CHECK-LABEL: neighbour
__global__ void neighbour(tables t, int rank, unsigned epoch, const float *in) {
  // CHECK: remote-store [[@LINE+1]]
  t.data[(rank + 1) % 4][threadIdx.x] = in[threadIdx.x];
  meet(t, rank, epoch);
}
