// Flags that are set to numbers which are not known. A number that only the program's data tells is what the wait for it ends
// with, and the order is judged. One that depends on the kernel's arguments, with none of the numbers that were tried, is not:
// that is said.
// RUN: not %gicc check %s > %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=RIGHT < %t
#include <gicc/gicc.cuh>

static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
#define SET(order)                                                                                                           \
  asm volatile("st." order ".sys.global.u32 [%0], %1;" ::"l"(gicc::peer_ptr(flag, 1)), "r"(value) : "memory")

#define KERNEL(name, number, order, wait)                                                                                    \
  extern "C" __global__ void name(unsigned *flag, int *data, const unsigned *in, int *out, unsigned x, unsigned y) {         \
    if (gicc::my_pe() == 0) {                                                                                                \
      *gicc::peer_ptr(data, 1) = 5;                                                                                          \
      unsigned value = number;                                                                                               \
      SET(order);                                                                                                            \
    } else {                                                                                                                 \
      unsigned seen;                                                                                                         \
      wait;                                                                                                                  \
      *out = *data;                                                                                                          \
    }                                                                                                                        \
  }

// CHECK: error[C0101] missing-release, in `read_and_multiplied`
KERNEL(read_and_multiplied, *in * y, "relaxed", while (get(flag) != 1) {})
// CHECK: error[C0101] missing-release, in `read_twice`
KERNEL(read_twice, in[0] + in[1], "relaxed", while (get(flag) != 7) {})
// CHECK: error[C0101] missing-release, in `with_a_bound`
KERNEL(with_a_bound, *in * y, "relaxed",
       for (int n = 0; (seen = get(flag)) != 1; ++n) if (n == 2) return)
// A wait that ends with either of two numbers.
// CHECK: error[C0101] missing-release, in `either`
KERNEL(either, *in * y, "relaxed", while (true) {
  if ((seen = get(flag)) == 1) break;
  if (seen == 9) {
    out[1] = 9;
    break;
  }
})

// RIGHT-NOT: error{{.*}}right
// RIGHT-NOT: note[C0303]{{.*}}right
KERNEL(right_read, *in * y, "release", while (get(flag) != 1) {})
KERNEL(right_compared, *in * y, "release", while (get(flag) < 3) {})

// What is added or multiplied of arguments is a number of the launch.
// CHECK: note[C0303] undecided, in `from_arguments`
// CHECK: in no launch that was looked at does the wait end
// CHECK: unknown_values.cu:[[#@LINE+1]]:
KERNEL(from_arguments, x + y + 12345, "relaxed", while (get(flag) != 1) {})
// CHECK: note[C0303] undecided, in `counted`
// CHECK: in no launch that was looked at does the wait end
extern "C" __global__ void counted(unsigned *flag, int *data, const unsigned *in, int *out, unsigned y) {
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(data, 1) = 5;
    asm volatile("red.relaxed.sys.global.add.u32 [%0], %1;" ::"l"(gicc::peer_ptr(flag, 1)), "r"(*in * y) : "memory");
  } else {
    while (get(flag) != 1) {
    }
    *out = *data;
  }
}
// CHECK: 8 kernels: 4 findings of correctness
