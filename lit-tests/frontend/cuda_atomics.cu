// CUDA's atomic functions are relaxed and of GPU scope; those that end in _system and _block say otherwise.
// RUN: %gicc %s -o - | FileCheck %s
// CHECK-LABEL: .entry k(
// CHECK-NOT: {{fence|\.sys}}
// CHECK: atom.global.add.u32
// CHECK-NOT: {{fence|\.sys}}
// CHECK: atom.global.add.f32
// CHECK-NOT: {{fence|\.sys}}
// CHECK: atom.{{(relaxed\.gpu\.)?}}global.cas.b64
// CHECK-NOT: {{fence|\.sys}}
// CHECK: atom.shared.add.u32
// CHECK: atom.sys.add.s32
// CHECK: atom.cta.add.s32
extern "C" __global__ void k(int *p, float *f, unsigned long long *l) {
  __shared__ int s;
  atomicAdd(p, 1);
  atomicAdd(f, 1.0f);
  atomicCAS(l, 1ull, 2ull);
  atomicAdd(&s, 1);
  atomicAdd_system(p, 1);
  atomicAdd_block(p, 2);
}

// A compiler's builtin means what it says, and a compiler's fence binds the compiler alone.
// CHECK-LABEL: .entry builtins(
// CHECK: fence.sc.sys; atom.acq_rel.sys.exch.b32
// CHECK: atom.relaxed.sys.add.u32
// CHECK: atom.release.sys.add.u32
// CHECK-NOT: {{fence|membar}}
// CHECK: ret;
extern "C" __global__ void builtins(int *p) {
  __atomic_exchange_n(p, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(p, 1, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *p = 3;
}
