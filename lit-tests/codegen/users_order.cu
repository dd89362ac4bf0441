// gicc adds no fence to those that the user wrote, and takes none away.
// RUN: %gicc %s -o - | FileCheck --implicit-check-not=fence --implicit-check-not=membar %s
// CHECK-LABEL: .entry k(
// CHECK: membar.gl;
// CHECK: membar.sys;
// CHECK: fence.acq_rel.sys;
// CHECK: fence.proxy.async;
extern "C" __global__ void k(volatile int *p) {
  *p = 1;
  __threadfence();
  *p = 2;
  __threadfence_system();
  *p = 3;
  asm volatile("fence.acq_rel.sys;" ::: "memory");
  *p = 4;
  asm volatile("fence.proxy.async;" ::: "memory");
}
