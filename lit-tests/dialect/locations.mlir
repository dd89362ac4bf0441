// Places are those of the file's text, or those that `loc` gives, in messages of MLIR, in remarks and in PTX.
// RUN: %gicc %s --remarks human --check-errors off -o - 2>&1 | FileCheck %s

// CHECK-DAG: locations.mlir:12:3: remark[R0401]: signal: release.sys
// CHECK-DAG: elsewhere.py:77:5: remark[R0401]: wait: acquire.sys
// CHECK-DAG: .file {{.*}}locations.mlir"
// CHECK-DAG: .file {{.*}}elsewhere.py"
// CHECK-DAG: .loc {{[0-9]+}} 12 3
// CHECK-DAG: .loc {{[0-9]+}} 77 5

func.func @k(%word: memref<1xi64>, %v: i64, %pe: i32) attributes {gicc.kernel} {
  gicc.signal thread %word set %v to %pe : memref<1xi64>
  %seen = gicc.wait thread %word ge %v : memref<1xi64> loc("elsewhere.py":77:5)
  return
}
