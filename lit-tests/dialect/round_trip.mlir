// Every operation in its own assembly: what is printed is what is read, also in MLIR's generic form and as bytecode.
// RUN: %mlir-opt %s | FileCheck %s
// RUN: %mlir-opt %s | %mlir-opt | FileCheck %s
// RUN: %mlir-opt %s --mlir-print-op-generic | %mlir-opt | FileCheck %s
// RUN: %mlir-opt %s --emit-bytecode | %mlir-opt | FileCheck %s

// CHECK: gicc.team @world
gicc.team @world
// CHECK: gicc.team @four pes(4)
gicc.team @four pes(4)
// CHECK: gicc.team @column pes(2) start(1) stride(2)
gicc.team @column pes(2) start(1) stride(2)
// CHECK: gicc.domain @all
gicc.domain @all
// CHECK: gicc.domain @halo id(7) scope(gpu)
gicc.domain @halo id(7) scope(gpu)

// CHECK-LABEL: func.func @facts
func.func @facts(%p: !llvm.ptr<1>, %m: memref<8xf32>) attributes {gicc.kernel} {
  // CHECK: gicc.my_pe : i32
  %me = gicc.my_pe : i32
  // CHECK: gicc.n_pes in @four : i32
  %all = gicc.n_pes in @four : i32
  // CHECK: gicc.peer_ptr %{{.*}} on %{{.*}} : !llvm.ptr<1>
  %a = gicc.peer_ptr %p on %me : !llvm.ptr<1>
  // CHECK: gicc.peer_ptr %{{.*}} on %{{.*}} : memref<8xf32>
  %b = gicc.peer_ptr %m on %all : memref<8xf32>
  // CHECK: gicc.check_error warp
  %failed = gicc.check_error warp
  // CHECK: gicc.error_code : i32
  %code = gicc.error_code : i32
  return
}

// CHECK-LABEL: func.func @transfers
func.func @transfers(%to: memref<64xf32>, %from: memref<64xf32>, %p: !llvm.ptr, %q: !llvm.ptr, %word: memref<1xi64>,
                     %n: index, %k: i32, %v: i64, %pe: i32) {
  // CHECK: gicc.put thread %{{.*}}, %{{.*}} to %{{.*}} : memref<64xf32>, memref<64xf32>
  gicc.put thread %to, %from to %pe : memref<64xf32>, memref<64xf32>
  // CHECK: gicc.put warp %{{.*}}, %{{.*}} count %{{.*}} of f16 to %{{.*}} : !llvm.ptr, !llvm.ptr, index
  gicc.put warp %p, %q count %n of f16 to %pe : !llvm.ptr, !llvm.ptr, index
  // CHECK: gicc.get block %{{.*}}, %{{.*}} count %{{.*}} from %{{.*}} : memref<64xf32>, !llvm.ptr, i32
  gicc.get block %to, %p count %k from %pe : memref<64xf32>, !llvm.ptr, i32
  // CHECK: gicc.put_signal block %{{.*}}, %{{.*}} signal %{{.*}} add %{{.*}} to %{{.*}} : memref<64xf32>, memref<64xf32>, memref<1xi64>
  gicc.put_signal block %to, %from signal %word add %v to %pe : memref<64xf32>, memref<64xf32>, memref<1xi64>
  // CHECK: gicc.signal thread %{{.*}} set %{{.*}} to %{{.*}} : memref<1xi64>
  gicc.signal thread %word set %v to %pe : memref<1xi64>
  // CHECK: gicc.signal warp %{{.*}} add %{{.*}} to %{{.*}} order(relaxed) : !llvm.ptr
  gicc.signal warp %p add %v to %pe order(relaxed) : !llvm.ptr
  return
}

// CHECK-LABEL: func.func @orderings
func.func @orderings(%word: memref<i64>, %v: i64, %pe: i32) {
  // CHECK: gicc.wait block %{{.*}} ge %{{.*}} from %{{.*}} : memref<i64>
  %a = gicc.wait block %word ge %v from %pe : memref<i64>
  // CHECK: gicc.wait thread %{{.*}} eq %{{.*}} : memref<i64>
  %b = gicc.wait thread %word eq %v : memref<i64>
  // CHECK: gicc.test %{{.*}} lt %{{.*}} : memref<i64>
  %c = gicc.test %word lt %v : memref<i64>
  // CHECK: gicc.release block
  gicc.release block
  // CHECK: gicc.release warp domain(@halo) scope(sys)
  gicc.release warp domain(@halo) scope(sys)
  // CHECK: gicc.acquire thread domain(@all)
  gicc.acquire thread domain(@all)
  // CHECK: gicc.barrier in @world
  gicc.barrier in @world
  // CHECK: gicc.barrier part(%{{.*}}, %{{.*}}, %{{.*}}){{$}}
  gicc.barrier part(%pe, %pe, %pe)
  // CHECK: gicc.quiet warp
  gicc.quiet warp
  return
}

// CHECK-LABEL: func.func @events
func.func @events(%to: memref<64xf32>, %from: memref<64xf32>, %word: memref<1xi64>, %n: index, %v: i64, %pe: i32) {
  // CHECK: %[[E:.*]] = gicc.initiate block %{{.*}}, %{{.*}} to %{{.*}} : memref<64xf32>, memref<64xf32>
  %e = gicc.initiate block %to, %from to %pe : memref<64xf32>, memref<64xf32>
  // CHECK: gicc.initiate warp %{{.*}}, %{{.*}} count %{{.*}} signal %{{.*}} set %{{.*}} to %{{.*}} domain(@halo) engine(direct) priority(9) : memref<64xf32>, memref<64xf32>, index signal memref<1xi64>
  %f = gicc.initiate warp %to, %from count %n signal %word set %v to %pe domain(@halo) engine(direct) priority(9)
    : memref<64xf32>, memref<64xf32>, index signal memref<1xi64>
  // CHECK: gicc.event_test %[[E]] : !gicc.event<block>
  %x = gicc.event_test %e : !gicc.event<block>
  // CHECK: gicc.event_wait %{{.*}} domain(@halo) : !gicc.event<warp>
  %y = gicc.event_wait %f domain(@halo) : !gicc.event<warp>
  return
}

// CHECK-LABEL: func.func @channels
func.func @channels(%words: memref<8xi64>, %buffer: memref<2048xf32>, %from: memref<100xf32>, %n: index, %pe: i32) {
  // CHECK: %[[C:.*]] = gicc.channel @ring %{{.*}}, %{{.*}} : memref<8xi64>, memref<2048xf32> -> !gicc.channel<f32, simple, slots = 2, capacity = 1024>
  %c = gicc.channel @ring %words, %buffer : memref<8xi64>, memref<2048xf32> -> !gicc.channel<f32, simple, slots = 2, capacity = 1024>
  // CHECK: gicc.channel_put block %[[C]], %{{.*}} to %{{.*}} : !gicc.channel<f32, simple, slots = 2, capacity = 1024>, memref<100xf32>
  gicc.channel_put block %c, %from to %pe : !gicc.channel<f32, simple, slots = 2, capacity = 1024>, memref<100xf32>
  // CHECK: gicc.channel_wait block %[[C]] from %{{.*}} : !gicc.channel<{{.*}}> -> memref<1024xf32>
  %s = gicc.channel_wait block %c from %pe : !gicc.channel<f32, simple, slots = 2, capacity = 1024> -> memref<1024xf32>
  // CHECK: gicc.channel_wait block %[[C]] count %{{.*}} from %{{.*}} : !gicc.channel<{{.*}}>, index -> !llvm.ptr
  %t = gicc.channel_wait block %c count %n from %pe : !gicc.channel<f32, simple, slots = 2, capacity = 1024>, index -> !llvm.ptr
  // CHECK: gicc.channel_done block %[[C]] to %{{.*}} : !gicc.channel<
  gicc.channel_done block %c to %pe : !gicc.channel<f32, simple, slots = 2, capacity = 1024>
  // CHECK: gicc.channel_close %[[C]] : !gicc.channel<
  gicc.channel_close %c : !gicc.channel<f32, simple, slots = 2, capacity = 1024>
  return
}

// CHECK-LABEL: func.func @collectives
func.func @collectives(%out: memref<64xf32>, %in: memref<64xf32>, %i: memref<8xi32>, %all: memref<4x64xf32>,
                       %p: !llvm.ptr, %n: i64, %start: i32, %stride: i32, %pes: i32) {
  // CHECK: gicc.all_reduce block sum %{{.*}}, %{{.*}} : memref<64xf32>, memref<64xf32>
  gicc.all_reduce block sum %out, %in : memref<64xf32>, memref<64xf32>
  // CHECK: gicc.all_reduce grid max %{{.*}}, %{{.*}} count %{{.*}} of bf16 algorithm(two_shot) in @world : !llvm.ptr, !llvm.ptr, i64
  gicc.all_reduce grid max %p, %p count %n of bf16 algorithm(two_shot) in @world : !llvm.ptr, !llvm.ptr, i64
  // CHECK: gicc.all_reduce block min %{{.*}}, %{{.*}} unsigned algorithm(ring) : memref<8xi32>, memref<8xi32>
  gicc.all_reduce block min %i, %i unsigned algorithm(ring) : memref<8xi32>, memref<8xi32>
  // CHECK: gicc.all_gather block %{{.*}}, %{{.*}} : memref<4x64xf32>, memref<64xf32>
  gicc.all_gather block %all, %in : memref<4x64xf32>, memref<64xf32>
  // CHECK: gicc.all_gather grid %{{.*}}, %{{.*}} count %{{.*}} of f64 algorithm(direct) in @four : !llvm.ptr, !llvm.ptr, i64
  gicc.all_gather grid %p, %p count %n of f64 algorithm(direct) in @four : !llvm.ptr, !llvm.ptr, i64
  // CHECK: gicc.all_reduce block sum %{{.*}}, %{{.*}} in @column : memref<64xf32>, memref<64xf32>
  gicc.all_reduce block sum %out, %in in @column : memref<64xf32>, memref<64xf32>
  // CHECK: gicc.all_reduce block max %{{.*}}, %{{.*}} count %{{.*}} of f32 algorithm(ring) part(%[[START:.*]], %[[STRIDE:.*]], %[[PES:.*]]) : !llvm.ptr, !llvm.ptr, i64
  gicc.all_reduce block max %p, %p count %n of f32 algorithm(ring) part(%start, %stride, %pes) : !llvm.ptr, !llvm.ptr, i64
  // CHECK: gicc.all_gather block %{{.*}}, %{{.*}} part(%[[START]], %[[STRIDE]], %[[PES]]) : memref<4x64xf32>, memref<64xf32>
  gicc.all_gather block %all, %in part(%start, %stride, %pes) : memref<4x64xf32>, memref<64xf32>
  return
}

// CHECK-LABEL: @part_of_the_pes
func.func @part_of_the_pes(%x: memref<4xf32>) -> i32 {
  // CHECK: gicc.my_pe in @column : i32
  %me = gicc.my_pe in @column : i32
  // CHECK: gicc.world_pe %{{.*}} in @column : i32
  %world = gicc.world_pe %me in @column : i32
  // CHECK: gicc.peer_ptr %{{.*}} on %{{.*}} in @column : memref<4xf32>
  %there = gicc.peer_ptr %x on %me in @column : memref<4xf32>
  return %world : i32
}
