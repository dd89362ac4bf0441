// All functions of a file become one module of device code; a declaration gives way to its definition, and what two modules
// declare alike is one thing. The last pass marks kernels, and refuses what is left.
// RUN: %mlir-opt %s --pass-pipeline='builtin.module(gicc-device-module)' | FileCheck %s
// RUN: %gicc %s --emit mlir -o - | FileCheck %s --check-prefix=LOWERED
// RUN: not %mlir-opt %s --pass-pipeline='builtin.module(gicc-check-lowered)' 2>&1 | FileCheck %s --check-prefix=LEFT

// CHECK: gpu.module @gicc {
// CHECK-DAG: gicc.domain @d
// CHECK-DAG: func.func @k({{.*}}) attributes {gicc.kernel} {
// CHECK-DAG: gpu.func @l({{.*}}) kernel {
// CHECK-DAG: func.func @helper(%{{.*}}: i32) -> i32 {
// CHECK-NOT: func.func private @helper
// CHECK-NOT: gpu.module

// LOWERED-DAG: llvm.func @k({{.*}}) attributes {{.*}}nvvm.kernel
// LOWERED-DAG: llvm.func @l({{.*}}) attributes {{.*}}nvvm.kernel
// LOWERED-DAG: llvm.func @helper(%{{.*}}: i32{{.*}}) -> i32

// LEFT: error: `func.func` has no lowering for the GPU
gicc.domain @d id(3)
func.func private @helper(%x: i32) -> i32
func.func @k(%p: !llvm.ptr) attributes {gicc.kernel} {
  %me = gicc.my_pe : i32
  %y = call @helper(%me) : (i32) -> i32
  llvm.store %y, %p : i32, !llvm.ptr
  gicc.release thread domain(@d)
  return
}
gpu.module @more {
  gicc.domain @d id(3)
  func.func @helper(%x: i32) -> i32 {
    return %x : i32
  }
  gpu.func @l(%p: !llvm.ptr) kernel {
    gicc.acquire thread domain(@d)
    gpu.return
  }
}
