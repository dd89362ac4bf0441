// A collective's own protocol is proven elsewhere; an examination takes it as a call of its group that reads one operand, writes the
// other, and meets where there is something to do. So a kernel that is right has no finding, and one is told that takes a collective
// for a barrier of all PEs, or gives it what has not arrived.
// RUN: rm -rf %t && split-file %s %t
// RUN: %gicc check %t/right.cu | FileCheck --check-prefix=RIGHT %s
// RUN: %gicc check %t/right.mlir | FileCheck --check-prefix=MLIR %s
// RUN: not %gicc check %t/wrong.cu 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not %gicc check %t/operands.cu 2>&1 | FileCheck --check-prefix=OPERANDS %s
// RUN: %gicc check %t/errors.cu 2>&1 | FileCheck --check-prefix=ERRORS %s
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
// Barriers that follow each other order what lies between them and the collectives.
extern "C" __global__ void between(float *z, const float *x, float *y) {
  gicc::all_reduce(z, x, 64);
  gicc::barrier();
  if (gicc::failed<gicc::block>()) return;
  y[threadIdx.x] = gicc::peer_ptr(z, (gicc::my_pe() + 1) % gicc::n_pes())[threadIdx.x];
  gicc::barrier();
  if (gicc::failed<gicc::block>()) return;
  gicc::all_reduce(z, x, 64);
}
// RIGHT: 3 kernels: nothing is wrong, 0 findings of performance, 0 notes

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

//--- operands.cu
#include <gicc/gicc.cuh>
#define NEXT ((gicc::my_pe() + 1) % gicc::n_pes())
// The input has not arrived: nobody waited for it.
extern "C" __global__ void not_arrived(float *out, float *landing, const float *x, gicc::signal_t *s, int n) {
  gicc::put_signal<gicc::block>(landing, x, n, s, 1, NEXT);
  gicc::all_reduce(out, landing, n);
}
// With nothing to do, a collective does not meet, so not all threads have stored when one signals.
extern "C" __global__ void no_meeting(float *x, float *landing, float *out, gicc::signal_t *s, float *z, int n, int m) {
  float *there = gicc::peer_ptr(landing, NEXT);
  for (int i = threadIdx.x; i < n; i += blockDim.x) there[i] = x[i];
  gicc::all_reduce(z, z, m);
  if (threadIdx.x == 0) gicc::signal(s, 1, NEXT);
  gicc::wait<gicc::block>(s, gicc::cmp::ge, 1, gicc::any_pe);
  if (gicc::failed<gicc::block>()) return;
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = landing[i];
}
// A warp's question for errors is a vote, and orders nothing.
extern "C" __global__ void vote(float *x, float *landing, float *out, gicc::signal_t *s) {
  gicc::peer_ptr(landing, NEXT)[threadIdx.x] = x[threadIdx.x];
  if (gicc::failed<gicc::warp>()) return;
  if (threadIdx.x == 0) gicc::signal(s, 1, NEXT);
  gicc::wait<gicc::block>(s, gicc::cmp::ge, 1, gicc::any_pe);
  if (gicc::failed<gicc::block>()) return;
  out[threadIdx.x] = landing[threadIdx.x];
}
// The last thread of the block speaks for it: it is executed, too.
extern "C" __global__ void __launch_bounds__(48) last(float *x, float *landing, float *out, gicc::signal_t *s) {
  gicc::peer_ptr(landing, NEXT)[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) gicc::signal(s, 1, NEXT);
  gicc::wait<gicc::block>(s, gicc::cmp::ge, 1, gicc::any_pe);
  if (gicc::failed<gicc::block>()) return;
  out[threadIdx.x] = landing[threadIdx.x];
}
// The peer reads what the next collective overwrites.
extern "C" __global__ void overwritten(float *z, const float *x, float *y) {
  gicc::all_reduce(z, x, 64);
  gicc::barrier();
  y[threadIdx.x] = gicc::peer_ptr(z, NEXT)[threadIdx.x];
  gicc::all_reduce(z, x, 64);
}
// OPERANDS: error[C0114] no-order, in `not_arrived`
// OPERANDS: operands.cu:6:3]
// OPERANDS: error[C0105] no-barrier-before-signal, in `no_meeting`
// OPERANDS: error[C0105] no-barrier-before-signal, in `vote`
// OPERANDS-NOT: `last`
// OPERANDS: error[C0109] slot-reused, in `overwritten`
// OPERANDS: 5 kernels: 4 findings of correctness

//--- errors.cu
#include <gicc/gicc.cuh>
#define NEXT ((gicc::my_pe() + 1) % gicc::n_pes())
// What happens after an error is not followed, and where that matters to others it is said.
extern "C" __global__ void tells(float *x, float *landing, gicc::signal_t *s, int *status, int n) {
  gicc::put_signal<gicc::block>(landing, x, n, s, 1, NEXT);
  gicc::wait<gicc::block>(s, gicc::cmp::ge, 1, gicc::any_pe);
  if (gicc::failed<gicc::block>()) {
    if (threadIdx.x == 0) *gicc::peer_ptr(status, NEXT) = 1;
    return;
  }
  x[threadIdx.x] += landing[threadIdx.x];
}
extern "C" __global__ void returns(float *x, float *landing, gicc::signal_t *s, int *status, int n) {
  gicc::put_signal<gicc::block>(landing, x, n, s, 1, NEXT);
  gicc::wait<gicc::block>(s, gicc::cmp::ge, 1, gicc::any_pe);
  if (gicc::failed<gicc::block>()) {
    *status = 1;
    return;
  }
  x[threadIdx.x] += landing[threadIdx.x];
}
// ERRORS: note[C0308] incomplete, in `tells`
// ERRORS: what the kernel does after an error was not followed
// ERRORS: errors.cu:8:
// ERRORS-NOT: `returns`
// ERRORS: 2 kernels: nothing is wrong

//--- refused.cu
#include <gicc/gicc.cuh>
extern "C" __global__ void refused(float *x) { gicc::all_reduce(x, x, 4, gicc::reduce::bit_xor); }
// REFUSED: error[E0215]
// REFUSED: refused.cu:2:
