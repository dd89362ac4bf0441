// Every operation becomes calls of intrinsics, and nothing of the dialect is left.
// RUN: %mlir-opt %s --pass-pipeline='builtin.module(gicc-to-llvm,canonicalize,cse)' | FileCheck %s --implicit-check-not='{{[ "]gicc[.][a-z_]+ }}'
// RUN: %gicc %s --stop-after frontend -o - | FileCheck %s --check-prefix=IR

// IR: @gicc.channel.ring = private addrspace(1) constant [5 x i8] c"ring\00"

gicc.domain @first
gicc.domain @halo id(1) scope(gpu)

// CHECK-LABEL: func.func @facts
// CHECK-DAG: %[[ME:.*]] = llvm.call @__gicc_my_pe() : () -> i32
// CHECK: llvm.call @__gicc_n_pes() : () -> i32
// CHECK: %[[P:.*]] = llvm.addrspacecast %{{.*}} : !llvm.ptr<1> to !llvm.ptr
// CHECK: %[[Q:.*]] = llvm.call @__gicc_peer_ptr(%[[P]], %{{.*}}) : (!llvm.ptr, i32) -> !llvm.ptr
// CHECK: llvm.addrspacecast %[[Q]] : !llvm.ptr to !llvm.ptr<1>
// CHECK: %[[ERR:.*]] = llvm.call @__gicc_check_error_warp() : () -> i32
// CHECK: llvm.icmp "ne" %[[ERR]], %{{.*}} : i32
// CHECK: llvm.call @__gicc_error_code() : () -> i32
// IR-LABEL: define {{.*}}@facts(
// IR: call i32 @__gicc_my_pe()
func.func @facts(%p: !llvm.ptr<1>, %out: !llvm.ptr) {
  %me = gicc.my_pe : i32
  %all = gicc.n_pes : i32
  %pe = arith.subi %all, %me : i32
  %there = gicc.peer_ptr %p on %pe : !llvm.ptr<1>
  llvm.store %me, %there : i32, !llvm.ptr<1>
  %failed = gicc.check_error warp
  %code = gicc.error_code : i32
  %both = arith.select %failed, %code, %me : i32
  llvm.store %both, %out : i32, !llvm.ptr
  return
}

// A memref with an offset is an address behind its base; a count times the element's size is in bytes.
// CHECK-LABEL: func.func @views
// CHECK: %[[D:.*]] = builtin.unrealized_conversion_cast %{{.*}} : memref<8xf32, strided<[1], offset: 8>> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[BASE:.*]] = llvm.extractvalue %[[D]][1]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[BASE]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.call @__gicc_put_thread(%[[AT]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call @__gicc_get_block(
// IR-LABEL: define {{.*}}@views(
// IR: getelementptr {{.*}}i8, ptr %{{.*}}, i64 32
// IR: call void @__gicc_put_thread(ptr %{{.*}}, ptr %{{.*}}, i64 32, i32 4, i32 %{{.*}})
// IR: call void @__gicc_get_block(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, i32 8, i32 %{{.*}})
func.func @views(%to: memref<64xf32>, %from: memref<8xf32>, %p: !llvm.ptr, %q: !llvm.ptr, %n: index, %pe: i32) {
  %part = memref.subview %to[8][8][1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 8>>
  gicc.put thread %part, %from to %pe : memref<8xf32, strided<[1], offset: 8>>, memref<8xf32>
  gicc.get block %p, %q count %n of f64 from %pe : !llvm.ptr, !llvm.ptr, index
  return
}

// CHECK-LABEL: func.func @signals
// CHECK: llvm.call @__gicc_put_signal_block(
// CHECK: llvm.call @__gicc_notify_warp(
// CHECK: llvm.call @__gicc_wait_block(
// CHECK: llvm.call @__gicc_test(
// CHECK: llvm.call @__gicc_barrier_block()
// CHECK: llvm.call @__gicc_barrier_part_block(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> ()
// CHECK: llvm.call @__gicc_barrier_part_block(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call @__gicc_quiet_thread()
// The numbers are those of gicc/abi.h: add is 1, relaxed 0, ge 3, any PE -1.
// IR-LABEL: define {{.*}}@signals(
// IR: call void @__gicc_put_signal_block(ptr %{{.*}}, ptr %{{.*}}, i64 256, i32 4, ptr %{{.*}}, i64 %{{.*}}, i32 1, i32 %{{.*}})
// IR: call void @__gicc_notify_warp(ptr %{{.*}}, i64 %{{.*}}, i32 0, i32 0, i32 %{{.*}})
// IR: call i64 @__gicc_wait_block(ptr %{{.*}}, i32 3, i64 %{{.*}}, i32 -1)
// IR: call i32 @__gicc_test(ptr %{{.*}}, i32 4, i64 %{{.*}})
// IR: call void @__gicc_barrier_part_block(i32 1, i32 3, i32 2)
// IR: call void @__gicc_barrier_part_block(i32 %[[N:.*]], i32 %[[N]], i32 %[[N]])
gicc.team @column pes(2) start(1) stride(3)
func.func @signals(%to: memref<64xf32>, %from: memref<64xf32>, %word: memref<1xi64>, %v: i64, %pe: i32, %out: !llvm.ptr) {
  gicc.put_signal block %to, %from signal %word add %v to %pe : memref<64xf32>, memref<64xf32>, memref<1xi64>
  gicc.signal warp %word set %v to %pe order(relaxed) : memref<1xi64>
  %seen = gicc.wait block %word ge %v : memref<1xi64>
  %less = gicc.test %word lt %v : memref<1xi64>
  gicc.barrier
  gicc.barrier in @column
  gicc.barrier part(%pe, %pe, %pe)
  gicc.quiet thread
  %s = arith.select %less, %seen, %v : i64
  llvm.store %s, %out : i64, !llvm.ptr
  return
}

// Domains are numbered, and an operation's own scope wins: halo is 1, first 2; gpu is 2, sys 3, auto 4.
// IR-LABEL: define {{.*}}@domains(
// IR: call void @__gicc_release_block(i32 4, i32 0)
// IR: call void @__gicc_release_warp(i32 2, i32 1)
// IR: call void @__gicc_acquire_thread(i32 3, i32 1)
// IR: call void @__gicc_acquire_block(i32 4, i32 2)
func.func @domains() {
  gicc.release block
  gicc.release warp domain(@halo)
  gicc.acquire thread domain(@halo) scope(sys)
  gicc.acquire block domain(@first)
  return
}

// An event goes through a branch.
// IR-LABEL: define {{.*}}@events(
// IR: %[[A:.*]] = call i64 @__gicc_initiate_block(ptr %{{.*}}, ptr %{{.*}}, i64 256, i32 4, ptr null, i64 0, i32 0, i32 0, i32 0, i32 5, i32 %{{.*}})
// IR: %[[B:.*]] = call i64 @__gicc_initiate_block(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, i32 4, ptr %{{.*}}, i64 %{{.*}}, i32 0, i32 9, i32 1, i32 0, i32 %{{.*}})
// IR: %[[E:.*]] = phi i64
// IR: call i32 @__gicc_event_test(i64 %[[E]], i32 4, i32 0)
// IR: call i32 @__gicc_event_wait_block(i64 %[[E]], i32 2, i32 1)
func.func @events(%to: memref<64xf32>, %from: memref<64xf32>, %word: memref<1xi64>, %n: index, %v: i64, %pe: i32, %c: i1) {
  %e = scf.if %c -> !gicc.event<block> {
    %a = gicc.initiate block %to, %from to %pe : memref<64xf32>, memref<64xf32>
    scf.yield %a : !gicc.event<block>
  } else {
    %b = gicc.initiate block %to, %from count %n signal %word set %v to %pe domain(@halo) engine(direct) priority(9)
      : memref<64xf32>, memref<64xf32>, index signal memref<1xi64>
    scf.yield %b : !gicc.event<block>
  }
  %x = gicc.event_test %e : !gicc.event<block>
  %y = gicc.event_wait %e domain(@halo) : !gicc.event<block>
  return
}

// CHECK-LABEL: func.func @channels
// CHECK: %[[COUNTERS:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: llvm.call @__gicc_channel_open(%[[COUNTERS]], %{{.*}}, %{{.*}})
// CHECK: llvm.call @__gicc_channel_put_block(%[[COUNTERS]],
// IR-LABEL: define {{.*}}@channels(
// IR: call void @__gicc_channel_open(ptr %[[C:.*]], ptr %[[S:.*]], i32 0)
// IR: call void @__gicc_channel_put_block(ptr %[[C]], ptr %{{.*}}, ptr %{{.*}}, ptr %{{.*}}, i64 400, i64 4096, i32 4, i32 2, i32 0, i32 8, i32 %{{.*}}, ptr {{.*}}@gicc.channel.ring
// IR: call ptr @__gicc_channel_wait_block(ptr %[[C]], ptr %{{.*}}, ptr %{{.*}}, i64 -1, i64 4096, i32 4, i32 2, i32 0, i32 8, i32 %{{.*}}, ptr
// IR: call void @__gicc_channel_done_block(ptr %[[C]], ptr %{{.*}}, i32 2, i32 0, i32 %{{.*}})
// IR: call void @__gicc_channel_close(ptr %[[C]], ptr %{{.*}}, i32 0)
func.func @channels(%words: memref<8xi64>, %buffer: memref<2048xf32>, %from: memref<100xf32>, %pe: i32) {
  %c = gicc.channel @ring %words, %buffer : memref<8xi64>, memref<2048xf32> -> !gicc.channel<f32, simple, slots = 2, capacity = 1024>
  gicc.channel_put block %c, %from to %pe : !gicc.channel<f32, simple, slots = 2, capacity = 1024>, memref<100xf32>
  %s = gicc.channel_wait block %c from %pe : !gicc.channel<f32, simple, slots = 2, capacity = 1024> -> memref<1024xf32>
  %zero = arith.constant 0 : index
  %x = memref.load %s[%zero] : memref<1024xf32>
  memref.store %x, %from[%zero] : memref<100xf32>
  gicc.channel_done block %c to %pe : !gicc.channel<f32, simple, slots = 2, capacity = 1024>
  gicc.channel_close %c : !gicc.channel<f32, simple, slots = 2, capacity = 1024>
  return
}
