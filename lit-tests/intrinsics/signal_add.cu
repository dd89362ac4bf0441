// signal adds to its word with release in one operation without a result.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}notify
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @signal_add_thread(
// CALL: call {{.*}}@__gicc_notify_thread(
// CHECK-LABEL: .visible .entry signal_add_thread(
// CHECK: red.release.sys.global.add.u64
// CHECK: ret;
extern "C" __global__ void signal_add_thread(uint64_t *flag, int pe) {
  gicc::signal<gicc::thread>(flag, 1, pe, gicc::op::add);
}

// CALL: define {{.*}}ptx_kernel void @signal_add_warp(
// CALL: call {{.*}}@__gicc_notify_warp(
// CHECK-LABEL: .visible .entry signal_add_warp(
// CHECK: bar.warp.sync
// CHECK: red.release.sys.global.add.u64
// CHECK: ret;
extern "C" __global__ void signal_add_warp(uint64_t *flag, int pe) {
  gicc::signal<gicc::warp>(flag, 1, pe, gicc::op::add);
}

// CALL: define {{.*}}ptx_kernel void @signal_add_block(
// CALL: call {{.*}}@__gicc_notify_block(
// CHECK-LABEL: .visible .entry signal_add_block(
// CHECK: bar.sync
// CHECK: red.release.sys.global.add.u64
// CHECK: ret;
extern "C" __global__ void signal_add_block(uint64_t *flag, int pe) {
  gicc::signal<gicc::block>(flag, 1, pe, gicc::op::add);
}
