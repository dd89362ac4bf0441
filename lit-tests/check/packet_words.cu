// Packets of twelve bytes of data and four of flag, put together and taken apart by inline PTX, and by shifts.
// RUN: not %gicc check %s > %t
// RUN: FileCheck %s < %t
// RUN: not %gicc check %s -DSHIFTS > %t.shifts
// RUN: FileCheck %s < %t.shifts
#include <gicc/gicc.cuh>

using u32 = unsigned;
using u64 = unsigned long long;
#ifdef SHIFTS
static __device__ void store(uint4 *p, u32 a, u32 b, u32 c, u32 flag) {
  u64 low = a | (u64)b << 32, high = c | (u64)flag << 32;
  asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.sys.global.b128 [%0], q; }" ::"l"(p), "l"(low), "l"(high) : "memory");
}
static __device__ void load(const uint4 *p, u32 &a, u32 &b, u32 &c, u32 &flag) {
  u64 low, high;
  asm volatile("{ .reg .b128 q; ld.relaxed.sys.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }" : "=l"(low), "=l"(high) : "l"(p) : "memory");
  a = low, b = low >> 32, c = high, flag = high >> 32;
}
#else
static __device__ void store(uint4 *p, u32 a, u32 b, u32 c, u32 flag) {
  asm volatile("{ .reg .b64 l, h; .reg .b128 q; mov.b64 l, {%1, %2}; mov.b64 h, {%3, %4}; mov.b128 q, {l, h}; st.relaxed.sys.global.b128 [%0], q; }" ::"l"(p), "r"(a), "r"(b), "r"(c), "r"(flag) : "memory");
}
static __device__ void load(const uint4 *p, u32 &a, u32 &b, u32 &c, u32 &flag) {
  asm volatile("{ .reg .b64 l, h; .reg .b128 q; ld.relaxed.sys.global.b128 q, [%4]; mov.b128 {l, h}, q; mov.b64 {%0, %1}, l; mov.b64 {%2, %3}, h; }" : "=r"(a), "=r"(b), "=r"(c), "=r"(flag) : "l"(p) : "memory");
}
#endif

// The data that comes with the flag needs nothing else, and everything is followed.
// CHECK-NOT: {{error|C0308}}
extern "C" __global__ void alone(uint4 *words, u32 *out, u32 value) {
  if (gicc::my_pe() == 0) {
    store(gicc::peer_ptr(words, 1), value, 62, value + 1, 1);
  } else {
    u32 a, b, c, flag;
    do load(words, a, b, c, flag);
    while (flag != 1);
    *out = a + b + c;
  }
}

// Other data does.
// CHECK: error[C0103] missing-acquire, in `beside`
extern "C" __global__ void beside(uint4 *words, int *more, u32 *out) {
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(more, 1) = 5;
    __threadfence_system();
    store(gicc::peer_ptr(words, 1), 61, 62, 63, 1);
  } else {
    u32 a, b, c, flag;
    do load(words, a, b, c, flag);
    while (flag != 1);
    *out = a + *more;
  }
}

// CHECK-NOT: {{error|C0308}}
extern "C" __global__ void fenced(uint4 *words, int *more, u32 *out) {
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(more, 1) = 5;
    __threadfence_system();
    store(gicc::peer_ptr(words, 1), 61, 62, 63, 1);
  } else {
    u32 a, b, c, flag;
    do load(words, a, b, c, flag);
    while (flag != 1);
    __threadfence_system();
    *out = a + *more;
  }
}

// CHECK: error[C0109] slot-reused, in `again`
extern "C" __global__ void again(uint4 *words, u32 *out) {
  if (gicc::my_pe() == 0) {
    store(gicc::peer_ptr(words, 1), 61, 62, 63, 1);
    store(gicc::peer_ptr(words, 1), 71, 72, 73, 2);
  } else {
    u32 a, b, c, flag;
    do load(words, a, b, c, flag);
    while (flag < 1);
    *out = a;
  }
}

// The flag is the lowest word of four.
// CHECK-NOT: {{error|C0308}}
extern "C" __global__ void lowest(uint4 *words, u32 *out) {
  if (gicc::my_pe() == 0) {
    store(gicc::peer_ptr(words, 1), 7, 62, 63, 64);
  } else {
    u32 a, b, c, flag;
    do load(words, flag, a, b, c);
    while (flag != 7);
    *out = a + b + c;
  }
}
