// arrive: the block's barrier, one acquiring and releasing count at GPU scope, and all threads learn the result.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}arrive
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @arrive(
// CALL: call {{.*}}@__gicc_arrive_block(
// CHECK-LABEL: .visible .entry arrive(
// CHECK: bar.sync
// CHECK: atom.acq_rel.gpu.global.inc.u32
// CHECK: bar.red.or.pred
// CHECK: ret;
extern "C" __global__ void arrive(uint32_t *counter, int *out) {
  if (gicc::arrive(counter)) *out = 1;
}
