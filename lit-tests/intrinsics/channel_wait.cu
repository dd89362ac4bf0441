// A channel's wait side: acquire the message; done gives the slot back with one release. (The poll stands once, of one
// speaker behind the rest.)
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}channel
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @channel_wait_thread(
// CALL: call {{.*}}@__gicc_channel_wait_thread(
// CALL: call {{.*}}@__gicc_channel_done_thread(
// CHECK-LABEL: .visible .entry channel_wait_thread(
// CHECK: ld.acquire.sys.global.u64
// CHECK: st.release.sys.global.u64
// CHECK: ret;
extern "C" __global__ void channel_wait_thread(gicc::channel_state *state, float *buffer, float *to, int pe) {
  gicc::channel<float> c(state, buffer);
  if (const float *slot = c.wait<gicc::thread>(pe)) *to = *slot;
  c.done<gicc::thread>(pe);
}

// CALL: define {{.*}}ptx_kernel void @channel_wait_warp(
// CALL: call {{.*}}@__gicc_channel_wait_warp(
// CALL: call {{.*}}@__gicc_channel_done_warp(
// CHECK-LABEL: .visible .entry channel_wait_warp(
// CHECK: bar.warp.sync
// CHECK: st.release.sys.global.u64
// CHECK: ret;
// CHECK: ld.acquire.sys.global.u64
extern "C" __global__ void channel_wait_warp(gicc::channel_state *state, float *buffer, float *to, int pe) {
  gicc::channel<float> c(state, buffer);
  if (const float *slot = c.wait<gicc::warp>(pe)) *to = *slot;
  c.done<gicc::warp>(pe);
}

// CALL: define {{.*}}ptx_kernel void @channel_wait_block(
// CALL: call {{.*}}@__gicc_channel_wait_block(
// CALL: call {{.*}}@__gicc_channel_done_block(
// CHECK-LABEL: .visible .entry channel_wait_block(
// CHECK: bar.red.and.pred
// CHECK: bar.sync
// CHECK: st.release.sys.global.u64
// CHECK: ret;
// CHECK: ld.acquire.sys.global.u64
extern "C" __global__ void channel_wait_block(gicc::channel_state *state, float *buffer, float *to, int pe) {
  gicc::channel<float> c(state, buffer);
  if (const float *slot = c.wait<gicc::block>(pe)) *to = *slot;
  c.done<gicc::block>(pe);
}
