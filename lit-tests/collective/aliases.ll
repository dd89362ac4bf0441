; An alias takes the place of none of gicc's functions.
; RUN: rm -rf %t && split-file %s %t
; RUN: not %gicc %t/runtime.ll -o %t/none 2>&1 | FileCheck --check-prefix=RUNTIME %s
; RUN: not %gicc %t/wait.ll -o %t/none 2>&1 | FileCheck --check-prefix=WAIT %s
; RUNTIME: error[E0201]
; RUNTIME: `gicc_rt_fail` is defined by the program
; RUNTIME: name the alias otherwise
; WAIT: error[E0201]
; WAIT: `gicc_collective_wait` is the program's

;--- runtime.ll
target triple = "nvptx64-nvidia-cuda"
@gicc_rt_fail = alias void (i32), ptr @mine
define void @mine(i32 %x) {
  ret void
}
define ptx_kernel void @k(ptr %x) {
  call void @mine(i32 0)
  ret void
}

;--- wait.ll
target triple = "nvptx64-nvidia-cuda"
declare void @__gicc_all_reduce_block(ptr, ptr, i64, i32, i32, i32)
@gicc_collective_wait = alias void (i32), ptr @mine
define void @mine(i32 %x) {
  ret void
}
define ptx_kernel void @k(ptr %x, i64 %n) {
  call void @mine(i32 0)
  call void @__gicc_all_reduce_block(ptr %x, ptr %x, i64 %n, i32 2, i32 0, i32 0)
  ret void
}
