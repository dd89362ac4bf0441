// Each module says of itself which ABI it speaks, and survives optimisation; it starts with its magic bytes.
// RUN: %gicc %s --verify-each --stop-after place-fences -o - | FileCheck %s
// RUN: %gicc %s -o - | FileCheck --check-prefix=PTX %s
// CHECK: @__gicc_module_record = {{.*}}addrspace(1) constant [{{[0-9]+}} x i8] c"gicc
// The domains that it declares stand in it by name; a declaration that nothing uses, too.
// RUN: %gicc %s -D DOMAINS --verify-each --stop-after place-fences -o - | FileCheck --check-prefix=DOMAINS %s
// DOMAINS: @__gicc_module_record = {{.*}}c"gicc{{.*}}halorows"
// PTX: .global .align 8 .b8 __gicc_module_record[
#include <gicc/gicc.cuh>
#ifdef DOMAINS
GICC_DECLARE_DOMAIN(rows, 2);
GICC_DECLARE_DOMAIN(halo, 1, gicc::scope::gpu);
#endif
__global__ void k(gicc::channel_state *state, float *buffer, int pe) {
  gicc::channel<float, gicc::protocol::simple, 4> c(state, buffer);
  c.put(buffer, 4, pe);
}
