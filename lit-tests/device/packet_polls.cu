// The wait side of a channel of protocol `ll` polls two packets of a thread together: neither load depends on what the other
// brought, not even where one has come already, so both are under way at once. No fence is executed.
// RUN: %gicc %s -o - | FileCheck --implicit-check-not=fence --implicit-check-not=.release. --implicit-check-not=.acquire. %s
#include <gicc/gicc.cuh>

extern "C" __global__ void take(uint64_t *storage, float *slots, int n) {
  using channel = gicc::channel<float, gicc::protocol::ll, 4, 65536>;
  channel c((channel::storage *)storage, slots);
  c.wait<gicc::block>(n, 0);
}

// CHECK-LABEL: .entry take
// CHECK: ld.relaxed.sys.global.b128
// CHECK-NOT: {{setp|bra}}
// CHECK: ld.relaxed.sys.global.b128
// CHECK: setp
// CHECK: setp
// CHECK: bra
// CHECK: st.global.b32
// CHECK: bar.red.and.pred
