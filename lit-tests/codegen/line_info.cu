// Machine code points at the user's lines: the file is the user's, and inlined code of gicc carries the call's line.
// RUN: %gicc %s -o - | FileCheck %s
// RUN: cd %S && %gicc line_info.cu -o - | FileCheck --check-prefix=SHORT %s
// CHECK-LABEL: .visible .entry k(
// CHECK: .loc [[FILE:[0-9]+]] [[# @LINE + 6]]
// CHECK: st.release.sys
// CHECK: .file [[FILE]] "{{.*}}line_info.cu"
// SHORT: .file {{[0-9]+}} "{{.*}}line_info.cu"
#include <gicc/gicc.cuh>
extern "C" __global__ void k(float *to, const float *from, uint64_t *flag, int n, int pe) {
  gicc::put_signal<gicc::block>(to, from, n, flag, 1, pe);
}
