// check_error: a relaxed load of this PE's error word, and the group's vote. No order but that of the vote.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}check_error
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @failed_thread(
// CALL: call {{.*}}@__gicc_check_error_thread(
// CHECK-LABEL: .visible .entry failed_thread(
// CHECK: ld.relaxed.gpu.global.u32
// CHECK: ret;
extern "C" __global__ void failed_thread(int *out) {
  out[threadIdx.x] = gicc::failed<gicc::thread>();
}

// CALL: define {{.*}}ptx_kernel void @failed_warp(
// CALL: call {{.*}}@__gicc_check_error_warp(
// CHECK-LABEL: .visible .entry failed_warp(
// CHECK: ld.relaxed.gpu.global.u32
// CHECK: vote.sync.any
// CHECK: ret;
extern "C" __global__ void failed_warp(int *out) {
  out[threadIdx.x] = gicc::failed<gicc::warp>();
}

// CALL: define {{.*}}ptx_kernel void @failed_block(
// CALL: call {{.*}}@__gicc_check_error_block(
// CHECK-LABEL: .visible .entry failed_block(
// CHECK: ld.relaxed.gpu.global.u32
// CHECK: bar.red.or.pred
// CHECK: ret;
extern "C" __global__ void failed_block(int *out) {
  out[threadIdx.x] = gicc::failed<gicc::block>();
}
