// Which orderings come out of which requirements. Orders: 0 relaxed, 1 release, 2 acquire, 3 acq_rel. Scopes: 2 gpu, 3 sys.
// RUN: %gicc %s --emit llvm --stop-after place-fences -o - | FileCheck %s
// RUN: %gicc %s --emit llvm --stop-after place-fences -o - --remarks human 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
#include <gicc/gicc.cuh>
using namespace gicc;

// A signal alone releases itself: one st.release and no fence.
// CHECK-LABEL: @one(
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
// CHECK-NOT: @__gicc_fence
// REMARK: place_fences.cu:[[@LINE+1]]:55: remark[R0401]: signal: release.sys
extern "C" __global__ void one(signal_t *f, int *d) { signal(f, 1, 0); }

// Two signals and nothing between them share one fence.
// CHECK-LABEL: @two(
// CHECK: call void @__gicc_fence(i32 1, i32 3)
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 0, i32 3)
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 2, i32 0, i32 3)
extern "C" __global__ void two(signal_t *f, signal_t *g) { signal(f, 1, 0), signal(g, 2, 1); }

// Data between them has to be published by the second.
// CHECK-LABEL: @data_between(
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 2, i32 1, i32 3)
extern "C" __global__ void data_between(signal_t *f, signal_t *g, int *d) {
  signal(f, 1, 0);
  put(d, d, 1, 1);
  signal(g, 2, 1);
}

// Data that only one path writes counts as well.
// CHECK-LABEL: @branch(
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
// CHECK: call void @__gicc_store_u64({{.*}}, i64 2, i32 1, i32 3)
extern "C" __global__ void branch(signal_t *f, signal_t *g, int *d, int c) {
  signal(f, 1, 0);
  if (c) *d = 1;
  signal(g, 2, 1);
}

// A barrier brings what other threads wrote: an earlier fence does not cover that.
// CHECK-LABEL: @barrier_between(
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
// CHECK: barrier
// CHECK: call void @__gicc_store_u64({{.*}}, i64 2, i32 1, i32 3)
extern "C" __global__ void barrier_between(signal_t *f, signal_t *g) {
  signal(f, 1, 0);
  __syncthreads();
  signal(g, 2, 1);
}

// So does a wait in between: what it acquired is published too.
// CHECK-LABEL: @wait_between(
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
// CHECK: call i64 @__gicc_load_u64({{.*}}, i32 2, i32 3)
// CHECK: call void @__gicc_store_u64({{.*}}, i64 2, i32 1, i32 3)
extern "C" __global__ void wait_between(signal_t *f, signal_t *g) {
  signal(f, 1, 0);
  wait(f, cmp::ge, 1, 1);
  signal(g, 2, 1);
}

// A loop that signals and writes nothing has one fence, in front of it.
// CHECK-LABEL: @loop(
// CHECK: call void @__gicc_fence(i32 1, i32 3)
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 0, i32 3)
// CHECK-LABEL: @elected(
extern "C" __global__ void loop(signal_t *f) {
  for (int pe = 0; pe < n_pes(); pe++) signal(f, 1, pe);
}

// But not where only an elected thread signals: the fence would be executed by every thread.
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
// CHECK-LABEL: @one_each(
extern "C" __global__ void elected(signal_t *f) {
  for (int pe = 0; pe < n_pes(); pe++)
    if (threadIdx.x == 0) signal(f, 1, pe);
}

// A loop that some threads do not enter has its fence where only those come that do.
// CHECK: br i1 {{.*}}, label %[[ENTERED:.*]], label %
// CHECK: [[ENTERED]]:
// CHECK: call void @__gicc_fence(i32 1, i32 3)
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 0, i32 3)
// CHECK-LABEL: @loop_with_data(
extern "C" __global__ void one_each(signal_t *f) {
  for (int pe = threadIdx.x; pe < n_pes(); pe += blockDim.x) signal(f, 1, pe);
}

// And not where each round writes.
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
// CHECK-LABEL: @mine(
extern "C" __global__ void loop_with_data(signal_t *f, int *d) {
  for (int pe = 0; pe < n_pes(); pe++) {
    d[pe] = pe;
    signal(f, 1, pe);
  }
}

// This PE is on this GPU: gpu scope is enough, and it is proven.
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 2)
// REMARK: place_fences.cu:[[@LINE+1]]:48: remark[R0401]: signal: release.gpu (narrowed: the destination is this PE)
extern "C" __global__ void mine(signal_t *f) { signal(f, 1, my_pe()); }

// A wait is never narrowed: its source is only named for the error word.
// CHECK-LABEL: @wait_for_mine(
// CHECK: call i64 @__gicc_load_u64({{.*}}, i32 2, i32 3)
extern "C" __global__ void wait_for_mine(signal_t *f) { wait(f, cmp::ge, 1, my_pe()); }

// A PE that merely happens to be this one is not proven to be.
// CHECK-LABEL: @perhaps_mine(
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
extern "C" __global__ void perhaps_mine(signal_t *f, int pe) { signal(f, 1, pe); }

// release is a fence; what follows it without writes is relaxed, and a second release is none.
// CHECK-LABEL: @released(
// CHECK: call void @__gicc_fence(i32 1, i32 3)
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 0, i32 3)
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 2, i32 0, i32 3)
extern "C" __global__ void released(signal_t *f, signal_t *g, int *d) {
  *d = 1;
  release();
  signal(f, 1, 0, op::set, order::relaxed);
  release();
  signal(g, 2, 1);
}

// A release of the gpu does not cover a signal to another GPU.
// CHECK-LABEL: @too_narrow(
// CHECK: call void @__gicc_fence(i32 1, i32 2)
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
extern "C" __global__ void too_narrow(signal_t *f, int *d) {
  *d = 1;
  release(scope::gpu);
  signal(f, 1, 1);
}

// The user's own fence covers what it is wide enough for.
// CHECK-LABEL: @own_fence(
// CHECK: call void @llvm.nvvm.membar.sys()
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 0, i32 3)
extern "C" __global__ void own_fence(signal_t *f, int *d) {
  *d = 1;
  __threadfence_system();
  signal(f, 1, 0);
}

// CHECK-LABEL: @own_fence_too_narrow(
// CHECK: call void @llvm.nvvm.membar.gl()
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
extern "C" __global__ void own_fence_too_narrow(signal_t *f, int *d) {
  *d = 1;
  __threadfence();
  signal(f, 1, 1);
}

// A fence that acquires brings what others wrote; the wider release before it does not cover that.
// CHECK-LABEL: @narrow_fence_between(
// CHECK: call void @__gicc_fence(i32 1, i32 3)
// CHECK: call void @llvm.nvvm.membar.gl()
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
extern "C" __global__ void narrow_fence_between(signal_t *f, volatile int *v) {
  while (*v == 0) {}
  release();
  __threadfence();
  signal(f, 1, 1);
}

// A relaxed signal stays relaxed, and covers nothing.
// CHECK-LABEL: @relaxed(
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 0, i32 3)
// CHECK: call void @__gicc_store_u64({{.*}}, i64 2, i32 1, i32 3)
extern "C" __global__ void relaxed(signal_t *f, signal_t *g, int *d) {
  *d = 1;
  signal(f, 1, 0, op::set, order::relaxed);
  signal(g, 2, 1);
}

// Adding is one red, with release.
// CHECK-LABEL: @adding(
// CHECK: call void @__gicc_red_add_u64({{.*}}, i64 3, i32 1, i32 3)
extern "C" __global__ void adding(signal_t *f) { signal(f, 3, 1, op::add); }

// A put by a block: all store, the block meets, one thread releases.
// CHECK-LABEL: @block_put(
// CHECK: store <4 x i32>
// CHECK: barrier
// CHECK-NOT: @__gicc_fence
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
// CHECK-NOT: @__gicc_fence
// CHECK: ret void
extern "C" __global__ void block_put(float *d, const float *s, long n, signal_t *f, int pe) {
  put_signal<block>(d, s, n, f, 1, pe);
}

// The counter of blocks acquires and releases on this GPU.
// CHECK-LABEL: @last_block(
// CHECK: call i32 @__gicc_atom_inc_u32({{.*}}, i32 3, i32 2)
// CHECK: call void @__gicc_store_u64({{.*}}, i64 1, i32 1, i32 3)
extern "C" __global__ void last_block(unsigned *c, signal_t *f) {
  if (arrive(c, gridDim.x)) signal<block>(f, 1, 1);
}

// No requirement is left, and nothing else made a fence.
// CHECK-NOT: call {{.*}}@__gicc_{{publish|observe|signal_set|signal_add|poll|count}}
