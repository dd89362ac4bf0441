// A domain says how far a fence reaches, and never that there need be none: a release or an acquire on one orders all that its
// thread wrote or read, members of the domain or not. What another domain's fence has done is used where it reaches as far.
// RUN: %gicc %s --verify-each --check-errors off -o %t.ptx
// RUN: FileCheck %exactly %s < %t.ptx
#include <gicc/gicc.cuh>

// Nothing of the domain was written, as far as annotations say; the fence is there.
// CHECK-LABEL: .visible .entry of_another(
// CHECK: st.global
// CHECK: fence.release.sys;
// CHECK: st.relaxed.sys
// CHECK: ret;
extern "C" __global__ void of_another([[clang::annotate("gicc.domain:halo")]] float *halo, float *other,
                                      gicc::signal_t *sig, int pe) {
  other[0] = 1;
  gicc::release<gicc::thread>(gicc::domain(3));
  gicc::signal<gicc::thread>(sig, 1, pe, gicc::op::set, gicc::order::relaxed);
}

// The first domain's fence reaches this GPU only, and is no substitute for the second's.
// CHECK-LABEL: .visible .entry wider_then(
// CHECK: st.global
// CHECK: fence.release.gpu;
// CHECK: fence.release.sys;
// CHECK: st.relaxed.sys
// CHECK: ret;
extern "C" __global__ void wider_then(float *halo, gicc::signal_t *sig, int pe) {
  halo[0] = 1;
  gicc::release<gicc::thread>(gicc::domain(1, gicc::scope::gpu));
  gicc::release<gicc::thread>(gicc::domain(2));
  gicc::signal<gicc::thread>(sig, 1, pe, gicc::op::set, gicc::order::relaxed);
}

// One fence for both.
// CHECK-LABEL: .visible .entry narrower_then(
// CHECK: st.global
// CHECK: fence.release.sys;
// CHECK: st.relaxed.sys
// CHECK: ret;
extern "C" __global__ void narrower_then(float *halo, gicc::signal_t *sig, int pe) {
  halo[0] = 1;
  gicc::release<gicc::thread>(gicc::domain(2));
  gicc::release<gicc::thread>(gicc::domain(1, gicc::scope::gpu));
  gicc::signal<gicc::thread>(sig, 1, pe, gicc::op::set, gicc::order::relaxed);
}

// What was written between the two is not covered by the first.
// CHECK-LABEL: .visible .entry written_between(
// CHECK: st.global
// CHECK: fence.release.sys;
// CHECK: st.global
// CHECK: fence.release.gpu;
// CHECK: ret;
extern "C" __global__ void written_between(float *halo) {
  halo[0] = 1;
  gicc::release<gicc::thread>(gicc::domain(2));
  halo[1] = 1;
  gicc::release<gicc::thread>(gicc::domain(1, gicc::scope::gpu));
}

// CHECK-LABEL: .visible .entry see(
// CHECK: ld.volatile
// CHECK: fence.acquire.gpu;
// CHECK: fence.acquire.sys;
// CHECK: ld.global
// CHECK: ret;
extern "C" __global__ void see(float *halo, float *out, const volatile unsigned long long *sig) {
  const unsigned long long seen = *sig;
  gicc::acquire<gicc::thread>(gicc::domain(3, gicc::scope::gpu));
  gicc::acquire<gicc::thread>(gicc::domain(4));
  out[0] = halo[seen];
}
