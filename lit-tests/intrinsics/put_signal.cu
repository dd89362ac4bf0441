// put_signal: one release by the thread that signals, behind the group's barrier, and no other fence.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}put
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @put_signal_thread(
// CALL: call {{.*}}@__gicc_put_signal_thread(
// CHECK-LABEL: .visible .entry put_signal_thread(
// CHECK: st.global
// CHECK: st.release.sys.global.u64
// CHECK: ret;
extern "C" __global__ void put_signal_thread(float *to, const float *from, uint64_t *flag, long long n, int pe) {
  gicc::put_signal<gicc::thread>(to, from, n, flag, 1, pe);
}

// CALL: define {{.*}}ptx_kernel void @put_signal_warp(
// CALL: call {{.*}}@__gicc_put_signal_warp(
// CHECK-LABEL: .visible .entry put_signal_warp(
// CHECK: st.global
// CHECK: bar.warp.sync
// CHECK: st.release.sys.global.u64
// CHECK: ret;
extern "C" __global__ void put_signal_warp(float *to, const float *from, uint64_t *flag, long long n, int pe) {
  gicc::put_signal<gicc::warp>(to, from, n, flag, 1, pe);
}

// CALL: define {{.*}}ptx_kernel void @put_signal_block(
// CALL: call {{.*}}@__gicc_put_signal_block(
// CHECK-LABEL: .visible .entry put_signal_block(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: st.release.sys.global.u64
// CHECK: ret;
extern "C" __global__ void put_signal_block(float *to, const float *from, uint64_t *flag, long long n, int pe) {
  gicc::put_signal<gicc::block>(to, from, n, flag, 1, pe);
}
