// release: the group's barrier, then one thread's release fence.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}release
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @release_thread(
// CALL: call {{.*}}@__gicc_release_thread(
// CHECK-LABEL: .visible .entry release_thread(
// CHECK: fence.release.sys;
// CHECK: ret;
extern "C" __global__ void release_thread() {
  gicc::release<gicc::thread>();
}

// CALL: define {{.*}}ptx_kernel void @release_warp(
// CALL: call {{.*}}@__gicc_release_warp(
// CHECK-LABEL: .visible .entry release_warp(
// CHECK: bar.warp.sync
// CHECK: fence.release.sys;
// CHECK: ret;
extern "C" __global__ void release_warp() {
  gicc::release<gicc::warp>();
}

// CALL: define {{.*}}ptx_kernel void @release_block(
// CALL: call {{.*}}@__gicc_release_block(
// CHECK-LABEL: .visible .entry release_block(
// CHECK: bar.sync
// CHECK: fence.release.sys;
// CHECK: ret;
extern "C" __global__ void release_block() {
  gicc::release<gicc::block>();
}
