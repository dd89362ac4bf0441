// Four PEs: the two of each parity add up by teams that are declared, then those of each half gather by a team that each PE works
// out. In a second kernel those of each parity put what they have at each other, and meet.
gicc.team @all pes(4)
gicc.team @even pes(2) start(0) stride(2)
gicc.team @odd pes(2) start(1) stride(2)

gpu.module @kernels {
  gpu.func @add(%x: memref<100xi32>, %halves: memref<200xi32>) kernel {
    %in_even = gicc.my_pe in @even : i32
    %none = arith.constant 0 : i32
    %is_even = arith.cmpi sge, %in_even, %none : i32
    scf.if %is_even {
      gicc.all_reduce block sum %x, %x in @even : memref<100xi32>, memref<100xi32>
    } else {
      gicc.all_reduce block sum %x, %x in @odd : memref<100xi32>, memref<100xi32>
    }
    %me = gicc.my_pe in @all : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %half = arith.divui %me, %two : i32
    %start = arith.muli %half, %two : i32
    gicc.all_gather block %halves, %x part(%start, %one, %two) : memref<200xi32>, memref<100xi32>
    gpu.return
  }

  gpu.func @pass(%halves: memref<200xi32>, %came: memref<200xi32>, %seen: memref<32xi32>) kernel {
    %me = gicc.my_pe in @all : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %other = arith.xori %me, %two : i32
    gicc.put block %came, %halves to %other : memref<200xi32>, memref<200xi32>
    %parity = arith.andi %me, %one : i32
    %is_odd = arith.cmpi eq, %parity, %one : i32
    scf.if %is_odd {
      gicc.barrier part(%one, %two, %two)
    } else {
      gicc.barrier in @even
    }
    %last = arith.constant 31 : index
    %thread = gpu.thread_id x
    %from = arith.subi %last, %thread : index
    %value = memref.load %came[%from] : memref<200xi32>
    memref.store %value, %seen[%thread] : memref<32xi32>
    gpu.return
  }
}
