// The domains of arguments: written and read back, lowered to what level L reads, and checked there where MLIR cannot see.
// RUN: %mlir-opt %s | %mlir-opt | FileCheck %s
// RUN: %mlir-opt %s --pass-pipeline='builtin.module(gicc-to-llvm)' | FileCheck %s --check-prefix=LOWERED
// RUN: %gicc %s --stop-after frontend -o - | FileCheck %s --check-prefix=IR
// RUN: %gicc %s --stop-after verify -o - | FileCheck %s --check-prefix=VERIFIED --implicit-check-not=gicc.domain
// RUN: %gicc %s --check-errors off -o - | FileCheck %s --check-prefix=PTX --implicit-check-not=halo --implicit-check-not=rows
// RUN: %python -c "[print('gicc.domain @d%%d' %% n) for n in range(256)]" > %t.many.mlir
// RUN: not %mlir-opt %t.many.mlir --pass-pipeline='builtin.module(gicc-to-llvm)' 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: many.mlir:256:1: error: no number is left for this domain: a program has at most 255 domains
// RUN: sed 's/= @halo}, %chosen/= @rows}, %chosen/' %s > %t.mlir
// RUN: not %gicc %t.mlir -o - 2>&1 | FileCheck %s --check-prefix=REFUSED

// LOWERED-DAG: llvm.mlir.global weak_odr constant @gicc.domain.halo.7.2("halo 7 2 {{.*}}domains.mlir:{{[0-9]+}}:1\00")
// LOWERED-DAG: llvm.mlir.global weak_odr constant @gicc.domain.rows.1.4("rows 1 4 {{.*}}domains.mlir:{{[0-9]+}}:1\00")
// IR-DAG: @gicc.domain.halo.7.2 = weak_odr addrspace(1) constant [{{[0-9]+}} x i8] c"halo 7 2 {{.*}}domains.mlir:{{[0-9]+}}:1\00"
// CHECK: gicc.domain @halo id(7) scope(gpu)
gicc.domain @halo id(7) scope(gpu)
gicc.domain @rows

// CHECK: func.func @k(%{{.*}}: memref<64xf32> {gicc.domain = @halo}, %{{.*}}: memref<64xf32> {gicc.domain = [@rows, @halo]}, %{{.*}}: memref<64xf32>, %{{.*}}: i32, %{{.*}}: i1) attributes {gicc.kernel}
// LOWERED: func.func @k(%{{.*}}: memref<64xf32>, %{{.*}}: memref<64xf32>, %{{.*}}: memref<64xf32>, %{{.*}}: i32, %{{.*}}: i1) attributes {gicc.domains = "0:halo,1:rows,1:halo", gicc.kernel}
// IR: define ptx_kernel void @k({{.*}}) #[[K:[0-9]+]]
// IR: attributes #[[K]] = { {{.*}}"gicc.domains"="0:halo,1:rows,1:halo"
// VERIFIED: define ptx_kernel void @k(
// VERIFIED: call i64 @__gicc_initiate_block({{.*}}, i32 7, i32 5, i32 %
// PTX: .visible .entry k(
func.func @k(%edge: memref<64xf32> {gicc.domain = @halo}, %chosen: memref<64xf32> {gicc.domain = [@rows, @halo]}, %from: memref<64xf32>, %pe: i32, %c: i1)
    attributes {gicc.kernel} {
  %a = gicc.initiate block %edge, %from to %pe : memref<64xf32>, memref<64xf32>
  func.call @helper(%edge, %from, %pe) : (memref<64xf32>, memref<64xf32>, i32) -> ()
  %either = arith.select %c, %edge, %chosen : memref<64xf32>
  func.call @helper(%either, %from, %pe) : (memref<64xf32>, memref<64xf32>, i32) -> ()
  return
}

// Which buffer it is shows in the kernel alone: by level L's check, at the same place.
// REFUSED: error[E0219]
// REFUSED: the destination, `parameter 0`, does not belong to the domain `halo`
// REFUSED: an initiation on a domain writes to that domain's members alone
// REFUSED: mlir:[[# @LINE + 6]]:8]
// REFUSED: name the domain of the buffer, or declare the buffer a member of this one: GICC_DOMAIN("halo") in C++, `gicc.domain = @halo` in MLIR
// REFUSED: `parameter 0` is declared a member of `rows`
// The second call has a buffer that belongs there, and one that does not.
// REFUSED-NOT: error[
func.func @helper(%to: memref<64xf32>, %from: memref<64xf32>, %pe: i32) {
  %a = gicc.initiate block %to, %from to %pe domain(@halo) : memref<64xf32>, memref<64xf32>
  return
}
