; A collective's code is made for its call; its address is refused.
; RUN: not %gicc %s -o %t 2>&1 | FileCheck %s
; CHECK: error[E0205]
; CHECK: the address of `__gicc_all_reduce_block` is taken
; CHECK: a collective's code is made for its call
; CHECK: call it directly
target triple = "nvptx64-nvidia-cuda"
declare void @__gicc_all_reduce_block(ptr, ptr, i64, i32, i32, i32)
define ptx_kernel void @k(ptr %x) {
  store ptr @__gicc_all_reduce_block, ptr %x
  ret void
}
