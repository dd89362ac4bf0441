// The standard of C++ is the user's choice; one that clang does not know is clang's error.
// RUN: %gicc --std c++20 %s -o - --emit llvm --stop-after frontend | FileCheck %s
// RUN: not %gicc %s -o - 2>&1 | FileCheck --check-prefix=OLD %s
// RUN: not %gicc --std c++1998 %s -o - 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// CHECK: define {{.*}}void @_Z1kPi
// OLD: error[E0101]
// UNKNOWN: invalid value 'c++1998' in '-std=c++1998'
template <typename T>
concept small = sizeof(T) <= 8;

template <small T>
__device__ void set(T *p) {
  *p = 1;
}

__global__ void k(int *p) { set(p); }
