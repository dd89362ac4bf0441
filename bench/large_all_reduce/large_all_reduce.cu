// Ways to carry a large all-reduce of fp32 over two GPUs, written by hand: which of them comes near the link?
//
//   pull       each PE reads all of the peer's elements and adds its own: n bytes each way, all of them loads
//   pull_push  each PE reads its half from the peer, adds, and writes the sums to both: n/2 as loads, n/2 as stores
//   push       each PE writes the peer's half into the peer's scratch memory; when a block's stretch is there it adds, and
//              writes the sums to the peer: n each way, all of them stores
//
// Each kernel begins and ends with a meeting of the two PEs, block by block. U 16-byte words a thread are under way. Many
// launches follow each other in a stream of each GPU; times are by events on GPU 0, and the results are compared.
//   nvcc -O3 -std=c++17 -arch=sm_90 large_all_reduce.cu && ./a.out
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

struct Pe {
  float4 *in, *out, *scratch;
  const float4 *peer_in;
  float4 *peer_out, *peer_scratch;
  unsigned *flags, *peer_flags;  // a word in 128 bytes for each block
  int me;
};

// Blocks of this index on both PEs meet; what either wrote before is visible to the other.
__device__ void meet(const Pe &p, unsigned epoch) {
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("st.release.sys.global.u32 [%0],%1;" ::"l"(p.peer_flags + blockIdx.x * 32), "r"(epoch) : "memory");
    unsigned seen;
    do asm volatile("ld.acquire.sys.global.u32 %0,[%1];" : "=r"(seen) : "l"(p.flags + blockIdx.x * 32) : "memory");
    while ((int)(seen - epoch) < 0);
  }
  __syncthreads();
}

__device__ float4 sum(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

// Words from to end of the block's stretch, U a thread at once.
template <int U, class Body> __device__ void stretch(long from, long end, Body body) {
  long k = from + threadIdx.x, step = blockDim.x;
  for (; k + (U - 1) * step < end; k += U * step) body(k, step, U);
  for (; k < end; k += step) body(k, step, 1);
}

// A PE's half of the block's stretch of n words.
__device__ void half_of(int pe, long n, long &from, long &end) {
  long each = (n + gridDim.x - 1) / gridDim.x, begin = min(blockIdx.x * each, n), last = min(begin + each, n);
  long middle = begin + (last - begin + 1) / 2;
  from = pe == 0 ? begin : middle;
  end = pe == 0 ? middle : last;
}

template <int U> __global__ void __launch_bounds__(1024) pull(Pe p, long n, unsigned epoch) {
  meet(p, 2 * epoch + 1);
  long each = (n + gridDim.x - 1) / gridDim.x, from = blockIdx.x * each, end = min(from + each, n);
  stretch<U>(from, end, [&](long k, long step, int u) {
    float4 a[U], b[U];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) b[j] = p.peer_in[k + j * step];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) a[j] = p.in[k + j * step];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) p.out[k + j * step] = sum(a[j], b[j]);
  });
  meet(p, 2 * epoch + 2);
}

template <int U> __global__ void __launch_bounds__(1024) pull_push(Pe p, long n, unsigned epoch) {
  meet(p, 2 * epoch + 1);
  long from, end;
  half_of(p.me, n, from, end);
  stretch<U>(from, end, [&](long k, long step, int u) {
    float4 a[U], b[U];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) b[j] = p.peer_in[k + j * step];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) a[j] = p.in[k + j * step];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) p.peer_out[k + j * step] = a[j] = sum(a[j], b[j]);
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) p.out[k + j * step] = a[j];
  });
  meet(p, 2 * epoch + 2);
}

template <int U> __global__ void __launch_bounds__(1024) push(Pe p, long n, unsigned epoch) {
  long mine, my_end, theirs, their_end;
  half_of(p.me, n, mine, my_end);
  half_of(1 - p.me, n, theirs, their_end);
  // The peer read its scratch memory in the launch before, which ended with a meeting.
  stretch<U>(theirs, their_end, [&](long k, long step, int u) {
    float4 a[U];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) a[j] = p.in[k + j * step];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) p.peer_scratch[k + j * step] = a[j];
  });
  meet(p, 2 * epoch + 1);
  stretch<U>(mine, my_end, [&](long k, long step, int u) {
    float4 a[U], b[U];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) a[j] = p.in[k + j * step];
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) b[j] = __ldcg(p.scratch + k + j * step);
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) p.peer_out[k + j * step] = a[j] = sum(a[j], b[j]);
#pragma unroll
    for (int j = 0; j < U; j++) if (j < u) p.out[k + j * step] = a[j];
  });
  meet(p, 2 * epoch + 2);
}

typedef void (*Kernel)(Pe, long, unsigned);

int main() {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const size_t most = 256u << 20;
  Pe pe[2] = {};
  cudaStream_t stream[2];
  cudaEvent_t begin, end;
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    for (float4 **p : {&pe[d].in, &pe[d].out, &pe[d].scratch}) CHECK(cudaMalloc(p, most));
    CHECK(cudaMalloc(&pe[d].flags, 1 << 20));
    CHECK(cudaMemset(pe[d].flags, 0, 1 << 20));
    std::vector<float> values(most / 4);
    for (size_t i = 0; i < values.size(); i++) values[i] = (float)((i * 7 + d * 5) % 1000);
    CHECK(cudaMemcpy(pe[d].in, values.data(), most, cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    pe[d].me = d;
  }
  for (int d = 0; d < 2; d++) {
    const Pe &o = pe[1 - d];
    pe[d].peer_in = o.in, pe[d].peer_out = o.out, pe[d].peer_scratch = o.scratch, pe[d].peer_flags = o.flags;
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  struct Way { const char *name; Kernel kernel; };
  const Way ways[] = {{"pull u4", pull<4>}, {"pull u8", pull<8>}, {"pull_push u4", pull_push<4>},
                      {"pull_push u8", pull_push<8>}, {"push u4", push<4>}, {"push u8", push<8>}};
  unsigned epoch = 0;
  for (size_t bytes : {1ul << 20, 16ul << 20, most})
    for (const Way &way : ways)
      for (int threads : {512, 1024})
        for (int blocks : {32, 64, 128, 132, 264}) {
          if (blocks * threads > 132 * 2048 / 2 || (bytes == most && blocks < 64)) continue;
          const int launches = bytes == most ? 4 : 20;
          std::vector<double> times;
          for (int d = 0; d < 2; d++) {
            CHECK(cudaSetDevice(d));
            CHECK(cudaMemset(pe[d].out, 0, bytes));
            CHECK(cudaDeviceSynchronize());
          }
          for (int repeat = 0; repeat < 6; repeat++) {
            for (int d : {1, 0}) {
              CHECK(cudaSetDevice(d));
              if (d == 0) CHECK(cudaEventRecord(begin, stream[0]));
              for (int i = 0; i < launches; i++)
                way.kernel<<<blocks, threads, 0, stream[d]>>>(pe[d], (long)(bytes / 16), epoch + i);
              if (d == 0) CHECK(cudaEventRecord(end, stream[0]));
            }
            epoch += launches;
            for (int d = 0; d < 2; d++) {
              CHECK(cudaSetDevice(d));
              CHECK(cudaStreamSynchronize(stream[d]));
            }
            float ms;
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            if (repeat > 0) times.push_back(ms * 1000 / launches);
          }
          size_t wrong = 0;
          for (int d = 0; d < 2; d++) {
            CHECK(cudaSetDevice(d));
            for (size_t from : {(size_t)0, bytes / 2, bytes - 4096}) {
              float got[1024];
              CHECK(cudaMemcpy(got, (char *)pe[d].out + from, sizeof got, cudaMemcpyDeviceToHost));
              for (size_t i = 0; i < 1024; i++) {
                size_t at = from / 4 + i;
                wrong += got[i] != (float)(at * 7 % 1000 + (at * 7 + 5) % 1000);
              }
            }
          }
          std::sort(times.begin(), times.end());
          double us = times[times.size() / 2];
          printf("large all-reduce %-13s threads=%-4d nb=%-3d bytes=%-9zu us=%.2f GB/s=%.1f%s\n", way.name, threads, blocks, bytes,
                 us, bytes / us / 1e3, wrong ? " WRONG" : "");
        }
}
