// What each verifier refuses: what is wrong, where, and the place that it disagrees with.
// RUN: %mlir-opt %s --split-input-file --verify-diagnostics

func.func @shared(%to: memref<4xf32, 3>, %from: memref<4xf32>, %pe: i32) { // expected-note {{the destination is defined here}}
  // expected-error @+1 {{the destination is in shared memory; a peer's copy is found at the same offset of the symmetric heap, and other memory has none}}
  gicc.put block %to, %from to %pe : memref<4xf32, 3>, memref<4xf32>
  return
}

// -----

func.func @workgroup(%to: memref<4xf32>, %from: memref<4xf32, #gpu.address_space<workgroup>>, %pe: i32) { // expected-note {{the source is defined here}}
  // expected-error @+1 {{the source is in shared memory}}
  gicc.get block %to, %from from %pe : memref<4xf32>, memref<4xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @local(%from: memref<4xf32>, %pe: i32) {
  %to = memref.alloca() : memref<8xf32> // expected-note {{it comes from here}}
  %part = memref.subview %to[0][4][1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  // expected-error @+1 {{the destination is a local variable}}
  gicc.put thread %part, %from to %pe : memref<4xf32, strided<[1]>>, memref<4xf32>
  return
}

// -----

memref.global @g : memref<1xi64>
func.func @global(%pe: i32, %v: i64) {
  %word = memref.get_global @g : memref<1xi64> // expected-note {{it comes from here}}
  // expected-error @+1 {{the signal is a variable of the module}}
  gicc.signal thread %word set %v to %pe : memref<1xi64>
  return
}

// -----

func.func @null(%pe: i32) {
  %p = llvm.mlir.zero : !llvm.ptr // expected-note {{it comes from here}}
  // expected-error @+1 {{the address is a null pointer}}
  %q = gicc.peer_ptr %p on %pe : !llvm.ptr
  return
}

// -----

func.func @constant(%p: !llvm.ptr<4>, %q: !llvm.ptr, %n: i32, %pe: i32) { // expected-note {{the destination is defined here}}
  // expected-error @+1 {{the destination is in constant memory}}
  gicc.put warp %p, %q count %n of f32 to %pe : !llvm.ptr<4>, !llvm.ptr, i32
  return
}

// -----

func.func @elements(%to: memref<4xf32>, %from: memref<4xf16>, %pe: i32) {
  // expected-error @+1 {{the destination has elements of 'f32', and the source of 'f16'}}
  gicc.put block %to, %from to %pe : memref<4xf32>, memref<4xf16>
  return
}

// -----

func.func @said(%to: memref<4xf32>, %from: !llvm.ptr, %n: i32, %pe: i32) {
  // expected-error @+1 {{the elements are said to be 'f16', and the destination has 'f32'}}
  gicc.put block %to, %from count %n of f16 to %pe : memref<4xf32>, !llvm.ptr, i32
  return
}

// -----

func.func @odd(%p: !llvm.ptr, %n: i32, %pe: i32) {
  // expected-error @+1 {{elements of 'i12' cannot be moved}}
  gicc.put block %p, %p count %n of i12 to %pe : !llvm.ptr, !llvm.ptr, i32
  return
}

// -----

func.func @long(%p: !llvm.ptr, %n: i32, %pe: i32) {
  // expected-error @+1 {{cannot be moved: numbers of 8, 16, 32 or 64 bits, and vectors of up to 1024 of them, can}}
  gicc.put block %p, %p count %n of vector<99999999999x99999999999xf32> to %pe : !llvm.ptr, !llvm.ptr, i32
  return
}

// -----

// expected-error @+1 {{whose value is positive whose maximum value is 32767}}
gicc.team @crowd pes(40000)

// -----

func.func @unsaid(%p: !llvm.ptr, %n: i32, %pe: i32) {
  // expected-error @+1 {{between pointers the element type has to be written, as `of f32`}}
  gicc.put block %p, %p count %n to %pe : !llvm.ptr, !llvm.ptr, i32
  return
}

// -----

func.func @uncounted(%p: !llvm.ptr, %pe: i32) {
  // expected-error @+1 {{between pointers the number of elements has to be written, as `count %n`}}
  gicc.put block %p, %p of f32 to %pe : !llvm.ptr, !llvm.ptr
  return
}

// -----

func.func @sizes(%to: memref<4xf32>, %from: memref<2x3xf32>, %pe: i32) {
  // expected-error @+1 {{the destination has 4 elements and the source 6; write how many are meant, as `count %n`, or take a part with memref.subview}}
  gicc.put block %to, %from to %pe : memref<4xf32>, memref<2x3xf32>
  return
}

// -----

func.func @strided(%to: memref<4x4xf32>, %from: memref<4x4xf32, strided<[8, 1]>>, %pe: i32) { // expected-note {{the source is defined here}}
  // expected-error @+1 {{the elements of the source, of type 'memref<4x4xf32, strided<[8, 1]>>', are not known to lie side by side; what is moved has to be contiguous}}
  gicc.put block %to, %from to %pe : memref<4x4xf32>, memref<4x4xf32, strided<[8, 1]>>
  return
}

// -----

// Strides of dimensions of one element do not matter, nor does the offset.
func.func @contiguous(%to: memref<1x4xf32, strided<[99, 1], offset: ?>>, %from: memref<4x1xf32, strided<[1, 7]>>, %pe: i32) {
  gicc.put block %to, %from to %pe : memref<1x4xf32, strided<[99, 1], offset: ?>>, memref<4x1xf32, strided<[1, 7]>>
  return
}

// -----

func.func @dynamic(%to: memref<?x?xf32, strided<[?, 1]>>, %from: memref<?x?xf32>, %pe: i32) { // expected-note {{the destination is defined here}}
  // expected-error @+1 {{are not known to lie side by side}}
  gicc.put block %to, %from to %pe : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32>
  return
}

// -----

func.func @too_many(%to: memref<4xf32>, %from: memref<8xf32>, %pe: i32) {
  %n = arith.constant 5 : index
  // expected-error @+1 {{the count of 5 is more than the 4 elements of the destination}}
  gicc.put block %to, %from count %n to %pe : memref<4xf32>, memref<8xf32>, index
  return
}

// -----

func.func @huge(%to: memref<99999999999x99999999999xf32>, %from: memref<4xf32>, %n: i32, %pe: i32) {
  // expected-error @+1 {{the destination, of type 'memref<99999999999x99999999999xf32>', has more elements than memory can hold}}
  gicc.put block %to, %from count %n to %pe : memref<99999999999x99999999999xf32>, memref<4xf32>, i32
  return
}

// -----

func.func @negative(%to: memref<4xf32>, %from: memref<8xf32>, %pe: i32) {
  %n = arith.constant -1 : i32
  // expected-error @+1 {{the count is negative: -1}}
  gicc.put block %to, %from count %n to %pe : memref<4xf32>, memref<8xf32>, i32
  return
}

// -----

func.func @pe(%to: memref<4xf32>, %from: memref<4xf32>) {
  %pe = arith.constant -2 : i32
  // expected-error @+1 {{PE -2 does not exist: PEs count from 0}}
  gicc.put block %to, %from to %pe : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @narrow(%word: memref<1xi32>, %v: i64) {
  // expected-error @+1 {{a signal is a word of 64 bits, and this one has elements of 'i32'}}
  %s = gicc.wait thread %word eq %v : memref<1xi32>
  return
}

// -----

func.func @many(%word: memref<2xi64>, %v: i64) {
  // expected-error @+1 {{a signal is one word, and 'memref<2xi64>' is not: take the word with memref.subview}}
  %s = gicc.test %word eq %v : memref<2xi64>
  return
}

// -----

func.func @acquiring(%word: memref<1xi64>, %v: i64, %pe: i32) {
  // expected-error @+1 {{a signal is relaxed or releases; it cannot have the order `acquire`}}
  gicc.signal thread %word set %v to %pe order(acquire) : memref<1xi64>
  return
}

// -----

func.func @group(%to: memref<4xf32>, %from: memref<4xf32>, %pe: i32) {
  // expected-error @+1 {{expected one of [thread, warp, block] for who executes together, got: grid}}
  gicc.put grid %to, %from to %pe : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @undeclared() {
  // expected-error @+1 {{@halo is not declared; a domain is declared with `gicc.domain`}}
  gicc.release block domain(@halo)
  return
}

// -----

gicc.team @halo // expected-note {{@halo is declared here}}
func.func @other() {
  // expected-error @+1 {{@halo is no domain}}
  gicc.acquire block domain(@halo)
  return
}

// -----

gicc.domain @a id(3) // expected-note {{`@a` has it}}
// expected-error @+1 {{the number 3 belongs to another domain}}
gicc.domain @b id(3)

// -----

func.func @team() {
  // expected-error @+1 {{@none is not declared; a team is declared with `gicc.team`}}
  gicc.barrier in @none
  return
}

// -----

func.func @half_a_signal(%to: memref<4xf32>, %from: memref<4xf32>, %word: memref<1xi64>, %pe: i32) {
  // expected-error @+1 {{a signal has a word, an action and a value, and one of them is missing}}
  %e = "gicc.initiate"(%to, %from, %word, %pe) <{group = #gicc<group block>, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1>}>
    : (memref<4xf32>, memref<4xf32>, memref<1xi64>, i32) -> !gicc.event<block>
  return
}

// -----

func.func @event(%to: memref<4xf32>, %from: memref<4xf32>, %pe: i32) {
  %e = gicc.initiate block %to, %from to %pe : memref<4xf32>, memref<4xf32> // expected-note {{prior use here}}
  // expected-error @+1 {{expects different type than prior uses}}
  %c = gicc.event_wait %e : !gicc.event<warp>
  return
}

// -----

// expected-error @+1 {{the dialect `gicc` has no attribute "gicc.kernal"}}
func.func @attribute() attributes {gicc.kernal} {
  return
}

// -----

// expected-error @+1 {{`gicc.fallback` names a function: `gicc.fallback = @recover`}}
func.func @fallback() attributes {gicc.kernel, gicc.fallback} {
  return
}

// -----

// expected-error @+1 {{`gicc.kernel` has no value}}
func.func @value() attributes {gicc.kernel = 1} {
  return
}

// -----

// expected-error @+1 {{a kernel returns nothing}}
func.func @result() -> i32 attributes {gicc.kernel} {
  %c = arith.constant 1 : i32
  return %c : i32
}

// -----

// expected-error @+1 {{a kernel has a body}}
func.func private @body() attributes {gicc.kernel}

// -----

// expected-error @+1 {{`gicc.kernel` marks functions, and `builtin.module` is none}}
module attributes {gicc.kernel} {}

// -----

// expected-error @+1 {{a part of the PEs says how many it has, as `pes(4)`}}
gicc.team @column stride(2)

// -----

// expected-error @+1 {{its last PE would be 40000: PEs count up to 32766}}
gicc.team @column pes(5) stride(10000)

// -----

gicc.team @column pes(2) start(1) // expected-note {{the team is declared here}}
func.func @outside(%x: memref<4xf32>) {
  %two = arith.constant 2 : i32
  // expected-error @+1 {{PE 2 does not exist in @column, which has 2}}
  %there = gicc.peer_ptr %x on %two in @column : memref<4xf32>
  return
}

// -----

func.func @no_team(%pe: i32) {
  // expected-error @+1 {{@none is not declared; a team is declared with `gicc.team`}}
  %there = gicc.world_pe %pe in @none : i32
  return
}
