// What a put by a block compiles to: 16-byte loads that are under way together, then as many 16-byte stores to global
// memory; four a thread. Other alignments go through a function of their own.
// RUN: %gicc %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
#include <gicc/gicc.cuh>

// CHECK-LABEL: .visible .entry wide(
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-COUNT-4: st.global.v4.b32
// CHECK: call.uni gicc_rt_copy_to_global
// CHECK-LABEL: .visible .entry aligned(
extern "C" __global__ void wide(float4 *to, const float4 *from, long n, int pe) {
  gicc::put<gicc::block>(to, from, n, pe);
}

// A size that is a whole number of 16-byte words, at addresses that are not known.
// CHECK: call.uni gicc_rt_copy_to_global
// CHECK-LABEL: .visible .entry from_shared(
extern "C" __global__ void aligned(char *to, const char *from, int pe) {
  gicc::put_bytes<gicc::block>(to, from, 4096, pe);
}

// The source may be shared memory.
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
// CHECK-LABEL: .visible .entry pull(
extern "C" __global__ void from_shared(float4 *to, int pe) {
  __shared__ float4 tile[256];
  tile[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  gicc::put<gicc::block>(to, tile, 256, pe);
}

// A get loads from the peer's memory, and its group meets afterwards.
// CHECK: ld.global.v4.b32
// CHECK: bar.sync
// CHECK: ret;
extern "C" __global__ void pull(float4 *to, const float4 *from, long n, int pe) {
  gicc::get<gicc::block>(to, from, n, pe);
}
