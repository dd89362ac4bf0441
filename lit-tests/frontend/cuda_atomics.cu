// CUDA's atomic functions are relaxed and of GPU scope; those that end in _system and _block say otherwise.
// RUN: %gicc %s --emit llvm --stop-after frontend -o - | FileCheck %s --check-prefix=IR
// RUN: %gicc %s -o - | FileCheck %s
// IR-NOT: {{atomicrmw|cmpxchg}} {{.*}}seq_cst
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
