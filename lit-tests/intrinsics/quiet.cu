// quiet: one release fence behind the group's barrier, and the group waits for it.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}quiet
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @quiet_thread(
// CALL: call {{.*}}@__gicc_quiet_thread(
// CHECK-LABEL: .visible .entry quiet_thread(
// CHECK: fence.release.sys;
// CHECK: ret;
extern "C" __global__ void quiet_thread() {
  gicc::quiet<gicc::thread>();
}

// CALL: define {{.*}}ptx_kernel void @quiet_warp(
// CALL: call {{.*}}@__gicc_quiet_warp(
// CHECK-LABEL: .visible .entry quiet_warp(
// CHECK: bar.warp.sync
// CHECK: fence.release.sys;
// CHECK: bar.warp.sync
// CHECK: ret;
extern "C" __global__ void quiet_warp() {
  gicc::quiet<gicc::warp>();
}

// CALL: define {{.*}}ptx_kernel void @quiet_block(
// CALL: call {{.*}}@__gicc_quiet_block(
// CHECK-LABEL: .visible .entry quiet_block(
// CHECK: bar.sync
// CHECK: fence.release.sys;
// CHECK: bar.sync
// CHECK: ret;
extern "C" __global__ void quiet_block() {
  gicc::quiet<gicc::block>();
}
