// put orders nothing: no fence, no barrier before its stores, nothing released.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}put
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @put_thread(
// CALL: call {{.*}}@__gicc_put_thread(
// CHECK-LABEL: .visible .entry put_thread(
// CHECK: st.global
// CHECK: ret;
extern "C" __global__ void put_thread(float *to, const float *from, long long n, int pe) {
  gicc::put<gicc::thread>(to, from, n, pe);
}

// CALL: define {{.*}}ptx_kernel void @put_warp(
// CALL: call {{.*}}@__gicc_put_warp(
// CHECK-LABEL: .visible .entry put_warp(
// CHECK: st.global
// CHECK: ret;
extern "C" __global__ void put_warp(float *to, const float *from, long long n, int pe) {
  gicc::put<gicc::warp>(to, from, n, pe);
}

// CALL: define {{.*}}ptx_kernel void @put_block(
// CALL: call {{.*}}@__gicc_put_block(
// CHECK-LABEL: .visible .entry put_block(
// CHECK: st.global
// CHECK: ret;
extern "C" __global__ void put_block(float *to, const float *from, long long n, int pe) {
  gicc::put<gicc::block>(to, from, n, pe);
}
