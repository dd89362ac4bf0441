// barrier: however many PEs there are, one release fence for all the signals, which are relaxed; each peer's signal is
// acquired.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}barrier
#include <gicc/gicc.cuh>

// CALL: call {{.*}}@__gicc_barrier_block(
// CHECK-LABEL: .visible .entry barrier(
// CHECK-DAG: fence.release.sys;
// CHECK-DAG: ld.acquire.sys.global.u64
// CHECK-DAG: st.relaxed.sys.global.u64
extern "C" __global__ void barrier() {
  gicc::barrier();
}
