// Kernels in MLIR: a gpu.func that pushes, signals and waits, and a func.func that sends messages through a channel of
// protocol `ll` and pulls with an initiation.
gicc.domain @all

gpu.module @kernels {
  gpu.func @push(%landing: memref<1024xf32>, %arrived: memref<1xi64>, %source: memref<1024xf32>, %output: memref<32x32xf32>,
                 %round: i64) kernel {
    %me = gicc.my_pe : i32
    %all = gicc.n_pes : i32
    %one = arith.constant 1 : i32
    %up = arith.addi %me, %one : i32
    %next = arith.remui %up, %all : i32
    %down = arith.subi %all, %one : i32
    %around = arith.addi %me, %down : i32
    %previous = arith.remui %around, %all : i32
    gicc.put_signal block %landing, %source signal %arrived set %round to %next
      : memref<1024xf32>, memref<1024xf32>, memref<1xi64>
    %seen = gicc.wait block %arrived ge %round from %previous : memref<1xi64>
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %n = arith.constant 1024 : index
    %two = arith.constant 2.0 : f32
    %flat = memref.collapse_shape %output [[0, 1]] : memref<32x32xf32> into memref<1024xf32>
    scf.for %i = %thread to %n step %threads {
      %x = memref.load %landing[%i] : memref<1024xf32>
      %y = arith.mulf %x, %two : f32
      memref.store %y, %flat[%i] : memref<1024xf32>
    }
    gpu.return
  }
}

func.func private @neighbour(%distance: i32) -> i32 {
  %me = gicc.my_pe : i32
  %all = gicc.n_pes : i32
  %there = arith.addi %me, %distance : i32
  %pe = arith.remui %there, %all : i32
  return %pe : i32
}

func.func @messages(%words: memref<2064xi64>, %buffer: memref<1024xf32>, %source: memref<200xf32>, %output: memref<200xf32>,
                    %pulled: memref<200xf32>) attributes {gicc.kernel} {
  %one = arith.constant 1 : i32
  %all = gicc.n_pes : i32
  %less = arith.subi %all, %one : i32
  %next = call @neighbour(%one) : (i32) -> i32
  %previous = call @neighbour(%less) : (i32) -> i32
  %c = gicc.channel @messages %words, %buffer : memref<2064xi64>, memref<1024xf32>
    -> !gicc.channel<f32, ll, slots = 4, capacity = 256>
  gicc.channel_put block %c, %source to %next : !gicc.channel<f32, ll, slots = 4, capacity = 256>, memref<200xf32>
  %n = arith.constant 200 : index
  %slot = gicc.channel_wait block %c count %n from %previous
    : !gicc.channel<f32, ll, slots = 4, capacity = 256>, index -> memref<256xf32>
  %thread = gpu.thread_id x
  %threads = gpu.block_dim x
  scf.for %i = %thread to %n step %threads {
    %x = memref.load %slot[%i] : memref<256xf32>
    memref.store %x, %output[%i] : memref<200xf32>
  }
  gicc.channel_done block %c to %previous : !gicc.channel<f32, ll, slots = 4, capacity = 256>
  gicc.channel_close %c : !gicc.channel<f32, ll, slots = 4, capacity = 256>

  // Into the neighbour's other buffer, and a barrier before it is read.
  %event = gicc.initiate block %pulled, %source to %next domain(@all) : memref<200xf32>, memref<200xf32>
  %done = gicc.event_wait %event domain(@all) : !gicc.event<block>
  gicc.barrier
  return
}
