// signal sets its word with release, once, behind the group's barrier.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}notify
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @signal_thread(
// CALL: call {{.*}}@__gicc_notify_thread(
// CHECK-LABEL: .visible .entry signal_thread(
// CHECK: st.release.sys.global.u64
// CHECK: ret;
extern "C" __global__ void signal_thread(uint64_t *flag, int pe) {
  gicc::signal<gicc::thread>(flag, 1, pe);
}

// CALL: define {{.*}}ptx_kernel void @signal_warp(
// CALL: call {{.*}}@__gicc_notify_warp(
// CHECK-LABEL: .visible .entry signal_warp(
// CHECK: bar.warp.sync
// CHECK: st.release.sys.global.u64
// CHECK: ret;
extern "C" __global__ void signal_warp(uint64_t *flag, int pe) {
  gicc::signal<gicc::warp>(flag, 1, pe);
}

// CALL: define {{.*}}ptx_kernel void @signal_block(
// CALL: call {{.*}}@__gicc_notify_block(
// CHECK-LABEL: .visible .entry signal_block(
// CHECK: bar.sync
// CHECK: st.release.sys.global.u64
// CHECK: ret;
extern "C" __global__ void signal_block(uint64_t *flag, int pe) {
  gicc::signal<gicc::block>(flag, 1, pe);
}
