// Collectives, several times in a row, so that the last uses the packets' slot of the first, with nothing between them that PEs
// meet at: three times; twice, where one has two rounds. The one in between has one packet only: one thread has nothing to do
// in it. Behind each, a thread reads a word of the result that another thread stored.
#include <gicc/gicc.cuh>
using namespace gicc;
using u64 = unsigned long long;

__device__ void read(const unsigned *p) {
  unsigned v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
}
__device__ void read(const u64 *p) {
  u64 v;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
}
__device__ void write(u64 *p, u64 v) { asm volatile("st.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory"); }

constexpr int DISTANCE = 16; // elements between the results of two calls

// What one thread reads of a result of packets with `each` elements: the other one's first element.
template <class T> __device__ void look(const T *out, int each) { read(out + each * (threadIdx.x ^ 1)); }

template <class T, class Call> __device__ void one_time(T *out, const T *in, int each, long packets, Call call) {
  call(out, in, packets * each);
  look(out, each);
}

template <class T, class Call> __device__ void several_times(T *out, const T *in, int each, long many, Call call) {
  one_time(out, in, each, many, call);
  if (!Call::rounds_of_two) one_time(out + DISTANCE, in + many * each, each, 1, call);
  one_time(out + 2 * DISTANCE, in + (many + 1) * each, each, many, call);
}

template <algorithm A> struct reduces {
  static constexpr bool rounds_of_two = A != algorithm::one_shot;
  template <class T> __device__ void operator()(T *out, const T *in, long n) const {
    all_reduce<block>(out, in, n, reduce::sum, A);
  }
};
template <algorithm A> struct gathers {
  static constexpr bool rounds_of_two = false;
  template <class T> __device__ void operator()(T *out, const T *in, long n) const { all_gather<block>(out, in, n, A); }
};

#ifdef CALL // reduces<…> or gathers<…>, of elements TYPE, EACH in a packet
// The count is known when this is compiled, or when it is launched.
extern "C" __global__ void constant(TYPE *out, const TYPE *in) { several_times(out, in, EACH, MANY, CALL{}); }
extern "C" __global__ void given(TYPE *out, const TYPE *in, long many) { several_times(out, in, EACH, many, CALL{}); }
#else
// Different collectives use the same slots.
extern "C" __global__ void mixed(u64 *out, const u64 *in) {
  all_reduce<block>(out, in, 2, reduce::sum, algorithm::one_shot);
  look(out, 1);
  all_gather<block>(out + DISTANCE, in + 2, 1, algorithm::direct);
  look(out + DISTANCE, 1);
  all_reduce<block>(out + 2 * DISTANCE, in + 3, 4, reduce::sum, algorithm::two_shot);
  look(out + 2 * DISTANCE, 1);
}

// Without packets, between symmetric buffers: each thread stores one of the elements that its PE has.
extern "C" __global__ void two_shot_simple(u64 *out, u64 *in, long n) {
  write(in + threadIdx.x, 100 * my_pe() + threadIdx.x + 1);
  all_reduce<block>(out, in, n, reduce::sum, algorithm::two_shot);
  look(out, 1);
}
// Many elements; a thread reads one of the other PE's place before, which must not be there yet, and behind it.
extern "C" __global__ void direct_simple(u64 *out, const u64 *in, long n) {
  const u64 *theirs = out + (1 - my_pe()) * n + 2 * (threadIdx.x ^ 1);
  if (threadIdx.x < 2) read(theirs);
  all_gather<block>(out, in, n, algorithm::direct);
  if (threadIdx.x < 2) read(theirs);
}
#endif
