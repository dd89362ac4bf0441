; What NVPTX's intrinsics and the functions that every GPU program may call mean for the host, as LLVM IR. An intrinsic
; llvm.nvvm.x is the function nvvm.x here. The functions sim.lib.* serve the code generator. Declarations of sim.*, the
; special registers, and families of functions that differ in a name only are added by library.rs.
;
; Names in double braces are filled in by library.rs: offsets into the thread's information, and numbers of gicc_abi::sim.

; ---- For the code generator.

define void @sim.lib.loop() {
  %t = call ptr @sim.thread()
  %p = getelementptr i8, ptr %t, i64 {{steps}}
  %n = load i64, ptr %p, align 8
  %m = add i64 %n, -1
  store i64 %m, ptr %p, align 8
  %out = icmp slt i64 %m, 0
  br i1 %out, label %yield, label %done, !prof !0
yield:
  call void @sim.step(i64 0)
  br label %done
done:
  ret void
}

define void @sim.lib.stack(i64 %frame) {
  %t = call ptr @sim.thread()
  %p = getelementptr i8, ptr %t, i64 {{stack_limit}}
  %limit = load i64, ptr %p, align 8, !invariant.load !1
  %here = call ptr @llvm.addressofreturnaddress.p0()
  %h = ptrtoint ptr %here to i64
  %need = add i64 %limit, %frame
  %out = icmp ult i64 %h, %need
  br i1 %out, label %full, label %done, !prof !0
full:
  call void @sim.fault(i64 {{Fault.StackOverflow}}, i64 %frame, i64 0)
  br label %done
done:
  ret void
}

define void @sim.lib.division(i64 %zero) {
  %bad = icmp ne i64 %zero, 0
  br i1 %bad, label %fault, label %done, !prof !0
fault:
  call void @sim.fault(i64 {{Fault.DivisionByZero}}, i64 0, i64 0)
  br label %done
done:
  ret void
}

define void @sim.lib.local(i64 %offset, i64 %last, i64 %empty) {
  %beyond = icmp ugt i64 %offset, %last
  %never = icmp ne i64 %empty, 0
  %bad = or i1 %beyond, %never
  br i1 %bad, label %fault, label %done, !prof !0
fault:
  call void @sim.fault(i64 {{Fault.Local}}, i64 %offset, i64 0)
  br label %done
done:
  ret void
}

define ptr addrspace(3) @sim.lib.shared_base() {
  %t = call ptr @sim.thread()
  %p = getelementptr i8, ptr %t, i64 {{shared_base}}
  %a = load i64, ptr %p, align 8, !invariant.load !1
  %s = inttoptr i64 %a to ptr addrspace(3)
  ret ptr addrspace(3) %s
}

; The address in host memory of a 32-bit or 64-bit shared address of PTX.
define i64 @sim.lib.shared_address(i64 %a) {
  %t = call ptr @sim.thread()
  %p = getelementptr i8, ptr %t, i64 {{shared_base}}
  %base = load i64, ptr %p, align 8, !invariant.load !1
  %high = and i64 %base, -4294967296
  %low = and i64 %a, 4294967295
  %r = or i64 %high, %low
  ret i64 %r
}

; ---- Barriers.

define void @nvvm.barrier.cta.sync.aligned.all(i32 %id) {
  %i = zext i32 %id to i64
  %r = call i64 @sim.barrier(i64 {{BarrierKind.Sync}}, i64 %i, i64 0, i64 0, i64 0)
  ret void
}
define void @nvvm.barrier.cta.sync.all(i32 %id) {
  call void @nvvm.barrier.cta.sync.aligned.all(i32 %id)
  ret void
}
define void @nvvm.barrier.cta.sync.aligned.count(i32 %id, i32 %n) {
  %i = zext i32 %id to i64
  %c = zext i32 %n to i64
  %r = call i64 @sim.barrier(i64 {{BarrierKind.Sync}}, i64 %i, i64 %c, i64 0, i64 0)
  ret void
}
define void @nvvm.barrier.cta.sync.count(i32 %id, i32 %n) {
  call void @nvvm.barrier.cta.sync.aligned.count(i32 %id, i32 %n)
  ret void
}
define void @nvvm.barrier.cta.arrive.aligned.count(i32 %id, i32 %n) {
  %i = zext i32 %id to i64
  %c = zext i32 %n to i64
  %r = call i64 @sim.barrier(i64 {{BarrierKind.Arrive}}, i64 %i, i64 %c, i64 0, i64 0)
  ret void
}
define void @nvvm.barrier.cta.arrive.count(i32 %id, i32 %n) {
  call void @nvvm.barrier.cta.arrive.aligned.count(i32 %id, i32 %n)
  ret void
}
define void @nvvm.barrier0() {
  call void @nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
define void @nvvm.barrier.cluster.arrive() {
  %r = call i64 @sim.barrier(i64 {{BarrierKind.ClusterArrive}}, i64 0, i64 0, i64 0, i64 0)
  ret void
}
define void @nvvm.barrier.cluster.arrive.aligned() {
  call void @nvvm.barrier.cluster.arrive()
  ret void
}
define void @nvvm.barrier.cluster.arrive.relaxed() {
  call void @nvvm.barrier.cluster.arrive()
  ret void
}
define void @nvvm.barrier.cluster.arrive.relaxed.aligned() {
  call void @nvvm.barrier.cluster.arrive()
  ret void
}
define void @nvvm.barrier.cluster.wait() {
  %r = call i64 @sim.barrier(i64 {{BarrierKind.ClusterWait}}, i64 0, i64 0, i64 0, i64 0)
  ret void
}
define void @nvvm.barrier.cluster.wait.aligned() {
  call void @nvvm.barrier.cluster.wait()
  ret void
}

; ---- Warps.

define void @nvvm.bar.warp.sync(i32 %mask) {
  %m = zext i32 %mask to i64
  %r = call i64 @sim.warp(i64 {{WarpOp.Sync}}, i64 %m, i64 0, i64 0, i64 0, i64 0)
  ret void
}
define i32 @nvvm.activemask() {
  %r = call i64 @sim.warp(i64 {{WarpOp.ActiveMask}}, i64 0, i64 0, i64 0, i64 0, i64 0)
  %v = trunc i64 %r to i32
  ret i32 %v
}
define { i32, i1 } @nvvm.elect.sync(i32 %mask) {
  %m = zext i32 %mask to i64
  %r = call i64 @sim.warp(i64 {{WarpOp.Elect}}, i64 %m, i64 0, i64 0, i64 0, i64 0)
  %s = call { i32, i1 } @sim.lib.pair(i64 %r)
  ret { i32, i1 } %s
}
define { i32, i1 } @sim.lib.pair(i64 %r) {
  %v = trunc i64 %r to i32
  %h = lshr i64 %r, 32
  %p = trunc i64 %h to i1
  %a = insertvalue { i32, i1 } poison, i32 %v, 0
  %b = insertvalue { i32, i1 } %a, i1 %p, 1
  ret { i32, i1 } %b
}
define i32 @nvvm.match.any.sync.i32(i32 %mask, i32 %a) {
  %m = zext i32 %mask to i64
  %w = zext i32 %a to i64
  %r = call i64 @sim.warp(i64 {{WarpOp.MatchAny}}, i64 %m, i64 %w, i64 0, i64 0, i64 0)
  %v = trunc i64 %r to i32
  ret i32 %v
}
define i32 @nvvm.match.any.sync.i64(i32 %mask, i64 %a) {
  %m = zext i32 %mask to i64
  %r = call i64 @sim.warp(i64 {{WarpOp.MatchAny}}, i64 %m, i64 %a, i64 0, i64 0, i64 0)
  %v = trunc i64 %r to i32
  ret i32 %v
}
define { i32, i1 } @nvvm.match.all.sync.i32p(i32 %mask, i32 %a) {
  %m = zext i32 %mask to i64
  %w = zext i32 %a to i64
  %r = call i64 @sim.warp(i64 {{WarpOp.MatchAll}}, i64 %m, i64 %w, i64 0, i64 0, i64 0)
  %s = call { i32, i1 } @sim.lib.pair(i64 %r)
  ret { i32, i1 } %s
}
define { i32, i1 } @nvvm.match.all.sync.i64p(i32 %mask, i64 %a) {
  %m = zext i32 %mask to i64
  %r = call i64 @sim.warp(i64 {{WarpOp.MatchAll}}, i64 %m, i64 %a, i64 0, i64 0, i64 0)
  %s = call { i32, i1 } @sim.lib.pair(i64 %r)
  ret { i32, i1 } %s
}

; ---- Fences.

define void @nvvm.membar.cta() {
  call void @sim.fence(i64 0, i64 {{meta.seq_cst.cta}})
  ret void
}
define void @nvvm.membar.gl() {
  call void @sim.fence(i64 0, i64 {{meta.seq_cst.gpu}})
  ret void
}
define void @nvvm.membar.sys() {
  call void @sim.fence(i64 0, i64 {{meta.seq_cst.sys}})
  ret void
}
define void @nvvm.fence.sc.cluster() {
  call void @sim.fence(i64 0, i64 {{meta.seq_cst.cluster}})
  ret void
}
define void @nvvm.fence.mbarrier_init.release.cluster() {
  call void @sim.fence(i64 {{FenceKind.MbarrierInit}}, i64 {{meta.release.cluster}})
  ret void
}
define void @nvvm.fence.proxy.alias() {
  call void @sim.fence(i64 {{FenceKind.ProxyAlias}}, i64 0)
  ret void
}
define void @nvvm.fence.proxy.async() {
  call void @sim.fence(i64 {{FenceKind.ProxyAsync}}, i64 0)
  ret void
}
define void @nvvm.fence.proxy.async.global() {
  call void @sim.fence(i64 {{FenceKind.ProxyAsyncGlobal}}, i64 0)
  ret void
}
define void @nvvm.fence.proxy.async.shared_cta() {
  call void @sim.fence(i64 {{FenceKind.ProxyAsyncShared}}, i64 0)
  ret void
}

; ---- Time.

define i32 @nvvm.read.ptx.sreg.clock() {
  %r = call i64 @sim.time(i64 {{Clock.Cycles}}, i64 0)
  %v = trunc i64 %r to i32
  ret i32 %v
}
define i64 @nvvm.read.ptx.sreg.clock64() {
  %r = call i64 @sim.time(i64 {{Clock.Cycles}}, i64 0)
  ret i64 %r
}
define i64 @nvvm.read.ptx.sreg.globaltimer() {
  %r = call i64 @sim.time(i64 {{Clock.Nanoseconds}}, i64 0)
  ret i64 %r
}
define i32 @nvvm.read.ptx.sreg.globaltimer.lo() {
  %r = call i64 @sim.time(i64 {{Clock.Nanoseconds}}, i64 0)
  %v = trunc i64 %r to i32
  ret i32 %v
}
define void @nvvm.nanosleep(i32 %n) {
  %w = zext i32 %n to i64
  call void @sim.sleep(i64 %w, i64 0)
  ret void
}

; ---- Spaces of addresses.

define i1 @nvvm.isspacep.global(ptr %p) {
  %r = call i64 @sim.is_space(ptr %p, i64 {{Space.Global}}, i64 0)
  %v = trunc i64 %r to i1
  ret i1 %v
}
define i1 @nvvm.isspacep.shared(ptr %p) {
  %r = call i64 @sim.is_space(ptr %p, i64 {{Space.Shared}}, i64 0)
  %v = trunc i64 %r to i1
  ret i1 %v
}
define i1 @nvvm.isspacep.shared.cluster(ptr %p) {
  %v = call i1 @nvvm.isspacep.shared(ptr %p)
  ret i1 %v
}
define i1 @nvvm.isspacep.local(ptr %p) {
  %r = call i64 @sim.is_space(ptr %p, i64 {{Space.Local}}, i64 0)
  %v = trunc i64 %r to i1
  ret i1 %v
}
define i1 @nvvm.isspacep.const(ptr %p) {
  %r = call i64 @sim.is_space(ptr %p, i64 {{Space.Constant}}, i64 0)
  %v = trunc i64 %r to i1
  ret i1 %v
}
define ptr @nvvm.mapa(ptr %p, i32 %rank) {
  ret ptr %p
}
define ptr addrspace(7) @nvvm.mapa.shared.cluster(ptr addrspace(3) %p, i32 %rank) {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  %c = addrspacecast ptr %g to ptr addrspace(7)
  ret ptr addrspace(7) %c
}
define i32 @nvvm.getctarank(ptr %p) {
  ret i32 0
}
define i32 @nvvm.getctarank.shared.cluster(ptr addrspace(3) %p) {
  ret i32 0
}

; ---- mbarriers and asynchronous copies. A copy is complete when its instruction has run.

define void @nvvm.mbarrier.init(ptr %p, i32 %n) {
  %w = zext i32 %n to i64
  %r = call i64 @sim.mbarrier(i64 {{MbarrierOp.Init}}, ptr %p, i64 %w, i64 0, i64 0)
  ret void
}
define void @nvvm.mbarrier.init.shared(ptr addrspace(3) %s, i32 %n) {
  %p = addrspacecast ptr addrspace(3) %s to ptr
  call void @nvvm.mbarrier.init(ptr %p, i32 %n)
  ret void
}
define void @nvvm.mbarrier.inval(ptr %p) {
  %r = call i64 @sim.mbarrier(i64 {{MbarrierOp.Invalidate}}, ptr %p, i64 0, i64 0, i64 0)
  ret void
}
define void @nvvm.mbarrier.inval.shared(ptr addrspace(3) %s) {
  %p = addrspacecast ptr addrspace(3) %s to ptr
  call void @nvvm.mbarrier.inval(ptr %p)
  ret void
}
define i64 @nvvm.mbarrier.arrive(ptr %p) {
  %r = call i64 @sim.mbarrier(i64 {{MbarrierOp.Arrive}}, ptr %p, i64 1, i64 0, i64 0)
  ret i64 %r
}
define i64 @nvvm.mbarrier.arrive.shared(ptr addrspace(3) %s) {
  %p = addrspacecast ptr addrspace(3) %s to ptr
  %r = call i64 @nvvm.mbarrier.arrive(ptr %p)
  ret i64 %r
}
define i1 @nvvm.mbarrier.test.wait(ptr %p, i64 %state) {
  %r = call i64 @sim.mbarrier(i64 {{MbarrierOp.TestState}}, ptr %p, i64 %state, i64 0, i64 0)
  %v = trunc i64 %r to i1
  ret i1 %v
}
define i1 @nvvm.mbarrier.test.wait.shared(ptr addrspace(3) %s, i64 %state) {
  %p = addrspacecast ptr addrspace(3) %s to ptr
  %v = call i1 @nvvm.mbarrier.test.wait(ptr %p, i64 %state)
  ret i1 %v
}
define i32 @nvvm.mbarrier.pending.count(i64 %state) {
  %r = call i64 @sim.mbarrier(i64 {{MbarrierOp.PendingCount}}, ptr null, i64 %state, i64 0, i64 0)
  %v = trunc i64 %r to i32
  ret i32 %v
}
define void @nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %d, ptr addrspace(1) %s) {
  call void @sim.lib.copy(ptr addrspace(3) %d, ptr addrspace(1) %s, i64 4)
  ret void
}
define void @nvvm.cp.async.ca.shared.global.8(ptr addrspace(3) %d, ptr addrspace(1) %s) {
  call void @sim.lib.copy(ptr addrspace(3) %d, ptr addrspace(1) %s, i64 8)
  ret void
}
define void @nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %d, ptr addrspace(1) %s) {
  call void @sim.lib.copy(ptr addrspace(3) %d, ptr addrspace(1) %s, i64 16)
  ret void
}
define void @nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %d, ptr addrspace(1) %s) {
  call void @sim.lib.copy(ptr addrspace(3) %d, ptr addrspace(1) %s, i64 16)
  ret void
}
define void @sim.lib.copy(ptr addrspace(3) %d, ptr addrspace(1) %s, i64 %n) {
  %to = addrspacecast ptr addrspace(3) %d to ptr
  %from = addrspacecast ptr addrspace(1) %s to ptr
  call void @sim.copy(ptr %to, ptr %from, i64 %n, i64 {{meta.async}})
  ret void
}
define void @nvvm.cp.async.commit.group() {
  ret void
}
define void @nvvm.cp.async.wait.group(i32 %n) {
  ret void
}
define void @nvvm.cp.async.wait.all() {
  ret void
}
define void @nvvm.cp.async.bulk.commit.group() {
  call void @sim.copy_group(i64 {{CopyGroupOp.Commit}}, i64 0, i64 0)
  ret void
}
define void @nvvm.cp.async.bulk.wait.group(i32 %n) {
  %w = zext i32 %n to i64
  call void @sim.copy_group(i64 {{CopyGroupOp.Wait}}, i64 %w, i64 0)
  ret void
}
define void @nvvm.cp.async.bulk.wait.group.read(i32 %n) {
  %w = zext i32 %n to i64
  call void @sim.copy_group(i64 {{CopyGroupOp.WaitRead}}, i64 %w, i64 0)
  ret void
}

; ---- The C library on the device.

define i32 @vprintf(ptr %format, ptr %arguments) {
  %r = call i64 @sim.print(ptr %format, ptr %arguments, i64 0)
  %v = trunc i64 %r to i32
  ret i32 %v
}
define ptr @malloc(i64 %n) {
  %p = call ptr @sim.malloc(i64 %n, i64 0)
  ret ptr %p
}
define void @free(ptr %p) {
  call void @sim.free(ptr %p, i64 0)
  ret void
}
define void @__cxa_pure_virtual() {
  call void @sim.fault(i64 {{Fault.Trap}}, i64 0, i64 0)
  ret void
}
define void @__assertfail(ptr %message, ptr %file, i32 %line, ptr %function, i64 %size) {
  %l = zext i32 %line to i64
  call void @sim.assert_fail(ptr %message, ptr %file, i64 %l, ptr %function, i64 0)
  ret void
}
define void @__assert_fail(ptr %message, ptr %file, i32 %line, ptr %function) {
  %l = zext i32 %line to i64
  call void @sim.assert_fail(ptr %message, ptr %file, i64 %l, ptr %function, i64 0)
  ret void
}
define ptr @memcpy(ptr %d, ptr %s, i64 %n) {
  call void @sim.copy(ptr %d, ptr %s, i64 %n, i64 {{meta.byte}})
  ret ptr %d
}
define ptr @memmove(ptr %d, ptr %s, i64 %n) {
  call void @sim.copy(ptr %d, ptr %s, i64 %n, i64 {{meta.byte}})
  ret ptr %d
}
define ptr @memset(ptr %d, i32 %c, i64 %n) {
  %b = zext i32 %c to i64
  call void @sim.fill(ptr %d, i64 %b, i64 %n, i64 {{meta.byte}})
  ret ptr %d
}

; ---- Integer arithmetic.

define i32 @nvvm.mulhi.i(i32 %a, i32 %b) {
  %x = sext i32 %a to i64
  %y = sext i32 %b to i64
  %p = mul i64 %x, %y
  %h = lshr i64 %p, 32
  %v = trunc i64 %h to i32
  ret i32 %v
}
define i32 @nvvm.mulhi.ui(i32 %a, i32 %b) {
  %x = zext i32 %a to i64
  %y = zext i32 %b to i64
  %p = mul i64 %x, %y
  %h = lshr i64 %p, 32
  %v = trunc i64 %h to i32
  ret i32 %v
}
define i64 @nvvm.mulhi.ll(i64 %a, i64 %b) {
  %x = sext i64 %a to i128
  %y = sext i64 %b to i128
  %p = mul i128 %x, %y
  %h = lshr i128 %p, 64
  %v = trunc i128 %h to i64
  ret i64 %v
}
define i64 @nvvm.mulhi.ull(i64 %a, i64 %b) {
  %x = zext i64 %a to i128
  %y = zext i64 %b to i128
  %p = mul i128 %x, %y
  %h = lshr i128 %p, 64
  %v = trunc i128 %h to i64
  ret i64 %v
}
define i32 @nvvm.mul24.i(i32 %a, i32 %b) {
  %c = shl i32 %a, 8
  %x = ashr i32 %c, 8
  %d = shl i32 %b, 8
  %y = ashr i32 %d, 8
  %p = mul i32 %x, %y
  ret i32 %p
}
define i32 @nvvm.mul24.ui(i32 %a, i32 %b) {
  %x = and i32 %a, 16777215
  %y = and i32 %b, 16777215
  %p = mul i32 %x, %y
  ret i32 %p
}
define i32 @nvvm.sad.i(i32 %a, i32 %b, i32 %c) {
  %g = icmp sgt i32 %a, %b
  %x = sub i32 %a, %b
  %y = sub i32 %b, %a
  %d = select i1 %g, i32 %x, i32 %y
  %r = add i32 %d, %c
  ret i32 %r
}
define i32 @nvvm.sad.ui(i32 %a, i32 %b, i32 %c) {
  %g = icmp ugt i32 %a, %b
  %x = sub i32 %a, %b
  %y = sub i32 %b, %a
  %d = select i1 %g, i32 %x, i32 %y
  %r = add i32 %d, %c
  ret i32 %r
}
define i32 @nvvm.prmt(i32 %a, i32 %b, i32 %s) {
  %lo = zext i32 %a to i64
  %hi = zext i32 %b to i64
  %hs = shl i64 %hi, 32
  %w = or i64 %hs, %lo
  %r0 = call i32 @sim.lib.prmt(i64 %w, i32 %s, i32 0)
  %r1 = call i32 @sim.lib.prmt(i64 %w, i32 %s, i32 1)
  %r2 = call i32 @sim.lib.prmt(i64 %w, i32 %s, i32 2)
  %r3 = call i32 @sim.lib.prmt(i64 %w, i32 %s, i32 3)
  %a1 = or i32 %r0, %r1
  %a2 = or i32 %a1, %r2
  %a3 = or i32 %a2, %r3
  ret i32 %a3
}
; Byte %i of a permutation, at its place: four bits select a byte and whether only its sign is taken.
define i32 @sim.lib.prmt(i64 %w, i32 %s, i32 %i) {
  %k4 = shl i32 %i, 2
  %n = lshr i32 %s, %k4
  %sel = and i32 %n, 7
  %bit = shl i32 %sel, 3
  %bw = zext i32 %bit to i64
  %sh = lshr i64 %w, %bw
  %t = trunc i64 %sh to i8
  %sg = ashr i8 %t, 7
  %m = and i32 %n, 8
  %ms = icmp ne i32 %m, 0
  %byte = select i1 %ms, i8 %sg, i8 %t
  %z = zext i8 %byte to i32
  %k8 = shl i32 %i, 3
  %r = shl i32 %z, %k8
  ret i32 %r
}

; ---- Floating point that is no plain operation.

define float @nvvm.saturate.f(float %a) {
  %x = call float @llvm.maxnum.f32(float %a, float 0.0)
  %y = call float @llvm.minnum.f32(float %x, float 1.0)
  ret float %y
}
define double @nvvm.saturate.d(double %a) {
  %x = call double @llvm.maxnum.f64(double %a, double 0.0)
  %y = call double @llvm.minnum.f64(double %x, double 1.0)
  ret double %y
}
define i32 @nvvm.d2i.lo(double %a) {
  %w = bitcast double %a to i64
  %v = trunc i64 %w to i32
  ret i32 %v
}
define i32 @nvvm.d2i.hi(double %a) {
  %w = bitcast double %a to i64
  %h = lshr i64 %w, 32
  %v = trunc i64 %h to i32
  ret i32 %v
}
define double @nvvm.lohi.i2d(i32 %lo, i32 %hi) {
  %l = zext i32 %lo to i64
  %h = zext i32 %hi to i64
  %s = shl i64 %h, 32
  %w = or i64 %s, %l
  %d = bitcast i64 %w to double
  ret double %d
}
define bfloat @nvvm.f2bf16.rn(float %a) {
  %r = call bfloat @__truncsfbf2(float %a)
  ret bfloat %r
}
define bfloat @nvvm.f2bf16.rz(float %a) {
  %w = bitcast float %a to i32
  %h = lshr i32 %w, 16
  %t = trunc i32 %h to i16
  %nan = fcmp uno float %a, 0.0
  %s = select i1 %nan, i16 32767, i16 %t
  %r = bitcast i16 %s to bfloat
  ret bfloat %r
}
define <2 x bfloat> @nvvm.ff2bf16x2.rn(float %hi, float %lo) {
  %h = call bfloat @__truncsfbf2(float %hi)
  %l = call bfloat @__truncsfbf2(float %lo)
  %a = insertelement <2 x bfloat> poison, bfloat %l, i32 0
  %b = insertelement <2 x bfloat> %a, bfloat %h, i32 1
  ret <2 x bfloat> %b
}
define <2 x half> @nvvm.ff2f16x2.rn(float %hi, float %lo) {
  %h = fptrunc float %hi to half
  %l = fptrunc float %lo to half
  %a = insertelement <2 x half> poison, half %l, i32 0
  %b = insertelement <2 x half> %a, half %h, i32 1
  ret <2 x half> %b
}
define i16 @nvvm.f2h.rn(float %a) {
  %h = fptrunc float %a to half
  %r = bitcast half %h to i16
  ret i16 %r
}

; ---- Conversions that the host's code generator may call for.

; The nearest, ties to even; a NaN is the canonical one of PTX.
define hidden bfloat @__truncsfbf2(float %a) noinline {
  %w = bitcast float %a to i32
  %odd = lshr i32 %w, 16
  %lsb = and i32 %odd, 1
  %bias = add i32 %lsb, 32767
  %sum = add i32 %w, %bias
  %up = lshr i32 %sum, 16
  %t = trunc i32 %up to i16
  %nan = fcmp uno float %a, 0.0
  %s = select i1 %nan, i16 32767, i16 %t
  %r = bitcast i16 %s to bfloat
  ret bfloat %r
}
; The float on the way is rounded to odd, so that rounding it once more is right.
define float @sim.lib.to_odd(double %a) {
  %f = fptrunc double %a to float
  %back = fpext float %f to double
  %exact = fcmp ueq double %back, %a
  %w = bitcast float %f to i32
  %ab = call double @llvm.fabs.f64(double %back)
  %aa = call double @llvm.fabs.f64(double %a)
  %above = fcmp ogt double %ab, %aa
  %less = add i32 %w, -1
  %down = select i1 %above, i32 %less, i32 %w
  %odd = or i32 %down, 1
  %o = bitcast i32 %odd to float
  %r = select i1 %exact, float %f, float %o
  ret float %r
}
define hidden bfloat @__truncdfbf2(double %a) noinline {
  %f = call float @sim.lib.to_odd(double %a)
  %r = call bfloat @__truncsfbf2(float %f)
  ret bfloat %r
}
define hidden half @__truncdfhf2(double %a) noinline {
  %f = call float @sim.lib.to_odd(double %a)
  %r = fptrunc float %f to half
  ret half %r
}

declare ptr @llvm.addressofreturnaddress.p0()
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.fabs.f64(double)

!0 = !{!"branch_weights", i32 1, i32 100000}
!1 = !{}
