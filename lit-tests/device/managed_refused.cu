// __managed__ has no meaning here; the message says what to do.
// RUN: not %gicc %s -o %t.ptx 2>&1 | FileCheck %s
// CHECK: __managed__ variables are not supported
__managed__ int counter;
__global__ void count() { counter++; }
