// A mistake in the source is reported where it is.
// RUN: rm -f %t.ptx
// RUN: not %gicc %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: not ls %t.ptx
// RUN: not %gicc %s -o - --diagnostics json 2>&1 | FileCheck --check-prefix=JSON %s

// CHECK: error[E0101]
// CHECK: use of undeclared identifier 'q'
// CHECK: cuda_error.cu:[[# @LINE + 4]]:4]
// CHECK: *q = 1;
// JSON: {"code":"E0101","severity":"error","message":"use of undeclared identifier 'q'","span":{"file":"{{.*}}cuda_error.cu","line":[[# @LINE + 2]],"column":4}
__global__ void k(int *p) {
  *q = 1;
}
