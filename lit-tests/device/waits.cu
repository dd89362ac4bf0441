// Waits leave their group converged (a thread alone meets nobody: the next lane may wait for what it does), keep nothing in local memory (a store there would have to be waited for by the
// fences around), and a block's wait whose value nobody reads has one barrier.
// RUN: %gicc %s -o %t.ptx
// RUN: FileCheck --implicit-check-not=st.local %s < %t.ptx
#include <gicc/gicc.cuh>

// CHECK-LABEL: .visible .entry alone(
// CHECK-NOT: {{activemask|bar\.warp\.sync}}
// CHECK: ld.acquire.sys.global.u64
// CHECK-NOT: {{activemask|bar\.warp\.sync}}
// CHECK: ret;
extern "C" __global__ void alone(uint64_t *flag, int *data, int *out) {
  gicc::wait(flag + threadIdx.x, gicc::cmp::ge, 1, 0);
  out[threadIdx.x] = data[threadIdx.x];
}

// CHECK-LABEL: .visible .entry together(
// CHECK-DAG: ld.acquire.sys.global.u64
// CHECK-DAG: bar.warp.sync
extern "C" __global__ void together(uint64_t *flag, int *data, int *out) {
  gicc::wait<gicc::warp>(flag, gicc::cmp::ge, 1, 0);
  out[threadIdx.x] = data[threadIdx.x];
}

// CHECK-LABEL: .visible .entry unread(
// CHECK-COUNT-1: bar.sync
// CHECK-NOT: bar.sync
// CHECK-LABEL: .visible .entry read(
extern "C" __global__ void unread(uint64_t *flag, int *data, int *out) {
  gicc::wait<gicc::block>(flag, gicc::cmp::ge, 1, 0);
  out[threadIdx.x] = data[threadIdx.x];
}

// CHECK: call{{.*}} gicc_rt_broadcast_block
// CHECK: ret;
extern "C" __global__ void read(uint64_t *flag, uint64_t *out) {
  out[threadIdx.x] = gicc::wait<gicc::block>(flag, gicc::cmp::ne, 0, 0);
}
