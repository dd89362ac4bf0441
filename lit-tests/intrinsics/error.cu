// error reads this PE's error word.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}error_code
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @error(
// CALL: call {{.*}}@__gicc_error_code(
// CHECK-LABEL: .visible .entry error(
// CHECK: ld.relaxed.gpu.global.u32
// CHECK: ret;
extern "C" __global__ void error(int *out) {
  *out = (int)gicc::error();
}
