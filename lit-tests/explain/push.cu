// A push through a table of pointers, without gicc: what each line is, who executes it, what orders it.
// RUN: %gicc explain %s | FileCheck %s
// RUN: %gicc explain %s --format json | FileCheck --check-prefix=JSON %s
// RUN: %gicc explain %s --graph %t.dot > /dev/null
// RUN: FileCheck --check-prefix=DOT %s < %t.dot
// RUN: %gicc explain %s --graph %t.svg > /dev/null
// RUN: FileCheck --check-prefix=SVG %s < %t.svg
// RUN: not %gicc explain %s --graph %t.png 2>&1 | FileCheck --check-prefix=PNG %s

struct Table {
  float *data[8];
  unsigned *flags[8];
};

__device__ __forceinline__ void set(unsigned *flag, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__device__ __forceinline__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

// CHECK: kernel push(Table, float const*, float*, int, int)
__global__ void push(Table peers, const float *in, float *out, int rank, int size) {
  // CHECK: float *to = peers.data
  // CHECK-NEXT: remote data store: st 4 bytes, a pointer of the table `peers`, by all threads
  // CHECK-NEXT: why: stores in a peer's memory; flags are written through another table of the same structure at system scope
  // CHECK-NEXT: ordered by: the barrier at {{.*}}push.cu:[[#BARRIER:]], the signal at {{.*}}push.cu
  for (int p = 0; p < size; p++) { float *to = peers.data[p]; to[threadIdx.x] = in[threadIdx.x]; }
  // CHECK: __syncthreads();
  // CHECK-NEXT: barrier: barrier of the block, by all threads
  __syncthreads();
  if (threadIdx.x < size) {
    set(&peers.flags[threadIdx.x][rank], 1);
    while (get(&peers.flags[rank][threadIdx.x]) != 1) {
    }
  }
  __syncthreads();
  // CHECK: out[threadIdx.x] = peers.data[rank][threadIdx.x];
  // CHECK-NEXT: load of what a peer wrote: ld 4 bytes, a pointer of the table `peers` of the own PE, by all threads
  out[threadIdx.x] = peers.data[rank][threadIdx.x];
}

// JSON: {"version":1,"kernels":[{"name":"_Z4push5TablePKfPfii"
// JSON-SAME: "class":"remote-store"
// JSON-SAME: "class":"signal"
// JSON-SAME: "inlined_at":[{"file"
// JSON-SAME: "op":"st.release.sys 4 bytes"
// JSON-SAME: "ordered_by":[{"how":"itself"}
// JSON-SAME: "class":"poll-local"
// JSON-SAME: "class":"local-load"
// JSON-SAME: "class":"local-output"

// DOT: digraph communication {
// DOT: label="remote data store\nst 4 bytes\npush.cu:
// DOT: [label="published by"]
// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: remote data store
// SVG: </svg>
// PNG: no form of drawing is known
// PNG: name a file that ends in .dot or .svg
