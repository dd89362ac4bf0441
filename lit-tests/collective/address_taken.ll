; A collective's code is made for its call; its address is refused.
; RUN: rm -rf %t && split-file %s %t
; RUN: not %gicc %t/stored.ll -o %t/none 2>&1 | FileCheck %s
; RUN: not %gicc check %t/stored.ll 2>&1 | FileCheck %s
; RUN: not %gicc %t/table.ll -o %t/none 2>&1 | FileCheck %s
; RUN: not %gicc check %t/table.ll 2>&1 | FileCheck %s
; CHECK: error[E0205]
; CHECK: the address of `__gicc_all_reduce_block` is taken
; CHECK: a collective's code is made for its call
; CHECK: call it directly

;--- stored.ll
target triple = "nvptx64-nvidia-cuda"
declare void @__gicc_all_reduce_block(ptr, ptr, i64, i32, i32, i32)
define ptx_kernel void @k(ptr %x) {
  store ptr @__gicc_all_reduce_block, ptr %x
  ret void
}

;--- table.ll
target triple = "nvptx64-nvidia-cuda"
declare void @__gicc_all_reduce_block(ptr, ptr, i64, i32, i32, i32)
@table = addrspace(1) global [1 x ptr] [ptr @__gicc_all_reduce_block]
define ptx_kernel void @k(ptr %x, i64 %n) {
  %p = load ptr, ptr addrspace(1) @table
  store ptr %p, ptr %x
  call void @__gicc_all_reduce_block(ptr %x, ptr %x, i64 %n, i32 2, i32 0, i32 0)
  ret void
}
