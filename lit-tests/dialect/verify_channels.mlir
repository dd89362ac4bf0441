// Channels whose ends disagree, or whose memory does not fit.
// RUN: %mlir-opt %s --split-input-file --verify-diagnostics

func.func @put(%words: memref<8xi64>, %buffer: memref<2048xf32>) {
  // expected-note @+1 {{the other end is opened here}}
  %c = gicc.channel @halo %words, %buffer : memref<8xi64>, memref<2048xf32> -> !gicc.channel<f32, simple, slots = 2, capacity = 1024>
  gicc.channel_close %c : !gicc.channel<f32, simple, slots = 2, capacity = 1024>
  return
}
func.func @wait(%words: !llvm.ptr, %buffer: !llvm.ptr) {
  // expected-error @+1 {{the ends of channel @halo disagree in element (f16 and f32), protocol (ll and simple), slots (4 and 2), capacity (512 and 1024)}}
  %c = gicc.channel @halo %words, %buffer : !llvm.ptr, !llvm.ptr -> !gicc.channel<f16, ll, slots = 4, capacity = 512>
  gicc.channel_close %c : !gicc.channel<f16, ll, slots = 4, capacity = 512>
  return
}

// -----

// Also where the ends are in different modules of a file.
gpu.module @a {
  gpu.func @put(%p: !llvm.ptr) kernel {
    // expected-note @+1 {{the other end is opened here}}
    %c = gicc.channel @halo %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 1024>
    gicc.channel_close %c : !gicc.channel<f32, simple, slots = 2, capacity = 1024>
    gpu.return
  }
}
gpu.module @b {
  gpu.func @wait(%p: !llvm.ptr) kernel {
    // expected-error @+1 {{the ends of channel @halo disagree in slots (3 and 2)}}
    %c = gicc.channel @halo %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 3, capacity = 1024>
    gicc.channel_close %c : !gicc.channel<f32, simple, slots = 3, capacity = 1024>
    gpu.return
  }
}

// -----

// expected-error @+1 {{a channel has at least one slot, and this one 0}}
func.func @slots(%c: !gicc.channel<f32, simple, slots = 0, capacity = 1>) { return }

// -----

// expected-error @+1 {{a slot holds at least one element, and this one -4}}
func.func @capacity(%c: !gicc.channel<f32, simple, slots = 1, capacity = -4>) { return }

// -----

// expected-error @+1 {{elements of 'none' cannot be moved}}
func.func @element(%c: !gicc.channel<none, simple, slots = 1, capacity = 1>) { return }

// -----

// expected-error @+1 {{are more than memory can hold}}
func.func @huge(%c: !gicc.channel<f32, simple, slots = 1000, capacity = 9223372036854775807>) { return }

// -----

// expected-error @+1 {{a channel of both protocols has at most 32 slots, and this one 33}}
func.func @both(%c: !gicc.channel<f32, automatic, slots = 33, capacity = 1>) { return }

// -----

func.func @protocol(%p: !llvm.ptr) {
  // expected-error @+1 {{the protocol `bulk` is not built: simple, ll and automatic are}}
  %c = gicc.channel @c %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, bulk, slots = 2, capacity = 4>
  return
}

// -----

func.func @words(%words: memref<4xi64>, %p: !llvm.ptr) {
  // expected-error @+1 {{this channel's words are 8 side by side of 64 bits, and 'memref<4xi64>' is not that}}
  %c = gicc.channel @c %words, %p : memref<4xi64>, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

// 128 bytes of words, and 2 * 2 * 2 packets of 16 bytes with 8 bytes of data.
func.func @packets(%words: memref<31xi64>, %p: !llvm.ptr) {
  // expected-error @+1 {{this channel's words are 32 side by side of 64 bits, and 'memref<31xi64>' is not that}}
  %c = gicc.channel @c %words, %p : memref<31xi64>, !llvm.ptr -> !gicc.channel<f32, ll, slots = 2, capacity = 4>
  return
}

// -----

func.func @buffer(%words: memref<8xi64>, %buffer: memref<7xf32>) {
  // expected-error @+1 {{2 slots of 4 elements need 8 elements, and the buffer has 7}}
  %c = gicc.channel @c %words, %buffer : memref<8xi64>, memref<7xf32> -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

func.func @buffers_element(%words: memref<8xi64>, %buffer: memref<8xf16>) {
  // expected-error @+1 {{the channel carries elements of 'f32', and its buffer has 'f16'}}
  %c = gicc.channel @c %words, %buffer : memref<8xi64>, memref<8xf16> -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

func.func @open(%p: !llvm.ptr) {
  // expected-error @+1 {{the channel is never closed, and its counters would be lost: close it with `gicc.channel_close`}}
  %c = gicc.channel @c %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

func.func @puts(%p: !llvm.ptr, %from: memref<5xf32>, %pe: i32) {
  %c = gicc.channel @c %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  // expected-error @+1 {{the source has 5 elements, and a slot holds 4}}
  gicc.channel_put block %c, %from to %pe : !gicc.channel<f32, simple, slots = 2, capacity = 4>, memref<5xf32>
  gicc.channel_close %c : !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

func.func @puts_other(%p: !llvm.ptr, %from: memref<4xf16>, %pe: i32) {
  %c = gicc.channel @c %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  // expected-error @+1 {{the channel carries elements of 'f32', and the source has 'f16'}}
  gicc.channel_put block %c, %from to %pe : !gicc.channel<f32, simple, slots = 2, capacity = 4>, memref<4xf16>
  gicc.channel_close %c : !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

func.func @puts_unknown(%p: !llvm.ptr, %pe: i32) {
  %c = gicc.channel @c %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  // expected-error @+1 {{from a pointer the number of elements has to be written, as `count %n`}}
  gicc.channel_put block %c, %p to %pe : !gicc.channel<f32, simple, slots = 2, capacity = 4>, !llvm.ptr
  gicc.channel_close %c : !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

func.func @slot(%p: !llvm.ptr, %pe: i32) {
  %c = gicc.channel @c %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  // expected-error @+1 {{a slot is memref<4x'f32'>, or has another shape of no more elements, and 'memref<5xf32>' is not that}}
  %s = gicc.channel_wait block %c from %pe : !gicc.channel<f32, simple, slots = 2, capacity = 4> -> memref<5xf32>
  gicc.channel_close %c : !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

func.func @slots_space(%p: !llvm.ptr, %pe: i32) {
  %c = gicc.channel @c %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 4>
  // expected-error @+1 {{a slot's address is generic, and '!llvm.ptr<1>' is not}}
  %s = gicc.channel_wait block %c from %pe : !gicc.channel<f32, simple, slots = 2, capacity = 4> -> !llvm.ptr<1>
  gicc.channel_close %c : !gicc.channel<f32, simple, slots = 2, capacity = 4>
  return
}

// -----

func.func @length(%p: !llvm.ptr, %pe: i32) {
  %c = gicc.channel @c %p, %p : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, ll, slots = 2, capacity = 4>
  // expected-error @+1 {{the protocol `ll` needs the length of the message, as `count %n`}}
  %s = gicc.channel_wait block %c from %pe : !gicc.channel<f32, ll, slots = 2, capacity = 4> -> !llvm.ptr
  gicc.channel_close %c : !gicc.channel<f32, ll, slots = 2, capacity = 4>
  return
}
