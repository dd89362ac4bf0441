// Each ordering becomes one PTX instruction with this order and scope; before sm_90 there are no one-way fences.
// RUN: %gicc %s --verify-each --stop-after lower -o - | FileCheck --check-prefixes=CHECK,SM90 %s
// RUN: %gicc %s --verify-each --arch sm_80 --stop-after lower -o - | FileCheck --check-prefixes=CHECK,SM80 %s
// RUN: %gicc %s --verify-each --stop-after lower -o - | FileCheck --check-prefix=GONE %s
// GONE-NOT: call {{.*}}@__gicc_
#include <gicc/gicc.cuh>

// CHECK-LABEL: define {{.*}}@k(
// SM90: asm sideeffect "fence.release.gpu;", "~{memory}"()
// SM80: asm sideeffect "fence.acq_rel.gpu;", "~{memory}"()
// CHECK: asm sideeffect "st.release.sys.global.u64 [$0], $1;", "l,l,~{memory}"(
// CHECK: asm sideeffect "red.release.sys.global.add.u64 [$0], $1;"
// CHECK: asm sideeffect "ld.acquire.sys.global.u64 $0, [$1];", "=l,l,~{memory}"(
// SM90: asm sideeffect "fence.acquire.sys;"
// SM80: asm sideeffect "fence.acq_rel.sys;"
extern "C" __global__ void k(float *data, uint64_t *flag, int pe) {
  data[0] = 1;
  gicc::release(gicc::scope::gpu);
  data[1] = 1;
  gicc::signal(flag, 1, pe);
  data[2] = 1;
  gicc::signal(flag, 1, pe, gicc::op::add);
  gicc::test(flag, gicc::cmp::eq, 1);
  gicc::acquire();
}
