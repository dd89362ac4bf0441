// A matrix times a vector that lies in parts on all PEs: each PE gathers the vector, then multiplies its own rows with it.
// Which algorithm gathers is the compiler's choice, by size and number of PEs; `algorithm(ring)` would make it the caller's.
gpu.module @kernels {
  // part: this PE's 256 elements of the vector. vector: all of them, on each PE. matrix: this PE's 64 rows. product: theirs.
  gpu.func @multiply(%part: memref<256xf32>, %vector: !llvm.ptr, %matrix: !llvm.ptr, %product: memref<64xf32>) kernel {
    gicc.all_gather block %vector, %part : !llvm.ptr, memref<256xf32>
    // All threads of the block get the same answer.
    %failed = gicc.check_error block
    cf.cond_br %failed, ^end, ^gathered

  ^gathered:
    %pes = gicc.n_pes : i32
    %each = arith.constant 256 : index
    %all = arith.index_cast %pes : i32 to index
    %columns = arith.muli %all, %each : index
    %rows = arith.constant 64 : index
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %row = %thread to %rows step %threads {
      %first = arith.muli %row, %columns : index
      %sum = scf.for %column = %none to %columns step %one iter_args(%so_far = %zero) -> f32 {
        %at = arith.addi %first, %column : index
        %a = func.call @load(%matrix, %at) : (!llvm.ptr, index) -> f32
        %x = func.call @load(%vector, %column) : (!llvm.ptr, index) -> f32
        %ax = arith.mulf %a, %x : f32
        %more = arith.addf %so_far, %ax : f32
        scf.yield %more : f32
      }
      memref.store %sum, %product[%row] : memref<64xf32>
    }
    cf.br ^end

  ^end:
    gpu.return
  }

  // The size of these arrays is not in their type, so they are pointers.
  func.func private @load(%array: !llvm.ptr, %index: index) -> f32 {
    %n = arith.index_cast %index : index to i64
    %place = llvm.getelementptr %array[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %value = llvm.load %place : !llvm.ptr -> f32
    return %value : f32
  }
}
