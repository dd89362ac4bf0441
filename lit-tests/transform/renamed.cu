// The result does not hang on names: when everything in the module is renamed, the same instructions order the same.
// RUN: %gicc %s --stop-after verify -o %t.ll
// RUN: opt -passes=metarenamer -rename-exclude-function-prefixes=__gicc_ -S %t.ll -o %t.renamed.ll
// RUN: FileCheck --check-prefix=RENAMED %s < %t.renamed.ll
// RUN: %gicc %t.ll --stop-after place-fences --verify-each -o %t.1.ll
// RUN: %gicc %t.renamed.ll --stop-after place-fences --verify-each -o %t.2.ll
// RUN: grep -oE "call [a-z0-9 ]*@(__gicc_[a-z0-9_]*|llvm.nvvm.barrier[a-z.]*)\(.*\)" %t.1.ll | sed -E "s/%%[A-Za-z0-9._]+/%%/g" > %t.1.calls
// RUN: grep -oE "call [a-z0-9 ]*@(__gicc_[a-z0-9_]*|llvm.nvvm.barrier[a-z.]*)\(.*\)" %t.2.ll | sed -E "s/%%[A-Za-z0-9._]+/%%/g" > %t.2.calls
// RUN: diff %t.1.calls %t.2.calls
// RUN: FileCheck %s < %t.1.calls
// RENAMED-NOT: @several
// RENAMED: ptx_kernel void @
// CHECK: @__gicc_fence(i32 1, i32 3)
// CHECK: @__gicc_load_u64(
#include <gicc/gicc.cuh>
extern "C" __global__ void several(float *to, const float *from, gicc::signal_t *flags, int n, int left, int right) {
  gicc::put<gicc::block>(to, from, n, left);
  gicc::put<gicc::block>(to, from, n, right);
  gicc::release<gicc::block>();
  gicc::signal<gicc::block>(flags, 1, left, gicc::op::set, gicc::order::relaxed);
  gicc::signal<gicc::block>(flags + 1, 1, right, gicc::op::set, gicc::order::relaxed);
  gicc::wait<gicc::block>(flags, gicc::cmp::eq, 1, right);
  gicc::signal(flags, 2, gicc::my_pe());
}
