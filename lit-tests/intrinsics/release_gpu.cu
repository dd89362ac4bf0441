// release with a scope of its own reaches no further.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}release
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @release_gpu_thread(
// CALL: call {{.*}}@__gicc_release_thread(
// CHECK-LABEL: .visible .entry release_gpu_thread(
// CHECK: fence.release.gpu;
// CHECK: ret;
extern "C" __global__ void release_gpu_thread() {
  gicc::release<gicc::thread>(gicc::scope::gpu);
}

// CALL: define {{.*}}ptx_kernel void @release_gpu_warp(
// CALL: call {{.*}}@__gicc_release_warp(
// CHECK-LABEL: .visible .entry release_gpu_warp(
// CHECK: bar.warp.sync
// CHECK: fence.release.gpu;
// CHECK: ret;
extern "C" __global__ void release_gpu_warp() {
  gicc::release<gicc::warp>(gicc::scope::gpu);
}

// CALL: define {{.*}}ptx_kernel void @release_gpu_block(
// CALL: call {{.*}}@__gicc_release_block(
// CHECK-LABEL: .visible .entry release_gpu_block(
// CHECK: bar.sync
// CHECK: fence.release.gpu;
// CHECK: ret;
extern "C" __global__ void release_gpu_block() {
  gicc::release<gicc::block>(gicc::scope::gpu);
}
