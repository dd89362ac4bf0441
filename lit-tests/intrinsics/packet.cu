// Packets: a word of 16 bytes is one access of 128 bits, relaxed as far as the whole system, and nothing is fenced.
//
// RUN: %gicc %s -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --stop-after place-fences -o - | FileCheck --check-prefix=PLACED %s
#include <gicc/gicc.cuh>

// CHECK-LABEL: .entry send(
// CHECK: st.relaxed.sys.global.b128
// PLACED: call void @__gicc_store_b128(ptr {{.*}}, i64 {{.*}}%low, i64 {{.*}}5, i32 {{.*}}0, i32 {{.*}}3)
extern "C" __global__ void send(void *packet, int64_t low) { __gicc_packet_store(packet, low, 5, 1); }

// CHECK-LABEL: .entry look(
// CHECK: ld.relaxed.sys.global.b128
// PLACED: call {{.*}}<2 x i64> @__gicc_load_b128(ptr {{.*}}%packet, i32 {{.*}}0, i32 {{.*}}3)
extern "C" __global__ void look(void *packet, int64_t *out) {
  gicc_v2i64 word = __gicc_packet_load(packet);
  out[0] = word.x + word.y;
}

// The bound is looked at once in many polls.
// CHECK-LABEL: .entry take(
// CHECK: ld.relaxed.sys.global.b128
// CHECK: call.uni (retval0), gicc_rt_keep_waiting
extern "C" __global__ void take(void *packet, int64_t *out) {
  gicc_v2i64 word = __gicc_packet_wait(packet, 5, -1, 0);
  if (word.y == 5) out[0] = word.x;
}
