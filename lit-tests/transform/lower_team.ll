; Facts about the team are loads of the state that the host writes; the state is there also where nothing reads it.
; RUN: %gicc %s --verify-each --stop-after lower -o - | FileCheck %s
; RUN: %gicc %S/Inputs/nothing.ll --verify-each --stop-after lower -o - | FileCheck --check-prefix=STATE %s
; CHECK: @__gicc_state = {{.*}}addrspace(4)
; STATE: @__gicc_state = {{.*}}addrspace(4)
target triple = "nvptx64-nvidia-cuda"
declare i32 @__gicc_my_pe()
declare i32 @__gicc_n_pes()

; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: load i32, ptr addrspace(4) {{.*}}@__gicc_state{{.*}}!invariant.load
; CHECK: load i32, ptr addrspace(4) {{.*}}@__gicc_state{{.*}}!invariant.load
; CHECK-NOT: @__gicc_{{my_pe|n_pes}}
define ptx_kernel void @k(ptr %p) {
  %me = call i32 @__gicc_my_pe()
  %n = call i32 @__gicc_n_pes()
  %sum = add i32 %me, %n
  store i32 %sum, ptr %p
  ret void
}
