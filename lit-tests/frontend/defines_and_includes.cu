// -I and -D reach the front end.
// RUN: %gicc %s -I %S/Inputs -D FACTOR=7 -D TWICE -o - --emit llvm | FileCheck %s
// RUN: not %gicc %s -I %S/Inputs -o - 2>&1 | FileCheck --check-prefix=MISSING %s
#include "factor.h"
// CHECK: store i32 14,
// MISSING: use of undeclared identifier 'FACTOR'
__global__ void k(int *p) { *p = factor(); }
