gicc.team @world pes(4)
gicc.domain @halo id(3) scope(gpu)
gpu.module @kernels {
  gpu.func @push(%to: memref<64xf32> {gicc.domain = @halo}, %word: memref<1xi64>, %from: memref<64xf32, strided<[1], offset: 4>>, %p: !llvm.ptr, %n: i32, %v: i64) kernel {
    %me = gicc.my_pe in @world : i32
    %all = gicc.n_pes : i32
    %pe = arith.remui %me, %all : i32
    %there = gicc.peer_ptr %to on %pe : memref<64xf32>
    gicc.put warp %to, %from to %pe : memref<64xf32>, memref<64xf32, strided<[1], offset: 4>>
    gicc.get thread %p, %to count %n from %pe : !llvm.ptr, memref<64xf32>, i32
    gicc.put_signal block %to, %p count %n of f32 signal %word add %v to %pe : memref<64xf32>, !llvm.ptr, memref<1xi64>, i32
    %seen = gicc.wait block %word ge %v from %pe : memref<1xi64>
    %hit = gicc.test %word lt %seen : memref<1xi64>
    gicc.signal thread %word set %v to %pe order(relaxed) : memref<1xi64>
    %event = gicc.initiate block %there, %to to %pe domain(@halo) : memref<64xf32>, memref<64xf32>
    gicc.release block domain(@halo) scope(sys)
    gicc.barrier
    gicc.quiet warp
    %bad = gicc.check_error block
    %c = arith.constant 4 : index
    %x = memref.load %there[%c] : memref<64xf32>
    scf.if %bad {
      memref.store %x, %to[%c] : memref<64xf32>
    }
    gpu.return
  }
}
func.func @more(%words: memref<2064xi64>, %buffer: memref<1024xf32>, %from: memref<64xf32>, %p: !llvm.ptr<1>, %pe: i32) attributes {gicc.kernel} {
  %ch = gicc.channel @ring %words, %buffer : memref<2064xi64>, memref<1024xf32> -> !gicc.channel<f32, ll, slots = 4, capacity = 256>
  gicc.channel_put block %ch, %from to %pe : !gicc.channel<f32, ll, slots = 4, capacity = 256>, memref<64xf32>
  %slot = gicc.channel_wait block %ch from %pe : !gicc.channel<f32, ll, slots = 4, capacity = 256> -> memref<8x8xf32>
  gicc.channel_done block %ch to %pe : !gicc.channel<f32, ll, slots = 4, capacity = 256>
  gicc.channel_close %ch : !gicc.channel<f32, ll, slots = 4, capacity = 256>
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %tid = gpu.thread_id x
  %e = gicc.initiate block %buffer, %from count %tid to %pe engine(direct) : memref<1024xf32>, memref<64xf32>, index
  %last = scf.for %i = %zero to %eight step %one iter_args(%event = %e) -> (!gicc.event<block>) {
    %y = memref.load %slot[%i, %zero] : memref<8x8xf32>
    memref.store %y, %from[%i] : memref<64xf32>
    scf.yield %event : !gicc.event<block>
  }
  %done = gicc.event_wait %last : !gicc.event<block>
  return
}
