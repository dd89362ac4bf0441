// A channel's put side: acquire the credit, store, one release.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}channel
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @channel_put_thread(
// CALL: call {{.*}}@__gicc_channel_put_thread(
// CHECK-LABEL: .visible .entry channel_put_thread(
// CHECK: ld.acquire.sys.global.u64
// CHECK: st.global
// CHECK: st.release.sys.global.u64
// CHECK: ret;
extern "C" __global__ void channel_put_thread(gicc::channel_state *state, float *buffer, const float *from, long long n, int pe) {
  gicc::channel<float>(state, buffer).put<gicc::thread>(from, n, pe);
}

// CALL: define {{.*}}ptx_kernel void @channel_put_warp(
// CALL: call {{.*}}@__gicc_channel_put_warp(
// CHECK-LABEL: .visible .entry channel_put_warp(
// CHECK: bar.warp.sync
// CHECK: st.global
// CHECK: bar.warp.sync
// CHECK: st.release.sys.global.u64
// CHECK: ret;
// The speaker's wait for a credit stands behind the rest.
// CHECK: ld.acquire.sys.global.u64
extern "C" __global__ void channel_put_warp(gicc::channel_state *state, float *buffer, const float *from, long long n, int pe) {
  gicc::channel<float>(state, buffer).put<gicc::warp>(from, n, pe);
}

// CALL: define {{.*}}ptx_kernel void @channel_put_block(
// CALL: call {{.*}}@__gicc_channel_put_block(
// CHECK-LABEL: .visible .entry channel_put_block(
// CHECK: bar.sync
// CHECK: st.global
// CHECK: bar.sync
// CHECK: st.release.sys.global.u64
// CHECK: ret;
// The speaker's wait for a credit stands behind the rest.
// CHECK: ld.acquire.sys.global.u64
extern "C" __global__ void channel_put_block(gicc::channel_state *state, float *buffer, const float *from, long long n, int pe) {
  gicc::channel<float>(state, buffer).put<gicc::block>(from, n, pe);
}
