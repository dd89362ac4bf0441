// What of a collective is the same in every program is compiled on its own, and kept. The PTX is the same whether it was
// compiled now or came from the cache, whether somebody looks at the IR, and what else is made.
// RUN: rm -rf %t && mkdir %t
// RUN: %gicc %s --check-errors off --no-cache --verify-each -o %t/plain.ptx
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %s --check-errors off -o %t/first.ptx
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %s --check-errors off -o %t/second.ptx
// RUN: cmp %t/plain.ptx %t/first.ptx
// RUN: cmp %t/plain.ptx %t/second.ptx
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %s --check-errors off --dump-ir-after place-fences --dump-ir-after optimize --dump-dir %t/ir -o %t/shown.ptx
// RUN: cmp %t/plain.ptx %t/shown.ptx
// RUN: FileCheck %s < %t/second.ptx

// What is shown is whole: LLVM's verifier takes it, and nothing of gicc's is undefined in it.
// RUN: cat %t/ir/*optimize* > %t/optimized.ll
// RUN: opt -passes=verify -disable-output %t/optimized.ll
// RUN: FileCheck --check-prefix=WHOLE --implicit-check-not='declare {{.*}}gicc' %s < %t/optimized.ll
// WHOLE-DAG: define internal {{.*}}i64 @gicc_all_reduce_block_f32_sum_by_auto_of_any_size(
// WHOLE-DAG: define internal {{.*}}i64 @gicc_all_reduce_block_i32_max_by_ring_of_any_size(

// Three units (two roots, and the wait that all collectives share) and two entries, whatever the counts.
// RUN: env GICC_CACHE_DIR=%t/cache %gicc cache | FileCheck --check-prefix=CACHE %s
// RUN: env GICC_CACHE_DIR=%t/cache %gicc cache --json | FileCheck --check-prefix=JSON %s
// CACHE: cache/gicc-units/{{[0-9a-f]+}}: 5 entries, {{[0-9.]+}} MB
// CACHE-NEXT: 3 of {{[0-9]+}} collectives are compiled for sm_90
// CACHE-NEXT: (`gicc cache fill` compiles the others;
// JSON: {"folder":"{{.*}}","entries":5,"bytes":{{[0-9]+}},"arch":"sm_90","ahead":3,"collectives":{{[0-9]+}}}

// It is the same cache however the command was started, and whatever lies in the folder it was started in.
// RUN: env GICC_CACHE_DIR=%t/cache bash -c 'cd / && %gicc-binary cache' | FileCheck --check-prefix=CACHE %s
// RUN: mkdir -p %t/gicc
// RUN: env GICC_CACHE_DIR=%t/cache bash -c 'cd %t && PATH=$(dirname %gicc-binary):$PATH gicc cache' | FileCheck --check-prefix=CACHE %s
// RUN: env GICC_CACHE_DIR=%t/cache bash -c 'cd $(dirname %gicc-binary) && ./gicc cache' | FileCheck --check-prefix=CACHE %s
// RUN: env GICC_CACHE_DIR=%t/cache %gicc cache | head -1

// Entries that are cut off or belong to something else are made again; where nothing can be kept, nothing is.
// RUN: %python %S/Inputs/spoil.py %t/cache
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %s --check-errors off -o %t/spoilt.ptx
// RUN: cmp %t/plain.ptx %t/spoilt.ptx
// RUN: env GICC_CACHE_DIR=%s %gicc %s --check-errors off -o %t/nowhere.ptx
// RUN: cmp %t/plain.ptx %t/nowhere.ptx
// RUN: env GICC_CACHE_DIR=%t/cache %gicc cache clear | FileCheck --check-prefix=CLEAR %s
// RUN: not ls %t/cache/gicc-units/*
// RUN: env GICC_CACHE_DIR= %gicc cache | FileCheck --check-prefix=NOTHING %s
// RUN: not env GICC_CACHE_DIR= %gicc cache fill 2>&1 | FileCheck --check-prefix=EMPTY %s
// RUN: not env GICC_CACHE_DIR=%s %gicc cache fill 2>&1 | FileCheck --check-prefix=UNWRITABLE %s
// CLEAR: : 0 entries, 0.0 MB
// NOTHING: nothing is kept: GICC_CACHE_DIR is empty, or there is no home folder
// EMPTY: error[E0703]
// EMPTY: there is no cache to put a compiled collective into
// EMPTY: GICC_CACHE_DIR is empty, or there is no home folder
// EMPTY: name a folder with GICC_CACHE_DIR
// UNWRITABLE: error[E0
// UNWRITABLE: cannot write to `{{.*}}units.cu/gicc-units/{{[0-9a-f]+}}`
// UNWRITABLE: name another folder with GICC_CACHE_DIR

// Beside a program for the simulator it is the same PTX, with a cache and without.
// RUN: %gicc %examples/04_all_reduce/kernel.cu -o %t/alone.ptx
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %examples/04_all_reduce -o %t/first
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %examples/04_all_reduce -o %t/second
// RUN: cmp %t/alone.ptx %t/first/kernel.ptx
// RUN: cmp %t/alone.ptx %t/second/kernel.ptx
// RUN: %gicc run %t/second --pes 3 --seed 1 | FileCheck --check-prefix=RIGHT %s
// RIGHT: right:
// Another architecture has its own.
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %s --check-errors off --arch sm_80 -o %t/sm_80.ptx
// RUN: env GICC_CACHE_DIR=%t/cache %gicc %s --check-errors off -o %t/after.ptx
// RUN: cmp %t/plain.ptx %t/after.ptx
// RUN: not cmp -s %t/plain.ptx %t/sm_80.ptx

#include <gicc/gicc.cuh>

// CHECK: .visible .entry both(
// CHECK-NOT: {{^\.extern}}
// CHECK: call.uni (retval0), gicc_all_reduce_block_f32_sum_by_auto_of_any_size,
// CHECK-NOT: {{^\.(visible|extern|weak) \.func}}
// CHECK: {{^}}.func {{.*}}gicc_all_reduce_block_f32_sum_by_auto_of_any_size__quick_2(
// CHECK-NOT: {{^\.(visible|extern|weak) \.func}}
// CHECK: {{^}}.func {{.*}}gicc_all_reduce_block_i32_max_by_ring_of_any_size(
extern "C" __global__ void both(float *data, const float *from, int *most, long n) {
  gicc::all_reduce<gicc::block>(data, from, n);
  gicc::all_reduce<gicc::block>(data, from, 4096);
  gicc::all_reduce<gicc::block>(most, most, n, gicc::reduce::max, gicc::algorithm::ring);
  // Two counts have one unit and one entry.
  gicc::all_reduce<gicc::block>(most, most, 100, gicc::reduce::max, gicc::algorithm::ring);
}
