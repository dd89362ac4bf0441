// get: the group may read what was loaded, so it ends with the group's barrier; nothing is released.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}get
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @get_thread(
// CALL: call {{.*}}@__gicc_get_thread(
// CHECK-LABEL: .visible .entry get_thread(
// CHECK: ld.global
// CHECK: ret;
extern "C" __global__ void get_thread(float *to, const float *from, long long n, int pe) {
  gicc::get<gicc::thread>(to, from, n, pe);
}

// CALL: define {{.*}}ptx_kernel void @get_warp(
// CALL: call {{.*}}@__gicc_get_warp(
// CHECK-LABEL: .visible .entry get_warp(
// CHECK: ld.global
// CHECK: bar.warp.sync
// CHECK: ret;
extern "C" __global__ void get_warp(float *to, const float *from, long long n, int pe) {
  gicc::get<gicc::warp>(to, from, n, pe);
}

// CALL: define {{.*}}ptx_kernel void @get_block(
// CALL: call {{.*}}@__gicc_get_block(
// CHECK-LABEL: .visible .entry get_block(
// CHECK: ld.global
// CHECK: bar.sync
// CHECK: ret;
extern "C" __global__ void get_block(float *to, const float *from, long long n, int pe) {
  gicc::get<gicc::block>(to, from, n, pe);
}
