// What NVIDIA's compiler accepts and clang does not is read as it is meant, with a warning at the place of the source. Lines
// stay the source's, in headers too.
// REQUIRES: cuda-headers
// RUN: %cuda-gicc %s -I %S/Inputs -o - --emit llvm --stop-after frontend 2>%t.err | FileCheck %s
// RUN: FileCheck --check-prefix=SAID %s < %t.err
// RUN: sed -e 's/{32, 4, 1}/{32, /' %s > %t.cu
// RUN: not %cuda-gicc %t.cu -I %S/Inputs -o - 2>&1 | FileCheck --check-prefix=WRONG %s
#include "dialect.h"

// CHECK: @_Z5storePii
__global__ void store(int *p, int v) {
  // SAID-DAG: warning[W0102]
  // SAID-DAG: a list of assembly operands without a comma is not C++ as clang reads it
  // SAID-DAG: dialect.cu:[[@LINE+2]]:
  // CHECK: st.relaxed.sys.global.u32 [$1], $0;
  asm volatile("st.relaxed.sys.global.u32 [%1], %0;" :: "r"(v + lane()) "l"(p) : "memory");
}

void launch(int *p, dim3 grid, cudaStream_t stream) {
  // SAID-DAG: a launch configuration in braces is not C++ as clang reads it
  // SAID-DAG: dialect.cu:[[@LINE+2]]:
  // WRONG: error[E0101]
  store<<<grid, {32, 4, 1}, 0, stream>>>(p, 1);
}
// SAID-DAG: a register's `%` that is not doubled in inline assembly
// SAID-DAG: dialect.h:5:
// CHECK: mov.u32 $0, %laneid;
// CHECK: !DIFile(filename: "{{.*}}Inputs{{.}}dialect.h"
