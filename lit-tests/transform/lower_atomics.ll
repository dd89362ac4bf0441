; LLVM 22 drops the order and scope of atomicrmw for this target, so what asks for more than relaxed.gpu becomes PTX.
; RUN: %gicc %s --verify-each --stop-after lower -o - | FileCheck %s
; RUN: %gicc %s --verify-each -o - | FileCheck --check-prefix=PTX %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @k(
; PTX-LABEL: .entry k(
define ptx_kernel void @k(ptr %p, ptr addrspace(3) %s, float %x) {
  ; CHECK: atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
  ; PTX: atom{{(.global)?}}.add.u32
  %1 = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
  ; CHECK: asm sideeffect "atom.release.sys.add.u64 $0, [$1], $2;", "=l,l,l,~{memory}"
  ; PTX: atom.release.sys.add.u64
  %2 = atomicrmw add ptr %p, i64 1 release
  ; CHECK: asm sideeffect "atom.acquire.gpu.exch.b32
  %3 = atomicrmw xchg ptr %p, i32 1 syncscope("device") acquire
  ; CHECK: asm sideeffect "atom.acq_rel.cta.shared.max.s32
  %4 = atomicrmw max ptr addrspace(3) %s, i32 1 syncscope("block") acq_rel
  ; CHECK: asm sideeffect "fence.sc.sys; atom.acq_rel.sys.min.u32
  %5 = atomicrmw umin ptr %p, i32 1 seq_cst
  ; CHECK: sub i32 0, %
  ; CHECK: asm sideeffect "atom.relaxed.sys.add.u32
  %6 = load i32, ptr %p
  %7 = atomicrmw sub ptr %p, i32 %6 monotonic
  ; CHECK: asm sideeffect "atom.acq_rel.cluster.add.f32 {{.*}}"=f,l,f,~{memory}"
  %8 = atomicrmw fadd ptr %p, float %x syncscope("cluster") acq_rel
  ret void
}
