// A kernel in MLIR names its fall-back by an attribute.
// RUN: %gicc %s --check-errors strict --stop-after verify -o - | FileCheck %s
// RUN: %gicc %s --check-errors strict -o - | FileCheck --check-prefix=PTX %s

// CHECK: define ptx_kernel void @k(
// CHECK: call i64 @__gicc_wait_block(
// CHECK-NEXT: call i32 @__gicc_check_error_block()
// CHECK: call void @recover(ptr {{%.*}}, ptr {{%.*}})
// CHECK-NEXT: ret void
// PTX: bar.red.or.pred
func.func @k(%p: memref<64xi32>, %sig: memref<1xi64>) attributes {gicc.kernel, gicc.fallback = @recover} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %from = arith.constant 0 : i32
  %seen = gicc.wait block %sig ge %one from %from : memref<1xi64>
  memref.store %from, %p[%zero] : memref<64xi32>
  return
}

func.func private @recover(%p: memref<64xi32>, %sig: memref<1xi64>) {
  %thread = gpu.thread_id x
  %minus = arith.constant -1 : i32
  memref.store %minus, %p[%thread] : memref<64xi32>
  return
}
