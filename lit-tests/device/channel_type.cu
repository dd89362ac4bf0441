// What the types of gicc.cuh rule out, at the line of the use.
// RUN: not %gicc %s -D PROTOCOL -o %t.ptx 2>&1 | FileCheck --check-prefix=PROTOCOL %s
// RUN: not %gicc %s -D LENGTH -o %t.ptx 2>&1 | FileCheck --check-prefix=LENGTH %s
// RUN: not %gicc %s -D COPY -o %t.ptx 2>&1 | FileCheck --check-prefix=COPY %s
// RUN: not %gicc %s -D ELEMENT -o %t.ptx 2>&1 | FileCheck --check-prefix=ELEMENT %s
// RUN: not %gicc %s -D SIGNAL -o %t.ptx 2>&1 | FileCheck --check-prefix=SIGNAL %s
#include <gicc/gicc.cuh>

struct NotBytes {
  int x;
  __device__ NotBytes(const NotBytes &o) : x(o.x + 1) {}
};

__global__ void wrong(float *f, NotBytes *n, unsigned *narrow, uint64_t *words) {
#ifdef PROTOCOL
  // PROTOCOL: of the protocols `simple`, `ll` and `automatic` are built
  gicc::channel<float, gicc::protocol::bulk> c(words, f);
  c.put(f, 1, 0);
#endif
#ifdef LENGTH
  // LENGTH: need the length of the message: wait(count, pe)
  gicc::channel<float, gicc::protocol::ll> c(words, f);
  c.wait(0);
#endif
#ifdef COPY
  // COPY: call to deleted constructor
  gicc::channel<float> c(words, f);
  gicc::channel<float> d = c;
#endif
#ifdef ELEMENT
  // ELEMENT: the element type must be trivially copyable
  gicc::put(n, n, 1, 0);
#endif
#ifdef SIGNAL
  // SIGNAL: a signal is a 64-bit integer
  gicc::signal(narrow, 1, 0);
#endif
}
