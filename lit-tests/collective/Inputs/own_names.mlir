gpu.module @kernels {
  gpu.func @k(%x: !llvm.ptr, %count: i64) kernel {
    %n = llvm.mlir.constant(64 : i64) : i64
    gicc.all_reduce block sum %x, %x count %n of f32 : !llvm.ptr, !llvm.ptr, i64
    gpu.return
  }
  func.func @gicc_all_reduce_block_f32_sum_one_shot(%x: i32) {
    return
  }
}
