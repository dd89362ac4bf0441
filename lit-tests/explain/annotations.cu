// Annotations decide where a kernel shows nothing, by macros or by a file beside it; nothing else is believed on request.
// RUN: %gicc explain %s --assume annotated | FileCheck %s
// RUN: %gicc explain %s --assume annotated -D PLAIN | FileCheck --check-prefix=PLAIN %s
// RUN: %gicc explain %s --assume annotated -D PLAIN --annotations %S/Inputs/annotations.toml | FileCheck %s
// RUN: %gicc explain %s --assume aggressive -D PLAIN | FileCheck --check-prefix=AGGRESSIVE %s
// RUN: not %gicc explain %s -D WRONG 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not %gicc explain %s --annotations %S/Inputs/wrong.toml 2>&1 | FileCheck --check-prefix=FILE %s
// A compilation is the same with and without them.
// RUN: %gicc %s -o %t.1.ptx --arch sm_90
// RUN: %gicc %s -D PLAIN -o %t.2.ptx --arch sm_90
// RUN: grep -v "^//" %t.1.ptx | grep -v "\.loc\|\.file" > %t.1 && grep -v "^//" %t.2.ptx | grep -v "\.loc\|\.file" > %t.2
// RUN: diff %t.1 %t.2
#ifdef PLAIN
#define REMOTE
#define SIGNAL
#define RELIES
#else
#include <gicc/annotations.cuh>
#define REMOTE GICC_REMOTE GICC_DOMAIN("halo")
#define SIGNAL GICC_REMOTE GICC_SIGNAL_WORD
#define RELIES GICC_RENDEZVOUS
#endif
#ifdef WRONG
#undef REMOTE
#define REMOTE __attribute__((annotate("gicc.remot")))
#endif

struct Ends {
  int count;
  float *data REMOTE;
};

// CHECK: kernel send(Ends, int*)
// PLAIN: nothing here communicates
// WRONG: error[E0106]
// WRONG: `gicc.remot` is no annotation of gicc's
// FILE: error[E0107]
// FILE: there is no kernel `nobody`
RELIES __global__ void send(Ends ends, int *flag SIGNAL) {
  // CHECK: ends.data[threadIdx.x] = 1.0f;
  // CHECK-NEXT: remote data store: st 4 bytes, {{.*}} in the domain `halo`
  // CHECK-NEXT: why: stores in a peer's memory; annotated `gicc.remote`
  // AGGRESSIVE: remote data store
  // AGGRESSIVE: every pointer of the arguments is assumed to be a peer's
  ends.data[threadIdx.x] = 1.0f;
  __syncthreads();
  __threadfence_system();
  // CHECK: *flag = ends.count;
  // CHECK-NEXT: signal: st 4 bytes
  // CHECK-NEXT: why: annotated `gicc.signal`; annotated `gicc.remote`
  if (threadIdx.x == 0) *flag = ends.count;
}
