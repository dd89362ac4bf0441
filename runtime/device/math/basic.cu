// Functions that are one operation of the target or of the language. gicc's own surface writes them as operations; CUDA's
// headers call them by name.
#include "math.cuh"

// Bits of numbers.
GICC_MATH int __nv_float_as_int(float x) { return (int)bits(x); }
GICC_MATH unsigned __nv_float_as_uint(float x) { return bits(x); }
GICC_MATH float __nv_int_as_float(int x) { return from_bits((uint32_t)x); }
GICC_MATH float __nv_uint_as_float(unsigned x) { return from_bits(x); }
GICC_MATH unsigned long long __nv_double_as_longlong(double x) { return bits(x); }
GICC_MATH double __nv_longlong_as_double(long long x) { return from_bits((uint64_t)x); }
GICC_MATH int __nv_double2hiint(double x) { return (int)(bits(x) >> 32); }
GICC_MATH int __nv_double2loint(double x) { return (int)bits(x); }
GICC_MATH double __nv_hiloint2double(int hi, int lo) { return from_bits((uint64_t)(uint32_t)hi << 32 | (uint32_t)lo); }
GICC_MATH int __nv_signbitf(float x) { return bits(x) >> 31; }
GICC_MATH int __nv_signbitd(double x) { return (int)(bits(x) >> 63); }

// What kind of number.
GICC_MATH int __nv_isnanf(float x) { return x != x; }
GICC_MATH int __nv_isnand(double x) { return x != x; }
GICC_MATH int __nv_isinff(float x) { return (bits(x) & 0x7fffffffu) == 0x7f800000u; }
GICC_MATH int __nv_isinfd(double x) { return (bits(x) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull; }
GICC_MATH int __nv_finitef(float x) { return (bits(x) & 0x7f800000u) != 0x7f800000u; }
GICC_MATH int __nv_isfinited(double x) { return (bits(x) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull; }
GICC_MATH double __nv_nan(const signed char *) { return __builtin_nan(""); }
GICC_MATH float __nv_nanf(const signed char *) { return __builtin_nanf(""); }

// Operations of both precisions.
#define GICC_BOTH(name)                                                                                                \
  GICC_MATH float __nv_##name##f(float x) { return __builtin_##name##f(x); }                                           \
  GICC_MATH double __nv_##name(double x) { return __builtin_##name(x); }
GICC_BOTH(fabs)
GICC_BOTH(floor)
GICC_BOTH(ceil)
GICC_BOTH(trunc)
GICC_BOTH(round)
GICC_BOTH(rint)
GICC_BOTH(nearbyint)
GICC_BOTH(sqrt)
#define GICC_BOTH_OF_TWO(name)                                                                                         \
  GICC_MATH float __nv_##name##f(float x, float y) { return __builtin_##name##f(x, y); }                               \
  GICC_MATH double __nv_##name(double x, double y) { return __builtin_##name(x, y); }
GICC_BOTH_OF_TWO(fmin)
GICC_BOTH_OF_TWO(fmax)
GICC_BOTH_OF_TWO(copysign)
GICC_MATH float __nv_fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
GICC_MATH double __nv_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
GICC_MATH float __nv_saturatef(float x) { return x >= 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; }

// Integers.
GICC_MATH int __nv_abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }
GICC_MATH long long __nv_llabs(long long x) { return x < 0 ? (long long)(0ull - (unsigned long long)x) : x; }
#define GICC_ORDER(suffix, type)                                                                                       \
  GICC_MATH type __nv_##suffix##min(type a, type b) { return a < b ? a : b; }                                          \
  GICC_MATH type __nv_##suffix##max(type a, type b) { return a > b ? a : b; }
GICC_ORDER(, int)
GICC_ORDER(u, unsigned)
GICC_ORDER(ll, long long)
GICC_ORDER(ull, unsigned long long)
GICC_MATH int __nv_clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
GICC_MATH int __nv_clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
GICC_MATH int __nv_ffs(int x) { return __builtin_ffs(x); }
GICC_MATH int __nv_ffsll(long long x) { return __builtin_ffsll(x); }
GICC_MATH int __nv_popc(unsigned x) { return __builtin_popcount(x); }
GICC_MATH int __nv_popcll(unsigned long long x) { return __builtin_popcountll(x); }
GICC_MATH int __nv_brev(int x) { return (int)__builtin_bitreverse32((unsigned)x); }
GICC_MATH unsigned long long __nv_brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
GICC_MATH int __nv_mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
GICC_MATH unsigned __nv_umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
GICC_MATH long long __nv_mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
GICC_MATH unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
// Each nibble of the selector names one of eight bytes; its highest bit asks for the byte's sign instead.
GICC_MATH unsigned __nv_byte_perm(unsigned low, unsigned high, unsigned selector) {
  uint64_t bytes = (uint64_t)high << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; i++) {
    unsigned nibble = selector >> (4 * i) & 15, byte = (unsigned)(bytes >> (8 * (nibble & 7))) & 255;
    if (nibble & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

// Conversions that round to the nearest.
GICC_MATH float __nv_double2float_rn(double x) { return (float)x; }
GICC_MATH float __nv_int2float_rn(int x) { return (float)x; }
GICC_MATH float __nv_uint2float_rn(unsigned x) { return (float)x; }
GICC_MATH float __nv_ll2float_rn(long long x) { return (float)x; }
GICC_MATH float __nv_ull2float_rn(unsigned long long x) { return (float)x; }
GICC_MATH double __nv_int2double_rn(int x) { return (double)x; }
GICC_MATH double __nv_uint2double_rn(unsigned x) { return (double)x; }
GICC_MATH double __nv_ll2double_rn(long long x) { return (double)x; }
GICC_MATH double __nv_ull2double_rn(unsigned long long x) { return (double)x; }

// Lengths, without overflow in between.
GICC_MATH double __nv_hypot(double x, double y);
GICC_MATH double __nv_norm3d(double a, double b, double c) { return __nv_hypot(__nv_hypot(a, b), c); }
GICC_MATH double __nv_norm4d(double a, double b, double c, double d) {
  return __nv_hypot(__nv_hypot(a, b), __nv_hypot(c, d));
}
GICC_MATH float __nv_norm3df(float a, float b, float c) { return (float)__nv_norm3d(a, b, c); }
GICC_MATH float __nv_norm4df(float a, float b, float c, float d) { return (float)__nv_norm4d(a, b, c, d); }
GICC_MATH double __nv_rnorm3d(double a, double b, double c) { return 1.0 / __nv_norm3d(a, b, c); }
GICC_MATH double __nv_rnorm4d(double a, double b, double c, double d) { return 1.0 / __nv_norm4d(a, b, c, d); }
GICC_MATH float __nv_rnorm3df(float a, float b, float c) { return (float)__nv_rnorm3d(a, b, c); }
GICC_MATH float __nv_rnorm4df(float a, float b, float c, float d) { return (float)__nv_rnorm4d(a, b, c, d); }
