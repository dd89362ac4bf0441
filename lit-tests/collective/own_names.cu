// What a program defines is the program's, whatever its name; and IR that gicc wrote is compiled as it says, also where a
// function of a collective was changed or optimised in it.
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: %gicc %s --check-errors off -o %t/own.ptx
// RUN: FileCheck %s < %t/own.ptx
// RUN: %gicc %s -DCALLED --check-errors off --stop-after materialise -o %t/materialised.ll
// RUN: %gicc %s -DCALLED --check-errors off --stop-after optimize -o %t/optimised.ll
// RUN: %gicc %t/materialised.ll --check-errors off -o %t/materialised.ptx
// RUN: %gicc %t/optimised.ll --check-errors off -o %t/optimised.ptx
// RUN: %ptxas -arch=sm_90 %t/materialised.ptx -o /dev/null
// RUN: %ptxas -arch=sm_90 %t/optimised.ptx -o /dev/null
// RUN: sed -e 's/i64 @gicc_all_reduce_block_f32_sum_by_one_shot_of_any_size(ptr %0/i64 @gicc_all_reduce_block_f32_sum_by_one_shot_of_any_size(ptr noalias %0/' %t/materialised.ll > %t/changed.ll
// RUN: not cmp -s %t/materialised.ll %t/changed.ll
// RUN: %gicc %t/changed.ll --check-errors off --stop-after optimize -o %t/changed.after.ll
// RUN: FileCheck --check-prefix=CHANGED %s < %t/changed.after.ll
// CHANGED: define internal {{.*}}@gicc_all_reduce_block_f32_sum_by_one_shot_of_any_size(ptr {{.*}}noalias
// RUN: not %gicc %s -DUNDEFINED -o %t/none 2>&1 | FileCheck --check-prefix=UNDEFINED %s
// UNDEFINED: `gicc_all_reduce_block_f32_sum_by_one_shot_of_any_size` is called and defined nowhere
#include <gicc/gicc.cuh>

#if defined(CALLED)
#undef CALLED
extern "C" __global__ void called(float *x) { gicc::all_reduce(x, x, 100); }

#elif defined(UNDEFINED)
// The name of what gicc makes, and another type.
extern "C" __device__ void gicc_all_reduce_block_f32_sum_by_one_shot_of_any_size(float *x);
extern "C" __global__ void undefined(float *x) { gicc_all_reduce_block_f32_sum_by_one_shot_of_any_size(x); }

#else
// CHECK-DAG: .visible .entry gicc_all_my_kernel_of_any_size(
extern "C" __global__ void gicc_all_my_kernel_of_any_size(float *x) { x[0] = 1; }

// CHECK-DAG: .func gicc_collective_wait(
extern "C" __device__ __attribute__((noinline)) void gicc_collective_wait(float *x, long n) { x[n] = 77; }
extern "C" __global__ void k(float *x, long n) { gicc_collective_wait(x, n); }
#endif
