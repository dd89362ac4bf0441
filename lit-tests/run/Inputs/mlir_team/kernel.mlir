// Columns of PEs: each PE of a column (every second PE from 1 on) stores its number in it, and those of all, at each PE of it.
gicc.team @column pes(2) start(1) stride(2)

func.func @columns(%out: memref<4xi32>, %arrived: memref<1xi64>) attributes {gicc.kernel} {
  %me = gicc.my_pe in @column : i32
  %size = gicc.n_pes in @column : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i64
  %each = arith.constant 1 : i64
  %ten = arith.constant 10 : i32
  %thread = gpu.thread_id x
  %first = arith.constant 0 : index
  %is_first = arith.cmpi eq, %thread, %first : index
  %member = arith.cmpi sge, %me, %zero : i32
  %speaks = arith.andi %is_first, %member : i1
  scf.if %speaks {
    scf.for %pe = %zero to %size step %one : i32 {
      %there = gicc.peer_ptr %out on %pe in @column : memref<4xi32>
      %place = arith.index_cast %me : i32 to index
      %world = gicc.my_pe : i32
      %tens = arith.muli %world, %ten : i32
      %both = arith.addi %tens, %me : i32
      memref.store %both, %there[%place] : memref<4xi32>
      %number = gicc.world_pe %pe in @column : i32
      gicc.signal thread %arrived add %each to %number : memref<1xi64>
    }
    gicc.wait thread %arrived ge %two : memref<1xi64>
  }
  return
}
