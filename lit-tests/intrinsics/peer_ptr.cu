// peer_ptr is arithmetic; a store through it is the user's own.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}peer
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @peer_ptr(
// CALL: call {{.*}}@__gicc_peer_ptr(
// CHECK-LABEL: .visible .entry peer_ptr(
// CHECK: st{{(.global)?}}.b32
// CHECK: ret;
extern "C" __global__ void peer_ptr(float *to, float x, int pe) {
  *gicc::peer_ptr(to, pe) = x;
}
