// initiate, by the engine direct: the group stores and meets; its signal, where it has one, releases. No other order.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}initiate
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @initiate_thread(
// CALL: call {{.*}}@__gicc_initiate_thread(
// CHECK-LABEL: .visible .entry initiate_thread(
// CHECK: st.global
// CHECK: ret;
extern "C" __global__ void initiate_thread(float *to, const float *from, long long n, int pe, long long *out) {
  gicc::event e = gicc::initiate<gicc::thread>(to, from, n, pe);
  out[threadIdx.x] = e.handle;
}

// CALL: define {{.*}}ptx_kernel void @initiate_signal_thread(
// CALL: call {{.*}}@__gicc_initiate_thread({{.*}}, ptr noundef %flag, i64 noundef 7, i32 noundef 1, i32 noundef 200, i32 noundef 3, i32 noundef 0, i32
// CHECK-LABEL: .visible .entry initiate_signal_thread(
// CHECK: st.global
// CHECK: red.release.sys.global.add.u64
// CHECK: ret;
extern "C" __global__ void initiate_signal_thread(float *to, const float *from, uint64_t *flag, long long n, int pe) {
  gicc::initiation how;
  how.priority = 200;
  how.in = gicc::domain(3);
  how.sig = flag;
  how.value = 7;
  how.what = gicc::op::add;
  gicc::initiate<gicc::thread, gicc::engine::direct>(to, from, n, pe, how);
}

// CALL: define {{.*}}ptx_kernel void @initiate_warp(
// CALL: call {{.*}}@__gicc_initiate_warp(
// CHECK-LABEL: .visible .entry initiate_warp(
// CHECK: st.global
// CHECK: bar.warp.sync
// CHECK: ret;
extern "C" __global__ void initiate_warp(float *to, const float *from, long long n, int pe, long long *out) {
  gicc::event e = gicc::initiate<gicc::warp>(to, from, n, pe);
  out[threadIdx.x] = e.handle;
}

// CALL: define {{.*}}ptx_kernel void @initiate_signal_warp(
// CALL: call {{.*}}@__gicc_initiate_warp({{.*}}, ptr noundef %flag, i64 noundef 7, i32 noundef 1, i32 noundef 200, i32 noundef 3, i32 noundef 0, i32
// CHECK-LABEL: .visible .entry initiate_signal_warp(
// CHECK: st.global
// CHECK: bar.warp.sync
// CHECK: red.release.sys.global.add.u64
// CHECK: ret;
extern "C" __global__ void initiate_signal_warp(float *to, const float *from, uint64_t *flag, long long n, int pe) {
  gicc::initiation how;
  how.priority = 200;
  how.in = gicc::domain(3);
  how.sig = flag;
  how.value = 7;
  how.what = gicc::op::add;
  gicc::initiate<gicc::warp, gicc::engine::direct>(to, from, n, pe, how);
}

// CALL: define {{.*}}ptx_kernel void @initiate_block(
// CALL: call {{.*}}@__gicc_initiate_block(
// CHECK-LABEL: .visible .entry initiate_block(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: ret;
extern "C" __global__ void initiate_block(float *to, const float *from, long long n, int pe, long long *out) {
  gicc::event e = gicc::initiate<gicc::block>(to, from, n, pe);
  out[threadIdx.x] = e.handle;
}

// CALL: define {{.*}}ptx_kernel void @initiate_signal_block(
// CALL: call {{.*}}@__gicc_initiate_block({{.*}}, ptr noundef %flag, i64 noundef 7, i32 noundef 1, i32 noundef 200, i32 noundef 3, i32 noundef 0, i32
// CHECK-LABEL: .visible .entry initiate_signal_block(
// CHECK: st.global
// CHECK: bar.sync
// CHECK: red.release.sys.global.add.u64
// CHECK: ret;
extern "C" __global__ void initiate_signal_block(float *to, const float *from, uint64_t *flag, long long n, int pe) {
  gicc::initiation how;
  how.priority = 200;
  how.in = gicc::domain(3);
  how.sig = flag;
  how.value = 7;
  how.what = gicc::op::add;
  gicc::initiate<gicc::block, gicc::engine::direct>(to, from, n, pe, how);
}
