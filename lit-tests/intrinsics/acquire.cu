// acquire: an acquire fence, then the group's barrier.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}acquire
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @acquire_thread(
// CALL: call {{.*}}@__gicc_acquire_thread(
// CHECK-LABEL: .visible .entry acquire_thread(
// CHECK: fence.acquire.sys;
// CHECK: ret;
extern "C" __global__ void acquire_thread() {
  gicc::acquire<gicc::thread>();
}

// CALL: define {{.*}}ptx_kernel void @acquire_warp(
// CALL: call {{.*}}@__gicc_acquire_warp(
// CHECK-LABEL: .visible .entry acquire_warp(
// CHECK: fence.acquire.sys;
// CHECK: bar.warp.sync
// CHECK: ret;
extern "C" __global__ void acquire_warp() {
  gicc::acquire<gicc::warp>();
}

// CALL: define {{.*}}ptx_kernel void @acquire_block(
// CALL: call {{.*}}@__gicc_acquire_block(
// CHECK-LABEL: .visible .entry acquire_block(
// CHECK: fence.acquire.sys;
// CHECK: bar.sync
// CHECK: ret;
extern "C" __global__ void acquire_block() {
  gicc::acquire<gicc::block>();
}
