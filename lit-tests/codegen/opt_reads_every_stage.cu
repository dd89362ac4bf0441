// What each stage leaves is IR that LLVM's own tools accept, and that gicc reads again.
// RUN: %gicc %s --stop-after frontend -o - | opt -passes=verify -disable-output
// RUN: %gicc %s --stop-after verify -o - | opt -passes=verify -disable-output
// RUN: %gicc %s --stop-after materialise -o - | opt -passes=verify -disable-output
// RUN: %gicc %s --stop-after link -o - | opt -passes=verify -disable-output
// RUN: %gicc %s --stop-after place-fences -o - | opt -passes=verify -disable-output
// RUN: %gicc %s --stop-after lower -o - | opt -passes=verify -disable-output
// RUN: %gicc %s --stop-after optimize -o - | opt -passes=verify -disable-output
// RUN: %gicc %s --stop-after verify -o %t.ll
// RUN: %gicc %t.ll -o %t.again.ptx
// RUN: FileCheck --implicit-check-not=.extern %s < %t.again.ptx
// CHECK: .visible .entry k(
// CHECK: st.release.sys
#include <gicc/gicc.cuh>
extern "C" __global__ void k(float *to, const float *from, uint64_t *flag, int n, int pe) {
  gicc::put_signal<gicc::block>(to, from, n, flag, 1, pe);
}
