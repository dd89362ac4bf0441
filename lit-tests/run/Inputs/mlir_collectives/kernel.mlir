// Collectives in several modules of a file: by name, unsigned, in place, and with an algorithm of the caller's choice.
gpu.module @m {
  gpu.func @k(%x: memref<300xi32>, %y: memref<300xi32>, %h: memref<64xf16>, %n: i64) kernel {
    gicc.all_reduce grid max %y, %x unsigned : memref<300xi32>, memref<300xi32>
    gicc.all_reduce grid sum %h, %h algorithm(two_shot) : memref<64xf16>, memref<64xf16>
    gpu.return
  }
}
func.func @other(%y: memref<300xi32>) attributes {gicc.kernel} {
  gicc.all_reduce block xor %y, %y algorithm(ring) : memref<300xi32>, memref<300xi32>
  return
}
