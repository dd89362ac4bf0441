// A collective's own protocol is proven elsewhere; an examination takes it as a call of its group that orders its operands and
// nothing else. So a kernel that is right has no finding, and one that takes a collective for a barrier of all PEs is told.
// RUN: rm -rf %t && split-file %s %t
// RUN: %gicc check %t/right.cu | FileCheck --check-prefix=RIGHT %s
// RUN: %gicc check %t/right.mlir | FileCheck --check-prefix=MLIR %s
// RUN: not %gicc check %t/wrong.cu 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not %gicc check %t/refused.cu 2>&1 | FileCheck --check-prefix=REFUSED %s
// RUN: %gicc explain %t/wrong.cu | FileCheck --check-prefix=EXPLAINED %s
// RUN: %gicc explain %t/wrong.cu --format json | FileCheck --check-prefix=JSON %s

//--- right.cu
#include <gicc/gicc.cuh>
extern "C" __global__ void by_block(float *x, float *all, long n) {
  gicc::all_reduce(x, x, n);
  gicc::all_gather(all, x, n, gicc::algorithm::ring);
  gicc::all_reduce(gicc::team(0, 1, 2), x, x, 64, gicc::reduce::max);
  if (gicc::failed<gicc::block>()) return;
  for (long i = threadIdx.x; i < n; i += blockDim.x) x[i] = fmaxf(x[i], all[i]);
}
extern "C" __global__ void by_grid(float *x, long n) {
  gicc::all_reduce<gicc::grid>(x, x, n);
  if (gicc::failed<gicc::grid>()) return;
  x[blockIdx.x] += x[blockIdx.x + 1];
}
// RIGHT: 2 kernels: nothing is wrong, 0 findings of performance, 0 notes

//--- right.mlir
gpu.module @kernels {
  gpu.func @k(%x: memref<64xf32>, %all: !llvm.ptr) kernel {
    gicc.all_reduce block sum %x, %x : memref<64xf32>, memref<64xf32>
    gicc.all_gather grid %all, %x : !llvm.ptr, memref<64xf32>
    %failed = gicc.check_error block
    gpu.return
  }
}
// MLIR: 1 kernel: nothing is wrong, 0 findings of performance, 0 notes

//--- wrong.cu
#include <gicc/gicc.cuh>
extern "C" __global__ void beside(float *x, float *landing, float *y, int n) {
  float *there = gicc::peer_ptr(landing, (gicc::my_pe() + 1) % gicc::n_pes());
  for (int i = threadIdx.x; i < n; i += blockDim.x) there[i] = x[i];
  gicc::all_reduce(x, x, n);
  if (gicc::failed<gicc::block>()) return;
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = landing[i];
}
// WRONG: error[C0114] no-order, in `beside`
// WRONG: wrong.cu:7:
// WRONG: publish the data with a signal that releases
// WRONG-NOT: C030
// WRONG: 1 kernel: 1 finding of correctness
// EXPLAINED: 5 │   gicc::all_reduce(x, x, n);
// EXPLAINED-NEXT: ▲ collective: call all_reduce_block, by all threads
// EXPLAINED-NEXT: why: combines the elements of all PEs, or of a part of them, on each: a collective of gicc's
// EXPLAINED-NEXT: ▲ barrier: barrier of the block, by all threads
// JSON: "class":"collective"

//--- refused.cu
#include <gicc/gicc.cuh>
extern "C" __global__ void refused(float *x) { gicc::all_reduce(x, x, 4, gicc::reduce::bit_xor); }
// REFUSED: error[E0215]
// REFUSED: refused.cu:2:
