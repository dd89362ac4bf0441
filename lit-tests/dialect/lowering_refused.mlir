// What cannot be lowered is refused at its place, with the place that it disagrees with.
// RUN: %mlir-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gicc-to-llvm,gicc-device-module)'

func.func @engine(%to: memref<4xf32>, %from: memref<4xf32>, %pe: i32) {
  // expected-error @+1 {{the engine `proxy` is not built yet; `direct` is}}
  %e = gicc.initiate block %to, %from to %pe engine(proxy) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// expected-error @+1 {{an event or a channel may not cross a call: it is used in the function that made it}}
func.func @event(%e: !gicc.event<block>) {
  return
}

// -----

func.func @channel(%p: !llvm.ptr, %q: !llvm.ptr, %c: i1, %pe: i32) {
  %a = gicc.channel @a %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  %b = gicc.channel @b %q, %q : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  %x = arith.select %c, %a, %b : !gicc.channel<f32, simple, slots = 2, capacity = 4>
  // expected-error @+1 {{which channel this is does not show: use the result of `gicc.channel` itself}}
  gicc.channel_done block %x to %pe : !gicc.channel<f32, simple, slots = 2, capacity = 4>
  gicc.channel_close %a : !gicc.channel<f32, simple, slots = 2, capacity = 4>
  gicc.channel_close %b : !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

func.func @host() {
  %c = arith.constant 1 : index
  // expected-error @+1 {{this launches a kernel, which is host code: gicc takes kernels alone, and a launch description launches them}}
  gpu.launch blocks(%a, %b, %d) in (%e = %c, %f = %c, %g = %c) threads(%h, %i, %j) in (%k = %c, %l = %c, %m = %c) {
    gpu.terminator
  }
  return
}

// -----

// expected-error @+1 {{argument 1 of `shape` has the type memref<?xf32>, whose sizes are not all known: a buffer is passed as an address, so its shape and layout must be static; pass `!llvm.ptr` and a count otherwise}}
func.func @shape(%n: index, %x: memref<?xf32>) attributes {gicc.kernel} {
  return
}

// -----

// expected-error @+1 {{argument 0 of `offset` has the type memref<4xf32, strided<[1], offset: ?>>}}
func.func @offset(%x: memref<4xf32, strided<[1], offset: ?>>) {
  return
}

// -----

func.func @twice() { // expected-note {{it is defined here too}}
  return
}
gpu.module @m {
  // expected-error @+1 {{`twice` is defined twice: all of a file's modules become one}}
  gpu.func @twice() kernel {
    gpu.return
  }
}

// -----

func.func @beside() {
  return
}
// expected-error @+1 {{`builtin.module` cannot be compiled for a GPU: functions, gpu.module and globals can}}
module @inner {
}
