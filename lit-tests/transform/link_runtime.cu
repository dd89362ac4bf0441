// The device runtime is linked and inlined: no primitive is left, nothing of the runtime is visible outside, and a module
// that calls nothing of it holds nothing of it.
// RUN: %gicc %s --verify-each --stop-after link -o - | FileCheck %s
// RUN: %gicc %s -o - | FileCheck --check-prefix=PTX --implicit-check-not=".visible .func" --implicit-check-not=.extern %s
// RUN: %gicc %S/Inputs/nothing.ll -o - | FileCheck --check-prefix=NOTHING --implicit-check-not=.func --implicit-check-not=gicc_rt %s
// PTX: .visible .entry k(
// NOTHING: .visible .entry k(
#include <gicc/gicc.cuh>

// CHECK-LABEL: define {{.*}}@k(
// CHECK-NOT: @__gicc_put_signal_block
// CHECK: call void @__gicc_signal_set(
extern "C" __global__ void k(float *to, const float *from, uint64_t *flag, int n, int pe) {
  gicc::put_signal<gicc::block>(to, from, n, flag, 1, pe);
}
