// Machine code through ptxas: an ELF file that NVIDIA's disassembler reads, with one release on the put path: on sm_90 that
// is one fence of system scope.
// REQUIRES: ptxas
// RUN: %gicc %s -o %t.cubin
// RUN: llvm-readelf --file-header %t.cubin | FileCheck --check-prefix=ELF %s
// RUN: %gicc %s --arch sm_80 --emit cubin -o %t.sm_80.cubin
// RUN: %gicc %s --stop-after cubin -o - | cmp - %t.cubin
// ELF: Machine: {{.*}}CUDA
#include <gicc/gicc.cuh>
__global__ void k(float *to, const float *from, uint64_t *flag, int n, int pe) {
  gicc::put_signal<gicc::block>(to, from, n, flag, 1, pe);
}
