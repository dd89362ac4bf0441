// Waits that look at some bits of a flag, at two flags together, or for either of several numbers: what they wait for is known by
// what is written. Where it is not, no error is claimed.
// RUN: not %gicc check %s > %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=RIGHT < %t
#include <gicc/gicc.cuh>

static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
#define STORE(order, value)                                                                                                  \
  asm volatile("st." order ".sys.global.u32 [%0], %1;" ::"l"(gicc::peer_ptr(flag, 1)), "r"(value) : "memory")
#define SECOND(order, value)                                                                                                 \
  asm volatile("st." order ".sys.global.u32 [%0], %1;" ::"l"(gicc::peer_ptr(second, 1)), "r"(value) : "memory")
#define UPDATE(order, op, value)                                                                                             \
  asm volatile("red." order ".sys.global." op " [%0], %1;" ::"l"(gicc::peer_ptr(flag, 1)), "r"(value) : "memory")
#define KERNEL(name, signal, wait)                                                                                           \
  extern "C" __global__ void name(unsigned *flag, unsigned *second, int *data, const unsigned *in, int *out, int n) {     \
    if (gicc::my_pe() == 0) {                                                                                                \
      *gicc::peer_ptr(data, 1) = 5;                                                                                          \
      signal;                                                                                                                \
    } else {                                                                                                                 \
      unsigned seen;                                                                                                         \
      wait;                                                                                                                  \
      *out = *data;                                                                                                          \
    }                                                                                                                        \
  }

// CHECK: error[C0101] missing-release, in `bit`
KERNEL(bit, STORE("relaxed", 9), while ((get(flag) & 8) == 0) {})
// CHECK: error[C0101] missing-release, in `either`
KERNEL(either, STORE("relaxed", 9), while ((seen = get(flag)) != 1 && seen != 9) {})
// CHECK: error[C0101] missing-release, in `counted`
KERNEL(counted, UPDATE("relaxed", "add.u32", 257), while ((get(flag) & 255) == 0) {})
// CHECK: error[C0101] missing-release, in `bits_set`
KERNEL(bits_set, UPDATE("relaxed", "or.b32", 4); UPDATE("relaxed", "or.b32", 2), while ((get(flag) & 6) != 6) {})

// Two flags together, and what memory or an argument tells that both sides have.
// CHECK: error[C0101] missing-release, in `both`
KERNEL(both, STORE("relaxed", 1); SECOND("relaxed", 1), while (get(flag) + get(second) != 2) {})
// CHECK: error[C0101] missing-release, in `counted_in_memory`
KERNEL(counted_in_memory, STORE("relaxed", in[0] + 1), unsigned epoch = in[0] + 1; while (get(flag) != epoch) {})
// CHECK: error[C0101] missing-release, in `distance`
KERNEL(distance, STORE("relaxed", n), while ((int)(get(flag) - n) < 0) {})

// RIGHT-NOT: error{{.*}}right
// RIGHT-NOT: note[C0303]{{.*}}right
KERNEL(right_bit, STORE("release", 9), while ((get(flag) & 8) == 0) {})
KERNEL(right_either, STORE("release", 9), while ((seen = get(flag)) != 1 && seen != 9) {})
KERNEL(right_shifted, STORE("release", 0x30000), while (get(flag) >> 16 < 3) {})
KERNEL(right_counted, UPDATE("release", "add.u32", 257), while ((get(flag) & 255) == 0) {})
KERNEL(right_bits_set, UPDATE("release", "or.b32", 4), while ((get(flag) & 4) == 0) {})
KERNEL(right_both, STORE("release", 1); SECOND("release", 1), while (get(flag) + get(second) != 2) {})
KERNEL(right_all, STORE("release", 1); SECOND("release", 1), while (!(get(flag) & get(second))) {})
KERNEL(right_any, STORE("release", 1), while ((get(flag) | get(second)) == 0) {})
KERNEL(right_counted_in_memory, STORE("release", in[0] + 1), unsigned epoch = in[0] + 1; while (get(flag) != epoch) {})
KERNEL(right_ahead, STORE("release", in[0] + 1), unsigned epoch = in[0] + 1; while ((int)(get(flag) - epoch) < 0) {})
KERNEL(right_distance, STORE("release", n), while ((int)(get(flag) - n) < 0) {})
KERNEL(right_low_bits, STORE("release", n & 7), while ((get(flag) & 7) != (n & 7)) {})

// A meeting by tickets: what the atomic operation returned tells which number to wait for, or which bit has to change.
#define MEETING(name, order, more, wait)                                                                                     \
  extern "C" __global__ void name(unsigned *flag, int *data, int *out) {                                                     \
    unsigned me = gicc::my_pe(), n = gicc::n_pes(), old;                                                                     \
    *gicc::peer_ptr(data, 1 - me) = 5;                                                                                       \
    asm volatile("atom." order ".sys.global.add.u32 %0, [%1], %2;"                                                           \
                 : "=r"(old) : "l"(gicc::peer_ptr(flag, 0)), "r"(more) : "memory");                                          \
    while (wait) {}                                                                                                          \
    *out = *data;                                                                                                            \
  }
#define HERE get(gicc::peer_ptr(flag, 0))
#define HIGH 0x80000000u
MEETING(right_ticket, "acq_rel", 1, HERE < (old / n + 1) * n)
MEETING(right_turn, "acq_rel", me == 0 ? HIGH - (n - 1) : 1, ((old ^ HERE) & HIGH) == 0)
// CHECK: error[{{C0101|C0108}}] {{.*}}, in `ticket`
MEETING(ticket, "relaxed", 1, HERE < (old / n + 1) * n)
// CHECK: error[{{C0101|C0108}}] {{.*}}, in `turn`
MEETING(turn, "relaxed", me == 0 ? HIGH - (n - 1) : 1, ((old ^ HERE) & HIGH) == 0)

// No number that is written has that bit.
// CHECK: note[C0303] undecided, in `other_bit`
// CHECK: in no launch that was looked at does the wait end
KERNEL(other_bit, STORE("relaxed", 9), while ((get(flag) & 4) == 0) {})
// What such an update makes is not looked at.
// CHECK: note[C0303] undecided, in `wraps`
// CHECK: perhaps
// CHECK: what is waited for in a flag is not followed
KERNEL(wraps, UPDATE("release", "inc.u32", 7), while ((get(flag) & 1) == 0) {})
// CHECK: 25 kernels: 9 findings of correctness
