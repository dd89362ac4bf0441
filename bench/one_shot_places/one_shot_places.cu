// One-shot all-reduce of fp32 inside a running kernel between two GPUs, written by hand, with its packets at several places of
// memory: where they lie decides about a tenth of a short round, whoever wrote the kernel. The round is the one of `by_hand` in
// bench/all_reduce: packets of 8 bytes of data and 8 of flag, two slots, and the grid's meeting at the end of each.
//
// Prints a line for each size and number of blocks: `one-shot places nb=B bytes=N us=T,T,…`, a median of five launches for each
// place, GPU 0's time by events.
//   nvcc -O3 -std=c++17 -arch=sm_90 one_shot_places.cu && ./a.out
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(x)                                                                                                       \
  do {                                                                                                                 \
    cudaError_t e = (x);                                                                                               \
    if (e != cudaSuccess) {                                                                                            \
      printf("%s, line %d: %s\n", #x, __LINE__, cudaGetErrorString(e));                                                \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)
typedef unsigned long long u64;

__device__ __forceinline__ void store(void *p, u64 data, u64 flag) {
  asm volatile("{.reg .b128 t; mov.b128 t,{%1,%2}; st.relaxed.sys.global.b128 [%0],t;}" ::"l"(p), "l"(data), "l"(flag)
               : "memory");
}
__device__ __forceinline__ void load(const void *p, u64 &data, u64 &flag) {
  asm volatile("{.reg .b128 t; ld.relaxed.sys.global.b128 t,[%2]; mov.b128 {%0,%1},t;}"
               : "=l"(data), "=l"(flag)
               : "l"(p)
               : "memory");
}

__global__ void one_shot(int iterations, size_t n, const float2 *in, float2 *out, ulonglong2 *mine, ulonglong2 *theirs,
                         size_t slot, unsigned *counter) {
  size_t stride = (size_t)gridDim.x * blockDim.x, k0 = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (int i = 1; i <= iterations; i++) {
    ulonglong2 *here = mine + (i & 1) * slot, *there = theirs + (i & 1) * slot;
    for (size_t k = k0; k < n; k += stride) {
      float2 v = in[k];
      store(there + k, *(u64 *)&v, i);
    }
    for (size_t k = k0; k < n; k += stride) {
      u64 data, flag;
      do load(here + k, data, flag);
      while (flag != (u64)i);
      float2 v = in[k], w = *(float2 *)&data;
      out[k] = make_float2(v.x + w.x, v.y + w.y);
    }
    __syncthreads();
    if (gridDim.x == 1) continue;
    if (threadIdx.x == 0) {
      unsigned seen, goal = gridDim.x * i;
      asm volatile("atom.acq_rel.gpu.global.add.u32 %0,[%1],1;" : "=r"(seen) : "l"(counter) : "memory");
      do asm volatile("ld.acquire.gpu.global.u32 %0,[%1];" : "=r"(seen) : "l"(counter) : "memory");
      while (seen < goal);
    }
    __syncthreads();
  }
}

int main() {
  const size_t M = 1 << 20, slot = 8 * M;  // bytes; a slot's packets are at most 2 MB, and places 1 MB and some lines apart
  const int iterations = 200, places = 7, launches = 5;
  char *heap[2];
  unsigned *counter[2];
  cudaStream_t stream[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    CHECK(cudaMalloc(&heap[d], 64 * M));
    CHECK(cudaMemset(heap[d], 0, 64 * M));
    CHECK(cudaMalloc(&counter[d], 4096));
    CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
  }
  CHECK(cudaSetDevice(0));
  cudaEvent_t began, ended;
  CHECK(cudaEventCreate(&began));
  CHECK(cudaEventCreate(&ended));
  for (int blocks : {1, 8, 32, 64})
    for (size_t bytes : {1024ul, 4096ul, 16384ul, 65536ul, 262144ul, 1048576ul}) {
      printf("one-shot places nb=%d bytes=%zu us=", blocks, bytes);
      for (int place = 0; place < places; place++) {
        size_t at = place * (M + 33 * 128);
        std::vector<float> times;
        for (int l = 0; l < launches; l++) {
          for (int d = 0; d < 2; d++) {
            CHECK(cudaSetDevice(d));
            CHECK(cudaMemset(heap[d] + at, 0, 2 * bytes));
            CHECK(cudaMemset(heap[d] + at + slot, 0, 2 * bytes));
            CHECK(cudaMemset(counter[d], 0, 4096));
            CHECK(cudaDeviceSynchronize());
          }
          auto launch = [&](int d) {
            one_shot<<<blocks, 512, 0, stream[d]>>>(iterations, bytes / 8, (float2 *)(heap[d] + 40 * M + at),
                                                    (float2 *)(heap[d] + 52 * M + at), (ulonglong2 *)(heap[d] + at),
                                                    (ulonglong2 *)(heap[1 - d] + at), slot / 16, counter[d]);
          };
          CHECK(cudaSetDevice(1));
          launch(1);
          CHECK(cudaSetDevice(0));
          CHECK(cudaEventRecord(began, stream[0]));
          launch(0);
          CHECK(cudaEventRecord(ended, stream[0]));
          CHECK(cudaStreamSynchronize(stream[0]));
          float ms;
          CHECK(cudaEventElapsedTime(&ms, began, ended));
          times.push_back(ms * 1000 / iterations);
          CHECK(cudaSetDevice(1));
          CHECK(cudaStreamSynchronize(stream[1]));
        }
        std::sort(times.begin(), times.end());
        printf("%s%.3f", place ? "," : "", times[launches / 2]);
      }
      printf("\n");
    }
}
