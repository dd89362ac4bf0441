// test looks once, with acquire.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}test
#include <gicc/gicc.cuh>

// CALL: define {{.*}}ptx_kernel void @test(
// CALL: call {{.*}}@__gicc_test(
// CHECK-LABEL: .visible .entry test(
// CHECK: ld.acquire.sys.global.u64
// CHECK: ret;
extern "C" __global__ void test(uint64_t *flag, int *out) {
  if (gicc::test(flag, gicc::cmp::eq, 3)) *out = 1;
}
