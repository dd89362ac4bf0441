// event: one release fence by whoever tests, or by the group's speaker, as far as the event's domain.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}event
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @test(
// CALL: call {{.*}}@__gicc_event_test(
// CHECK-LABEL: .visible .entry test(
// CHECK: fence.release.sys;
// CHECK: ret;
extern "C" __global__ void test(float *to, const float *from, long long n, int pe) {
  gicc::event e = gicc::initiate(to, from, n, pe);
  while (!gicc::test(e)) {
  }
}

// CALL: define {{.*}}ptx_kernel void @wait_thread(
// CALL: call {{.*}}@__gicc_event_wait_thread(
// CHECK-LABEL: .visible .entry wait_thread(
// CHECK: fence.release.sys;
// CHECK: ret;
extern "C" __global__ void wait_thread(float *to, const float *from, long long n, int pe, int *out) {
  gicc::event e = gicc::initiate<gicc::thread>(to, from, n, pe);
  if (!gicc::wait<gicc::thread>(e)) *out = 1;
}

// CALL: define {{.*}}ptx_kernel void @wait_warp(
// CALL: call {{.*}}@__gicc_event_wait_warp(
// CHECK-LABEL: .visible .entry wait_warp(
// CHECK: bar.warp.sync
// CHECK: fence.release.sys;
// CHECK: ret;
extern "C" __global__ void wait_warp(float *to, const float *from, long long n, int pe, int *out) {
  gicc::event e = gicc::initiate<gicc::warp>(to, from, n, pe);
  if (!gicc::wait<gicc::warp>(e)) *out = 1;
}

// CALL: define {{.*}}ptx_kernel void @wait_block(
// CALL: call {{.*}}@__gicc_event_wait_block(
// CHECK-LABEL: .visible .entry wait_block(
// CHECK: bar.sync
// CHECK: fence.release.sys;
// CHECK: ret;
extern "C" __global__ void wait_block(float *to, const float *from, long long n, int pe, int *out) {
  gicc::event e = gicc::initiate<gicc::block>(to, from, n, pe);
  if (!gicc::wait<gicc::block>(e)) *out = 1;
}

// A domain that reaches this GPU only.
// CALL: define {{.*}}ptx_kernel void @narrow(
// CALL: call {{.*}}@__gicc_event_wait_block({{.*}}, i32 noundef 2, i32 noundef 5)
// CHECK-LABEL: .visible .entry narrow(
// CHECK: bar.sync
// CHECK: fence.release.gpu;
// CHECK: ret;
extern "C" __global__ void narrow(float *to, const float *from, long long n) {
  gicc::initiation how;
  how.in = gicc::domain(5, gicc::scope::gpu);
  gicc::event e = gicc::initiate<gicc::block>(to, from, n, gicc::my_pe(), how);
  gicc::wait<gicc::block>(e);
}
