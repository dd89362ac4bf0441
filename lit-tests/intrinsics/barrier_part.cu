// barrier of a team: one release fence for the signals to all of its PEs, which are relaxed; each one's signal is acquired. The
// block meets twice, as in the barrier of all PEs.
// RUN: %gicc %s --verify-each -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
// RUN: FileCheck --check-prefix=MEET %s < %t.ptx
// RUN: %gicc %s --verify-each --stop-after verify --emit llvm -o - | FileCheck --check-prefix=CALL %s
// RUN: %gicc %s --verify-each --stop-after link --emit llvm -o - | FileCheck --check-prefix=LINKED %s
// LINKED-NOT: {{(call|declare).*@__gicc_}}barrier
#include <gicc/gicc.cuh>

// CALL: call {{.*}}@__gicc_barrier_part_block({{.*}}, i32{{.*}} 2, i32
// CHECK-LABEL: .visible .entry meet(
// CHECK-DAG: fence.release.sys;
// CHECK-DAG: ld.acquire.sys.global.u64
// CHECK-DAG: st.relaxed.sys.global.u64
// MEET-COUNT-2: bar.sync
// MEET-NOT: bar.
extern "C" __global__ void meet(int start, int pes) {
  gicc::barrier(gicc::team(start, 2, pes));
}
