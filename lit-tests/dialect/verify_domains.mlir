// What is refused of domains: names, members, and initiations whose destination is known to belong elsewhere.
// RUN: %mlir-opt %s --split-input-file --verify-diagnostics

// Right: one domain, several, a pointer, a function that is no kernel, a declaration.
gicc.domain @halo id(1) scope(gpu)
gicc.domain @rows
func.func private @outside(!llvm.ptr {gicc.domain = @rows})
func.func @right(%edge: memref<64xf32> {gicc.domain = @halo}, %both: !llvm.ptr<1> {gicc.domain = [@halo, @rows]},
                 %plain: memref<64xf32>, %n: i32, %pe: i32) attributes {gicc.kernel} {
  %part = memref.subview %edge[8][16][1] : memref<64xf32> to memref<16xf32, strided<[1], offset: 8>>
  %a = gicc.initiate block %part, %plain count %n to %pe domain(@halo) : memref<16xf32, strided<[1], offset: 8>>, memref<64xf32>, i32
  %element = llvm.getelementptr %both[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %generic = llvm.addrspacecast %element : !llvm.ptr<1> to !llvm.ptr
  %b = gicc.initiate block %generic, %both count %n of f32 to %pe domain(@rows) : !llvm.ptr, !llvm.ptr<1>, i32
  // On no domain, every buffer may be named.
  %c = gicc.initiate block %edge, %plain to %pe : memref<64xf32>, memref<64xf32>
  %d = gicc.initiate block %plain, %edge to %pe : memref<64xf32>, memref<64xf32>
  return
}
// Who calls it brings any buffer.
func.func @helper(%to: memref<64xf32>, %from: memref<64xf32>, %pe: i32) {
  %a = gicc.initiate block %to, %from to %pe domain(@halo) : memref<64xf32>, memref<64xf32>
  return
}

// -----

// A domain without members: nothing is known, and nothing refused.
gicc.domain @halo
gicc.domain @rows
func.func @nothing_known(%to: memref<64xf32>, %rows: memref<64xf32> {gicc.domain = @rows}, %pe: i32) attributes {gicc.kernel} {
  %a = gicc.initiate block %to, %rows to %pe domain(@halo) : memref<64xf32>, memref<64xf32>
  return
}

// -----

// expected-error @+1 {{argument 0 of `unknown` belongs to @halo, which is not declared; a domain is declared with `gicc.domain`}}
func.func @unknown(%edge: memref<64xf32> {gicc.domain = @halo}) {
  return
}

// -----

gicc.team @halo // expected-note {{@halo is declared here}}
// expected-error @+1 {{argument 1 of `no_domain` belongs to @halo, which is no domain}}
func.func @no_domain(%n: i32, %edge: memref<64xf32> {gicc.domain = @halo}) {
  return
}

// -----

gicc.domain @halo
// expected-error @+1 {{argument 0 of `text` has no domain as its `gicc.domain`: `gicc.domain = @halo` and `gicc.domain = [@halo, @rows]` name some}}
func.func @text(%edge: memref<64xf32> {gicc.domain = "halo"}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of `empty` has no domain as its `gicc.domain`}}
func.func @empty(%edge: memref<64xf32> {gicc.domain = []}) {
  return
}

// -----

gicc.domain @halo
// expected-error @+1 {{argument 0 of `mixed` has no domain as its `gicc.domain`}}
llvm.func @mixed(%edge: !llvm.ptr {gicc.domain = [@halo, 1]}) {
  llvm.return
}

// -----

gicc.domain @halo
// expected-error @+1 {{argument 0 of `number` has the type 'f32', and only buffers belong to domains: memrefs and LLVM pointers}}
func.func @number(%x: f32 {gicc.domain = @halo}) {
  return
}

// -----

gpu.module @kernels {
  gicc.domain @halo
  // expected-error @+1 {{argument 0 of `shared` is in shared memory, and only symmetric buffers belong to domains}}
  gpu.func @shared(%x: memref<4xf32, #gpu.address_space<workgroup>> {gicc.domain = @halo}) kernel {
    gpu.return
  }
}

// -----

// expected-error @+1 {{the dialect `gicc` has no attribute "gicc.domian" of arguments; there is `gicc.domain`}}
func.func @misspelt(%x: memref<4xf32> {gicc.domian = @halo}) {
  return
}

// -----

gicc.domain @halo
// expected-error @+1 {{`gicc.domain` stands on arguments of functions, as `%edge: memref<64xf32> {gicc.domain = @halo}`; other memory is not symmetric}}
memref.global @g : memref<4xf32> {gicc.domain = @halo}

// -----

// expected-error @+1 {{the name of a domain is made of letters, digits, `_`, `.`, `$` and `-`, and "a b" is not}}
gicc.domain @"a b"

// -----

// expected-error @+1 {{failed to satisfy constraint: 32-bit signless integer attribute whose value is positive whose maximum value is 255}}
gicc.domain @large id(256)

// -----

gicc.domain @halo
gicc.domain @rows
func.func @other(%edge: memref<64xf32> {gicc.domain = @halo}, %from: memref<64xf32>, %pe: i32) { // expected-note {{it is argument 0 of `other`}}
  %part = memref.subview %edge[8][16][1] : memref<64xf32> to memref<16xf32, strided<[1], offset: 8>>
  %there = gicc.peer_ptr %part on %pe : memref<16xf32, strided<[1], offset: 8>>
  %n = arith.constant 4 : i32
  // expected-error @+1 {{the destination belongs to @halo, and not to @rows; name the domain of the buffer, or declare the argument a member of this one too, as `gicc.domain = [@halo, @rows]`}}
  %a = gicc.initiate block %there, %from count %n to %pe domain(@rows) : memref<16xf32, strided<[1], offset: 8>>, memref<64xf32>, i32
  return
}

// -----

gicc.domain @halo
gicc.domain @rows
gicc.domain @third
llvm.func @pointers(%edge: !llvm.ptr<1> {gicc.domain = [@halo, @rows]}, %from: !llvm.ptr, %n: i32, %pe: i32) { // expected-note {{it is argument 0 of `pointers`}}
  %element = llvm.getelementptr %edge[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %number = llvm.ptrtoint %element : !llvm.ptr<1> to i64
  %again = llvm.inttoptr %number : i64 to !llvm.ptr
  // expected-error @+1 {{the destination belongs to @halo and @rows, and not to @third}}
  %a = gicc.initiate block %again, %from count %n of f32 to %pe domain(@third) : !llvm.ptr, !llvm.ptr, i32
  llvm.return
}

// -----

gicc.domain @halo
gpu.module @kernels {
  gpu.func @none(%edge: memref<64xf32>, %member: memref<64xf32> {gicc.domain = @halo}, %pe: i32) kernel { // expected-note {{it is argument 0 of `none`}}
    // expected-error @+1 {{the destination belongs to no domain, and @halo has members; declare the argument one of them, as `gicc.domain = @halo`, or name no domain}}
    %a = gicc.initiate block %edge, %member to %pe domain(@halo) : memref<64xf32>, memref<64xf32>
    gpu.return
  }
}
