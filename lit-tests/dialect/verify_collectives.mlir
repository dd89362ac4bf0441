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

gicc.team @column pes(2) stride(2) // expected-note {{the team is declared here}}
func.func @gathered_by_a_part(%x: memref<6xf32>, %y: memref<2xf32>) {
  // expected-error @+1 {{the result has 6 elements, and 2 PEs have 4}}
  gicc.all_gather block %x, %y in @column : memref<6xf32>, memref<2xf32>
  return
}

// -----

gicc.team @column pes(2) stride(2)
func.func @two_teams(%x: memref<4xf32>, %n: i32) {
  // expected-error @+1 {{one team takes part: either `in @column`, or `part(...)`}}
  gicc.all_reduce block sum %x, %x in @column part(%n, %n, %n) : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @numbers(%x: memref<4xf32>, %n: i32) {
  // expected-error @+1 {{a part of the PEs has a start, a stride and a number of PEs, as `part(%start, %stride, %pes)`}}
  gicc.all_reduce block sum %x, %x part(%n, %n) : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @start(%x: memref<4xf32>, %n: i32) {
  %less = arith.constant -2 : i32
  // expected-error @+1 {{a part of the PEs cannot start with PE -2}}
  gicc.all_reduce block sum %x, %x part(%less, %n, %n) : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @stride(%x: memref<4xf32>, %y: memref<8xf32>, %n: i32) {
  %none = arith.constant 0 : i32
  // expected-error @+1 {{a part of the PEs cannot have a stride of 0}}
  gicc.all_gather block %y, %x part(%n, %none, %n) : memref<8xf32>, memref<4xf32>
  return
}

// -----

func.func @nobody(%x: memref<4xf32>, %n: i32) {
  %none = arith.constant 0 : i32
  // expected-error @+1 {{a part of the PEs cannot have 0 PEs}}
  gicc.all_reduce block sum %x, %x part(%n, %n, %none) : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @beyond(%x: memref<4xf32>) {
  %start = arith.constant 1 : i32
  %stride = arith.constant 9000 : i32
  %pes = arith.constant 5 : i32
  // expected-error @+1 {{the part's last PE would be 36001: PEs count up to 32766}}
  gicc.all_reduce block sum %x, %x part(%start, %stride, %pes) : memref<4xf32>, memref<4xf32>
  return
}

// -----

gicc.team @column pes(2) stride(2)
func.func @meets(%n: i32) {
  // expected-error @+1 {{one team takes part: either `in @column`, or `part(...)`}}
  gicc.barrier in @column part(%n, %n, %n)
  return
}

// -----

func.func @meets_by_numbers(%n: i32) {
  %none = arith.constant 0 : i32
  // expected-error @+1 {{a part of the PEs cannot have a stride of 0}}
  gicc.barrier part(%n, %none, %n)
  return
}

// -----

gicc.team @all pes(4) // expected-note {{`@all` says so}}
// expected-error @+1 {{its last PE would be 5, and the program is for 4 PEs}}
gicc.team @column pes(3) start(1) stride(2)
