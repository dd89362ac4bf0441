; Inline assembly that names operands it does not have would end LLVM's process; it is refused first, all of it.
; RUN: not %gicc %s -o - 2>&1 | FileCheck %s
; CHECK: error[E0210]
; CHECK: there is no operand $100, the operands are 2
; CHECK: verify_assembly.ll:[[# @LINE + 7]]:
; CHECK: error[E0210]
; CHECK: `${` has no `}`
; CHECK: verify_assembly.ll:[[# @LINE + 5]]:
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p, i64 %v) {
  call void asm sideeffect "st.u64 [$0], $1;", "l,l"(ptr %p, i64 %v)
  call void asm sideeffect "st.u64 [$100], $1;", "l,l"(ptr %p, i64 %v)
  call void asm sideeffect "st.u64 [$0], ${1;", "l,l"(ptr %p, i64 %v)
  ret void
}
