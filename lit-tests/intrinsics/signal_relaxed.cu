// A relaxed signal publishes nothing: no release, no fence, no barrier.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}notify
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @signal_relaxed_thread(
// CALL: call {{.*}}@__gicc_notify_thread(
// CHECK-LABEL: .visible .entry signal_relaxed_thread(
// CHECK: st.relaxed.sys.global.u64
// CHECK: ret;
extern "C" __global__ void signal_relaxed_thread(uint64_t *flag, int pe) {
  gicc::signal<gicc::thread>(flag, 1, pe, gicc::op::set, gicc::order::relaxed);
}

// CALL: define {{.*}}ptx_kernel void @signal_relaxed_warp(
// CALL: call {{.*}}@__gicc_notify_warp(
// CHECK-LABEL: .visible .entry signal_relaxed_warp(
// CHECK: st.relaxed.sys.global.u64
// CHECK: ret;
extern "C" __global__ void signal_relaxed_warp(uint64_t *flag, int pe) {
  gicc::signal<gicc::warp>(flag, 1, pe, gicc::op::set, gicc::order::relaxed);
}

// CALL: define {{.*}}ptx_kernel void @signal_relaxed_block(
// CALL: call {{.*}}@__gicc_notify_block(
// CHECK-LABEL: .visible .entry signal_relaxed_block(
// CHECK: st.relaxed.sys.global.u64
// CHECK: ret;
extern "C" __global__ void signal_relaxed_block(uint64_t *flag, int pe) {
  gicc::signal<gicc::block>(flag, 1, pe, gicc::op::set, gicc::order::relaxed);
}
