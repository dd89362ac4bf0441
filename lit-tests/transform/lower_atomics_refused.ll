; What PTX has no instruction for is refused, and not weakened.
; RUN: not %gicc %s -o - 2>&1 | FileCheck %s
; CHECK: error[E0209]
; CHECK: nand
; CHECK: help: use a compare-and-swap loop
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p) {
  %old = atomicrmw nand ptr %p, i32 1 acq_rel
  ret void
}
