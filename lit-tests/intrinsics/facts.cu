// my_pe and n_pes are loads from constant memory.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}none
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @facts(
// CALL: call {{.*}}@__gicc_my_pe(
// CALL: call {{.*}}@__gicc_n_pes(
// CHECK-LABEL: .visible .entry facts(
// CHECK: ld.const.b32
// CHECK: ld.const.b32
// CHECK: ret;
extern "C" __global__ void facts(int *out) {
  out[0] = gicc::my_pe();
  out[1] = gicc::n_pes();
}
