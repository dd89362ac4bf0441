// Line information, a switch, a call with a struct by value, constant and shared variables.
#include "device.h"

extern "C" {
struct Params { unsigned* flags[8]; float* data[8]; int rank; int n; };
__constant__ int table[4] = {1,2,3,4};
__device__ const char* name = "hi";
__device__ __noinline__ int helper(int a, Params p) { return a * p.n + table[a & 3]; }
__global__ void kern(Params p, float* out, int n) {
  __shared__ float tile[256];
  int t = thread_index() ;
  tile[t] = out[t] * 2.0f;
  block_barrier();
  float s = tile[255 - t];
  for (int peer = 0; peer < 8; ++peer) p.data[peer][t] = s;
  block_barrier();
  if (t == 0) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" :: "l"(p.flags[p.rank]), "r"(1) : "memory");
    unsigned v;
    do { asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p.flags[0]) : "memory"); } while (v != 1);
    switch (n) { case 0: out[0]=1; break; case 1: out[1]=7; break; case 2: out[5]=3; break; case 3: out[6]=2; break; case 4: out[2]=helper(n,p); break; }
  }
}
}
