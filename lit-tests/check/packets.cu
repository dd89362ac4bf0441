// Packets: data and flag in one word of 16 bytes. The poll of the flag is enough for the data that comes with it; not for other
// data, and not where the other side stores two words of 8 bytes.
// RUN: not %gicc check %s | FileCheck %s
#include <gicc/gicc.cuh>

using u64 = unsigned long long;
static __device__ void store(u64 *p, u64 data, u64 flag) {
  asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.sys.global.b128 [%0], q; }" ::"l"(p), "l"(data), "l"(flag) : "memory");
}
static __device__ void load(const u64 *p, u64 &data, u64 &flag) {
  asm volatile("{ .reg .b128 q; ld.relaxed.sys.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }" : "=l"(data), "=l"(flag) : "l"(p) : "memory");
}

// CHECK-NOT: error
__global__ void alone(u64 *words, u64 *out) {
  if (gicc::my_pe() == 0) {
    store(gicc::peer_ptr(words, 1), 61, 1);
  } else {
    u64 data, flag;
    for (int i = 0; i < 1000000; ++i) {
      load(words, data, flag);
      if (flag == 1) break;
    }
    if (flag == 1) *out = data;
  }
}

// CHECK: error[C0103] missing-acquire, in `{{.*}}beside
__global__ void beside(u64 *words, int *more, u64 *out) {
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(more, 1) = 5;
    __threadfence_system();
    store(gicc::peer_ptr(words, 1), 61, 1);
  } else {
    u64 data, flag;
    do load(words, data, flag);
    while (flag != 1);
    *out = data + *more;
  }
}

// CHECK: error[C0107] mixed-sizes, in `{{.*}}halves
__global__ void halves(u64 *words, u64 *out) {
  if (gicc::my_pe() == 0) {
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(gicc::peer_ptr(words, 1)), "l"(61ull), "l"(1ull) : "memory");
  } else {
    u64 data, flag;
    do load(words, data, flag);
    while (flag != 1);
    *out = data;
  }
}

// One place for every message: the second one may come before the first is read.
// CHECK: error[C0109] slot-reused, in `{{.*}}again
__global__ void again(u64 *words, u64 *out) {
  if (gicc::my_pe() == 0) {
    store(gicc::peer_ptr(words, 1), 61, 1);
    store(gicc::peer_ptr(words, 1), 62, 2);
  } else {
    u64 data, flag;
    do load(words, data, flag);
    while (flag < 1);
    *out = data;
  }
}

// A multicast address reaches memory that the launch does not show.
// CHECK: note[C0308] incomplete, in `{{.*}}multicast
// CHECK: whose memory is behind a multicast address is not seen
__global__ void multicast(unsigned *count, int *data) {
  *gicc::peer_ptr(data, 1 - gicc::my_pe()) = 3;
  asm volatile("multimem.red.release.sys.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
}
