// wait polls with acquire, and its group is converged afterwards. The poll stands once, of one
// speaker behind the rest.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}wait
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @wait_thread(
// CALL: call {{.*}}@__gicc_wait_thread(
// CHECK-LABEL: .visible .entry wait_thread(
// CHECK: ld.acquire.sys.global.u64
// CHECK: ret;
extern "C" __global__ void wait_thread(uint64_t *flag, int pe) {
  gicc::wait<gicc::thread>(flag, gicc::cmp::ge, 1, pe);
}

// CALL: define {{.*}}ptx_kernel void @wait_warp(
// CALL: call {{.*}}@__gicc_wait_warp(
// CHECK-LABEL: .visible .entry wait_warp(
// CHECK: bar.warp.sync
// CHECK: ret;
// CHECK: ld.acquire.sys.global.u64
extern "C" __global__ void wait_warp(uint64_t *flag, int pe) {
  gicc::wait<gicc::warp>(flag, gicc::cmp::ge, 1, pe);
}

// CALL: define {{.*}}ptx_kernel void @wait_block(
// CALL: call {{.*}}@__gicc_wait_block(
// CHECK-LABEL: .visible .entry wait_block(
// CHECK: bar.sync
// CHECK: ret;
// CHECK: ld.acquire.sys.global.u64
extern "C" __global__ void wait_block(uint64_t *flag, int pe) {
  gicc::wait<gicc::block>(flag, gicc::cmp::ge, 1, pe);
}
