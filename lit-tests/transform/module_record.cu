// Each module says of itself which ABI it speaks, and survives optimisation; it starts with its magic bytes.
// RUN: %gicc %s --verify-each --stop-after place-fences -o - | FileCheck %s
// RUN: %gicc %s -o - | FileCheck --check-prefix=PTX %s
// CHECK: @__gicc_module_record = {{.*}}addrspace(1) constant [{{[0-9]+}} x i8] c"gicc
// PTX: .global .align 8 .b8 __gicc_module_record[
#include <gicc/gicc.cuh>
__global__ void k(gicc::channel_state *state, float *buffer, int pe) {
  gicc::channel<float, gicc::protocol::simple, 4> c(state, buffer);
  c.put(buffer, 4, pe);
}
