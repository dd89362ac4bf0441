// Behind each operation that may fail waiting: the group's own decision, then the fall-back, then the end of the kernel.
// RUN: %gicc %s --check-errors strict --stop-after verify -o - | FileCheck %s
// RUN: %gicc %s --check-errors strict --remarks human -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: %gicc %s --check-errors strict -o - | FileCheck --check-prefix=PTX %s
// RUN: %gicc %s --stop-after verify -o - 2>/dev/null | FileCheck --check-prefix=NONE --implicit-check-not=__gicc_check_error --implicit-check-not=gicc.fallback %s
#include <gicc/gicc.cuh>

// NONE: define {{.*}}ptx_kernel

struct Pair {
  int a, b;
};

template <class T> __device__ void recover(T *p, Pair pair, gicc::signal_t *sig) { p[threadIdx.x] = pair.b; }

// CHECK-LABEL: define {{.*}}ptx_kernel void @by_block
// CHECK: call {{.*}}@__gicc_wait_block
// CHECK-NEXT: [[E:%.*]] = call i32 @__gicc_check_error_block()
// CHECK-NEXT: [[F:%.*]] = icmp ne i32 [[E]], 0
// CHECK-NEXT: br i1 [[F]], label %[[LEAVE:.*]], label
// CHECK: {{^}}[[LEAVE]]:
// CHECK-NEXT: call void @_Z7recoverIiEvPT_4PairPm(ptr %p, ptr byval(%struct.Pair) align 4 %pair, ptr %sig)
// CHECK-NEXT: ret void
// REMARK: check_errors.cu:[[# @LINE + 5]]:3: remark[R0213]: wait: errors are checked by its block; then `void recover<int>(int*, Pair, unsigned long*)` and the kernel ends
// PTX-LABEL: .entry by_block
// PTX: bar.red.or.pred
extern "C" __global__ void by_block(int *p, Pair pair, gicc::signal_t *sig) {
  gicc::fallback(recover<int>);
  gicc::wait<gicc::block>(sig, gicc::cmp::ge, 1, 0);
  p[0] = 1;
}

// The barrier decides: it is the check.
// CHECK-LABEL: define {{.*}}ptx_kernel void @by_first_thread
// CHECK-NOT: barrier.cta.sync
// CHECK: call {{.*}}@__gicc_wait_thread
// CHECK-NOT: barrier.cta.sync
// CHECK: call i32 @__gicc_check_error_block()
// CHECK-NOT: {{call|barrier}}
// CHECK: {{^}}}
// REMARK: check_errors.cu:[[# @LINE + 2]]:25: remark[R0213]: wait: errors are checked by its block, in the place of the barrier that follows; then the kernel ends
extern "C" __global__ void by_first_thread(int *p, gicc::signal_t *sig) {
  if (threadIdx.x == 0) gicc::wait(sig, gicc::cmp::ge, 1, 0);
  __syncthreads();
  p[threadIdx.x] = 1;
}

// Something is done before the barrier, so the thread leaves alone; the others learn of it behind the barrier.
// CHECK-LABEL: define {{.*}}ptx_kernel void @by_one
// CHECK: call {{.*}}@__gicc_wait_thread
// CHECK-NEXT: call i32 @__gicc_check_error_thread()
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: call i32 @__gicc_check_error_block()
// REMARK: check_errors.cu:[[# @LINE + 3]]:5: remark[R0213]: wait: errors are checked by the thread alone; then the kernel ends
extern "C" __global__ void by_one(int *p, gicc::signal_t *sig) {
  if (threadIdx.x == 0) {
    gicc::wait(sig, gicc::cmp::ge, 1, 0);
    p[1] = p[0];
  }
  __syncthreads();
  p[threadIdx.x] = 1;
}

// A loop that ends only when the wait has seen enough would not end: no check waits for the barrier.
// CHECK-LABEL: define {{.*}}ptx_kernel void @until
// CHECK: call {{.*}}@__gicc_wait_thread
// CHECK-NEXT: call i32 @__gicc_check_error_thread()
extern "C" __global__ void until(int *p, gicc::signal_t *sig) {
  uint64_t seen = 0;
  while (seen < 10) seen = gicc::wait(sig, gicc::cmp::gt, seen, 0);
  __syncthreads();
  p[threadIdx.x] = 1;
}

// CHECK-LABEL: define {{.*}}ptx_kernel void @others
// CHECK: call {{.*}}@__gicc_channel_put_warp
// CHECK-NEXT: call i32 @__gicc_check_error_warp()
// CHECK: call {{.*}}@__gicc_channel_wait_block
// CHECK-NEXT: call i32 @__gicc_check_error_block()
// CHECK: call {{.*}}@__gicc_barrier_block
// CHECK-NEXT: call i32 @__gicc_check_error_block()
// CHECK: call {{.*}}@__gicc_event_wait_block
// CHECK-NEXT: call i32 @__gicc_check_error_block()
// REMARK: channel put: errors are checked by its warp alone
// REMARK: channel wait: errors are checked by its block
// REMARK: barrier: errors are checked by its block
// REMARK: event wait: errors are checked by its block
extern "C" __global__ void others(int *p, gicc::channel_state *state, int *slots, const int *src) {
  gicc::channel<int> ch(state, slots);
  ch.put<gicc::warp>(src, 4, 1);
  int *slot = ch.wait<gicc::block>(1);
  gicc::barrier();
  gicc::event e = gicc::initiate<gicc::block>(slots, src, 4, 1);
  gicc::wait<gicc::block>(e);
  p[threadIdx.x] = slot[0];
}
