gpu.module @kernels {
  llvm.func internal @__gicc_my_pe() -> i32 {
    %seven = llvm.mlir.constant(7 : i32) : i32
    llvm.return %seven : i32
  }
  gpu.func @k(%x: !llvm.ptr) kernel {
    %me = llvm.call @__gicc_my_pe() : () -> i32
    llvm.store %me, %x : i32, !llvm.ptr
    gpu.return
  }
}
