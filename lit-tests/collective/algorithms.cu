// Each algorithm is other code, in the IR as it is made and in the PTX; a small all-reduce executes no fence.
// RUN: %gicc %s -DALGORITHM=one_shot --verify-each --dump-ir-after materialise -o %t.one 2>%t.one.ll
// RUN: %gicc %s -DALGORITHM=two_shot --verify-each --dump-ir-after materialise -o %t.two 2>%t.two.ll
// RUN: %gicc %s -DALGORITHM=ring --verify-each --dump-ir-after materialise -o %t.ring 2>%t.ring.ll
// RUN: %gicc %s -DALGORITHM=automatic --verify-each -o %t.auto
// RUN: not cmp -s %t.one.ll %t.two.ll
// RUN: not cmp -s %t.one.ll %t.ring.ll
// RUN: not cmp -s %t.two.ll %t.ring.ll
// RUN: not cmp -s %t.one %t.two
// RUN: not cmp -s %t.one %t.ring
// RUN: not cmp -s %t.two %t.ring
// 4 KB: the compiler's choice is one shot.
// RUN: cmp %t.one %t.auto
// RUN: FileCheck %s < %t.one
// RUN: FileCheck --check-prefix=APART %s < %t.two
// RUN: FileCheck --check-prefix=APART %s < %t.ring
// RUN: FileCheck --check-prefix=MADE %s < %t.one.ll
#include <gicc/gicc.cuh>

// The epoch is loaded once and stored once, and lives in a register in between.
// MADE: define {{.*}}ptx_kernel void @twice(
// MADE: %epoch = alloca i64
// MADE: call i64 @__gicc_epoch_load()
// MADE: call <2 x i64> @__gicc_packet_load(
// MADE: call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(
// MADE: call void @__gicc_epoch_store(
// MADE: ret void

// CHECK-LABEL: .visible .entry twice(
// CHECK-NOT: {{fence|membar|\.release|\.acquire|atom|bar\.sync}}
// CHECK: st.relaxed.sys.global.b128
// CHECK-NOT: {{fence|membar|\.release|\.acquire|atom|bar\.sync}}
// CHECK: ld.relaxed.sys.global.b128
// CHECK-NOT: {{fence|membar|\.release|\.acquire|atom|bar\.sync}}
// CHECK: bar.red.and.pred
// CHECK-NOT: {{fence|membar|\.release|\.acquire|atom|bar\.sync}}
// CHECK: .func

// Two shots and the ring are a function of their own, with the same packets.
// APART-LABEL: .visible .entry twice(
// APART-NOT: {{fence|membar|\.release|\.acquire|atom\.|bar\.sync}}
// APART: call.uni (retval0), gicc_all_reduce_block_f32_sum_by_{{two_shot|ring}}_of_any_size,
// APART-LABEL: {{^}}.func {{.*}}gicc_all_reduce_block_f32_sum_by_{{two_shot|ring}}_of_any_size(
// APART-NOT: {{fence|membar|\.release|\.acquire|atom\.|bar\.sync}}
// APART: st.relaxed.sys.global.b128
// APART-NOT: {{fence|membar|\.release|\.acquire|atom\.|bar\.sync}}
// APART: ld.relaxed.sys.global.b128
// APART-NOT: {{fence|membar|\.release|\.acquire|atom\.|bar\.sync}}
// APART: bar.red.and.pred
extern "C" __global__ void twice(float *out, const float *in) {
  gicc::all_reduce(out, in, 1024, gicc::reduce::sum, gicc::algorithm::ALGORITHM);
  gicc::all_reduce(out, out, 1024, gicc::reduce::sum, gicc::algorithm::ALGORITHM);
}
