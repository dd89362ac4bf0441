// Collectives that there are none of.
// RUN: %mlir-opt %s --split-input-file --verify-diagnostics

func.func @bits(%x: memref<4xf32>) {
  // expected-error @+1 {{`and` is of bits, and 'f32' is no integer}}
  gicc.all_reduce block and %x, %x : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @type(%x: memref<4xi8>) {
  // expected-error @+1 {{there is no collective of 'i8': f16, bf16, f32, f64, i32, ui32, i64 and ui64 there are}}
  gicc.all_reduce block sum %x, %x : memref<4xi8>, memref<4xi8>
  return
}

// -----

func.func @is_unsigned(%x: memref<4xf32>) {
  // expected-error @+1 {{'f32' cannot be taken as unsigned}}
  gicc.all_reduce block max %x, %x unsigned : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @algorithm(%x: memref<4xf32>) {
  // expected-error @+1 {{all_reduce has no algorithm `direct`: it has auto, one_shot, two_shot and ring}}
  gicc.all_reduce block max %x, %x algorithm(direct) : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @gather(%x: memref<4xf32>, %y: memref<2xf32>) {
  // expected-error @+1 {{all_gather has no algorithm `two_shot`: it has auto, direct and ring}}
  gicc.all_gather block %x, %y algorithm(two_shot) : memref<4xf32>, memref<2xf32>
  return
}

// -----

func.func @sizes(%x: memref<4xf32>, %y: memref<2xf32>) {
  // expected-error @+1 {{the result has 4 elements and the input 2; write how many are meant, as `count %n`}}
  gicc.all_reduce block sum %x, %y : memref<4xf32>, memref<2xf32>
  return
}

// -----

func.func @parts(%x: memref<5xf32>, %y: memref<2xf32>) {
  // expected-error @+1 {{the result has 5 elements, which are no whole number of PEs with 2 each}}
  gicc.all_gather block %x, %y : memref<5xf32>, memref<2xf32>
  return
}

// -----

gicc.team @three pes(3) // expected-note {{the team is declared here}}
func.func @team(%x: memref<4xf32>, %y: memref<2xf32>) {
  // expected-error @+1 {{the result has 4 elements, and 3 PEs have 6}}
  gicc.all_gather block %x, %y in @three : memref<4xf32>, memref<2xf32>
  return
}

// -----

func.func @uncounted(%x: memref<4xf32>, %y: !llvm.ptr) {
  // expected-error @+1 {{from a pointer the number of elements has to be written, as `count %n`}}
  gicc.all_gather block %x, %y : memref<4xf32>, !llvm.ptr
  return
}

// -----

func.func @grid(%x: memref<4xf32, 3>, %y: memref<4xf32>) { // expected-note {{the result is defined here}}
  // expected-error @+1 {{the result is in shared memory, and all blocks of the grid take part}}
  gicc.all_reduce grid sum %x, %y : memref<4xf32, 3>, memref<4xf32>
  return
}

// -----

func.func @strided(%x: memref<4xf32, strided<[2]>>, %y: memref<4xf32>) { // expected-note {{the result is defined here}}
  // expected-error @+1 {{are not known to lie side by side}}
  gicc.all_reduce block sum %x, %y : memref<4xf32, strided<[2]>>, memref<4xf32>
  return
}

// -----

gicc.team @column pes(2) stride(2) // expected-note {{@column is such a part}}
func.func @of_a_part(%x: memref<4xf32>) {
  // expected-error @+1 {{a collective of a part of the PEs is not built: all PEs take part in each, or exchange what they need with put_signal and wait}}
  gicc.all_reduce block sum %x, %x in @column : memref<4xf32>, memref<4xf32>
  return
}
