target triple = "nvptx64-nvidia-cuda"
@shared = internal addrspace(3) global [32 x i32] undef, align 4
declare i32 @__gicc_my_pe()
declare void @__gicc_put_block(ptr, ptr, i64, i32, i32)
declare void @__gicc_put_signal_warp(ptr, ptr, i64, i32, ptr, i64, i32, i32)
declare void @__gicc_notify_thread(ptr, i64, i32, i32, i32)
declare i64 @__gicc_wait_block(ptr, i32, i64, i32)
declare void @__gicc_release_block(i32, i32)
declare void @__gicc_barrier_block()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define internal i32 @helper(ptr %p, i32 %x) {
  %old = atomicrmw add ptr %p, i32 %x syncscope("device") acq_rel
  ret i32 %old
}
define ptx_kernel void @k(ptr %p, ptr %q, i64 %n, i32 %pe) convergent {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %me = call i32 @__gicc_my_pe()
  %c = icmp eq i32 %tid, 0
  %slot = getelementptr inbounds [32 x i32], ptr addrspace(3) @shared, i32 0, i32 %tid
  store i32 %me, ptr addrspace(3) %slot, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @__gicc_put_block(ptr %p, ptr %q, i64 %n, i32 4, i32 %pe)
  call void @__gicc_release_block(i32 4, i32 0)
  br i1 %c, label %l, label %m
l:
  %h = call i32 @helper(ptr %p, i32 %tid)
  store atomic i32 %h, ptr %q syncscope("device") release, align 4
  fence syncscope("block") acq_rel
  call void @__gicc_notify_thread(ptr %q, i64 1, i32 0, i32 1, i32 %pe)
  br label %m
m:
  %v = call i64 @__gicc_wait_block(ptr %q, i32 3, i64 1, i32 %pe)
  call void asm sideeffect "st.release.sys.u64 [$0], $1;", "l,l,~{memory}"(ptr %q, i64 %v)
  call void @__gicc_put_signal_warp(ptr %p, ptr %q, i64 64, i32 4, ptr %q, i64 2, i32 1, i32 %pe)
  call void @__gicc_barrier_block()
  ret void
}
