// A barrier of all PEs: one release for the signals to all of them, and every PE's word polled with acquire.
// RUN: %gicc %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: grep -c "fence\." %t.ptx | FileCheck --check-prefix=FENCES %s
// RUN: grep -c "st.relaxed.sys.global.u64" %t.ptx | FileCheck --check-prefix=SIGNALS %s
// FENCES: {{^1$}}
// SIGNALS: {{^1$}}
#include <gicc/gicc.cuh>

// CHECK-LABEL: .visible .entry meet(
// CHECK-DAG: bar.sync
// CHECK-DAG: fence.{{release|acq_rel}}.sys
// CHECK-DAG: st.relaxed.sys.global.u64
// CHECK-DAG: ld.acquire.sys.global.u64
// CHECK: ret;
extern "C" __global__ void meet(int *data) {
  data[threadIdx.x] = 1;
  gicc::barrier();
}
