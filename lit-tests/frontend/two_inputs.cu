// Several inputs are linked in order, CUDA C++ and IR alike.
// RUN: %gicc %s %S/Inputs/helper.ll --verify-each -o - | FileCheck --implicit-check-not=.extern %s
// RUN: not %gicc %s -o - 2>&1 | FileCheck --check-prefix=ALONE %s
// CHECK: .visible .entry _Z1kPi(
// ALONE: error[E0301]
// ALONE: helper
extern "C" __device__ int helper(int);
__global__ void k(int *p) { *p = helper(*p); }
