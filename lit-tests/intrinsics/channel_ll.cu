// A channel of protocol ll: 128-bit words, no fence, no release, no acquire; the waiting group's answer is a reduction; the
// counters are loaded once, in front of the loop, and live in registers.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly --implicit-check-not=.local %s < %t.ptx
// RUN: %gicc %s --verify-each --arch sm_80 -o %t.80.ptx
// RUN: FileCheck %exactly %s < %t.80.ptx
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}channel
#include <gicc/gicc.cuh>

using stream = gicc::channel<float, gicc::protocol::ll, 4, 1024>;

// CHECK-LABEL: .visible .entry put_block(
// CHECK: ld.global.b64 {{.*}}+16]
// CHECK: ld.relaxed.sys.global.u64
// CHECK-NOT: ld.global.b64 {{.*}}+{{16|24|32}}]
// CHECK-NOT: bar.sync
// CHECK: st.relaxed.sys.global.b128
// CHECK-NOT: ld.global.b64 {{.*}}+{{16|24|32}}]
// CHECK: st.global.b64 {{.*}}+16]
// CHECK: ret;
extern "C" __global__ void put_block(stream::storage *words, float *slots, const float *from, int n, int many) {
  stream c(words, slots);
  for (int i = 0; i < many; i++) c.put<gicc::block>(from, n, 1);
}

// CHECK-LABEL: .visible .entry wait_block(
// CHECK: ld.global.b64 {{.*}}+24]
// CHECK: ld.global.b64 {{.*}}+32]
// CHECK: ld.relaxed.sys.global.b128
// CHECK-NOT: ld.global.b64
// CHECK: bar.red.and.pred
// CHECK-NOT: ld.global.b64
// CHECK: st.relaxed.sys.global.u64
// CHECK: ret;
extern "C" __global__ void wait_block(stream::storage *words, float *slots, float *to, int n, int many) {
  stream c(words, slots);
  for (int i = 0; i < many; i++) {
    if (const float *slot = c.wait<gicc::block>(n, 0)) to[i] = slot[0];
    c.done<gicc::block>(0);
  }
}

// CHECK-LABEL: .visible .entry wait_warp(
// CHECK: ld.relaxed.sys.global.b128
// CHECK: vote.sync.all.pred
// CHECK: bar.warp.sync
// CHECK: ret;
extern "C" __global__ void wait_warp(stream::storage *words, float *slots, float *to, int n) {
  stream c(words, slots);
  if (const float *slot = c.wait<gicc::warp>(n, 0)) *to = *slot;
  c.done<gicc::warp>(0);
}

// CHECK-LABEL: .visible .entry both_threads(
// CHECK: st.relaxed.sys.global.b128
// CHECK: ld.relaxed.sys.global.b128
// CHECK: ret;
extern "C" __global__ void both_threads(stream::storage *words, float *slots, const float *from, float *to, int n) {
  stream c(words, slots);
  c.put<gicc::thread>(from, n, 1);
  if (const float *slot = c.wait<gicc::thread>(n, 1)) *to = *slot;
  c.done<gicc::thread>(1);
}

// Where the length is constant, a channel of both protocols chooses when it is compiled.
// CHECK-LABEL: .visible .entry small_messages(
// CHECK: st.relaxed.sys.global.b128
// CHECK: ret;
extern "C" __global__ void small_messages(void *words, float *slots, const float *from) {
  gicc::channel<float, gicc::protocol::automatic, 4, 100000> c(words, slots);
  c.put<gicc::block>(from, 100, 1);
}
