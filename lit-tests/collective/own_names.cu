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

// Where a collective needs the name itself, whoever has it is refused, also where MLIR is shown; so are names of the device runtime.
// RUN: not %gicc %s -DNAME=gicc_all_reduce_block_f32_sum_one_shot '-DBODY={}' -o %t/none 2>&1 | FileCheck --check-prefix=TAKEN %s
// RUN: not %gicc %s -DNAME=gicc_all_reduce_block_f32_sum_one_shot '-DBODY=;' -o %t/none 2>&1 | FileCheck --check-prefix=TAKEN %s
// RUN: not %gicc check %s -DNAME=gicc_all_reduce_block_f32_sum_one_shot '-DBODY={}' 2>&1 | FileCheck --check-prefix=TAKEN %s
// RUN: not %gicc %s -DVARIABLE=gicc_all_reduce_block_f32_sum_one_shot -o %t/none 2>&1 | FileCheck --check-prefix=TAKEN %s
// RUN: not %gicc %s -DNAME=gicc_all_reduce_block_f32_sum_by_quick_2 '-DBODY={}' -o %t/none 2>&1 | FileCheck --check-prefix=BELOW %s
// RUN: not %gicc %s -DNAME=gicc_collective_wait '-DBODY={}' -o %t/none 2>&1 | FileCheck --check-prefix=WAIT %s
// RUN: not %gicc %s -DNAME=gicc_rt_fail '-DBODY={}' -o %t/none 2>&1 | FileCheck --check-prefix=RUNTIME %s
// RUN: not %gicc %s -DQUALIFIER=inline -DNAME=gicc_all_reduce_block_f32_sum_one_shot '-DBODY={}' -o %t/none 2>&1 | FileCheck --check-prefix=TAKEN %s
// RUN: not %gicc %s -DQUALIFIER=inline -DNAME=gicc_collective_wait '-DBODY={}' -o %t/none 2>&1 | FileCheck --check-prefix=WAIT %s
// RUN: not %gicc %s -DVARIABLE=gicc_collective_wait -o %t/none 2>&1 | FileCheck --check-prefix=WAIT %s
// RUN: not %gicc %s -DVARIABLE=gicc_rt_fail -o %t/none 2>&1 | FileCheck --check-prefix=RUNTIME %s
// RUN: not %gicc %S/Inputs/own_intrinsic.mlir -o %t/none 2>&1 | FileCheck --check-prefix=INTRINSIC %s
// RUN: not %gicc %S/Inputs/own_names.mlir -o %t/none 2>&1 | FileCheck --check-prefix=MLIR %s
// RUN: not %gicc %S/Inputs/own_names.mlir --dump-ir-after mlir-lower -o %t/none 2>&1 | FileCheck --check-prefix=MLIR %s
// TAKEN: `gicc_all_reduce_block_f32_sum_one_shot` is the program's
// TAKEN: gicc makes a function of that name for this collective
// TAKEN: own_names.cu:{{[0-9]+}}:46]
// TAKEN: name the program's function or variable otherwise
// BELOW: `gicc_all_reduce_block_f32_sum_by_quick_2` is the program's
// WAIT: `gicc_collective_wait` is the program's
// RUNTIME: `gicc_rt_fail` is defined by the program
// RUNTIME: functions of the device runtime have such names
// INTRINSIC: `__gicc_my_pe` is defined by the program
// INTRINSIC: gicc defines its intrinsics itself
// MLIR: `gicc_all_reduce_block_f32_sum_one_shot` is the program's

// IR that was linked, with the functions of the device runtime that stay functions, is compiled as it says, too.
// RUN: %gicc %s -DGRID --check-errors off --stop-after optimize -o %t/linked.ll
// RUN: FileCheck --check-prefix=LINKED %s < %t/linked.ll
// RUN: %gicc %t/linked.ll --check-errors off -o %t/linked.ptx
// RUN: %ptxas -arch=sm_90 %t/linked.ptx -o /dev/null
// LINKED: define internal {{.*}}@__gicc_div_up(
#include <gicc/gicc.cuh>

#ifndef QUALIFIER
#define QUALIFIER
#endif
#if defined(NAME)
extern "C" __device__ QUALIFIER void NAME(int) BODY
extern "C" __global__ void taken(float *x) { gicc::all_reduce(x, x, 100); NAME(0); }

#elif defined(VARIABLE)
extern "C" { __device__ int VARIABLE = 4; }
extern "C" __global__ void taken(float *x) { gicc::all_reduce(x, x, 100); x[0] = VARIABLE; }

#elif defined(GRID)
extern "C" __global__ void grid(float *x, long n) { gicc::all_reduce<gicc::grid>(x, x, n); }

#elif defined(CALLED)
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
