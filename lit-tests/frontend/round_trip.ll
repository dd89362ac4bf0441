; IR in, IR out: it parses again, with LLVM's own tools too, as text and as bitcode, and says the same.
; RUN: %gicc %s --emit llvm --stop-after frontend -o %t.ll
; RUN: opt -passes=verify -S %t.ll -o /dev/null
; RUN: %gicc %s --emit bc --stop-after frontend -o %t.bc
; RUN: llvm-dis %t.bc -o - | FileCheck %s
; RUN: %gicc %t.bc --emit llvm --stop-after frontend -o - | FileCheck %s
; RUN: FileCheck %s < %t.ll
; CHECK: define ptx_kernel void @k(ptr %p) #[[A:[0-9]+]]
; CHECK: store atomic i32 1, ptr %p syncscope("device") release, align 4
; CHECK: attributes #[[A]] = { convergent
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p) convergent {
  store atomic i32 1, ptr %p syncscope("device") release, align 4
  ret void
}
