// Conversions between numbers, with the four roundings; out of range they saturate, and what is no number becomes 0, as
// the GPU's own conversions do.
#include "math.cuh"

#define GICC_TO_INTEGER(name, real, integer, low, past_high, highest, rounded)                                         \
  GICC_MATH integer name(real x) {                                                                                     \
    real r = rounded;                                                                                                  \
    if (!(r >= (real)(low))) return x != x ? 0 : (integer)(low);                                                       \
    return r >= (real)(past_high) ? (integer)(highest) : (integer)r;                                                   \
  }
#define GICC_FOUR(prefix, real, f, integer, low, past_high, highest)                                                   \
  GICC_TO_INTEGER(prefix##_rn, real, integer, low, past_high, highest, __builtin_rint##f(x))                           \
  GICC_TO_INTEGER(prefix##_rz, real, integer, low, past_high, highest, __builtin_trunc##f(x))                          \
  GICC_TO_INTEGER(prefix##_rd, real, integer, low, past_high, highest, __builtin_floor##f(x))                          \
  GICC_TO_INTEGER(prefix##_ru, real, integer, low, past_high, highest, __builtin_ceil##f(x))

#define GICC_MIN32 (-2147483647 - 1)
#define GICC_MIN64 (-9223372036854775807ll - 1)
GICC_FOUR(__nv_float2int, float, f, int, GICC_MIN32, 0x1p31, 2147483647)
GICC_FOUR(__nv_float2uint, float, f, unsigned, 0, 0x1p32, 4294967295u)
GICC_FOUR(__nv_float2ll, float, f, long long, GICC_MIN64, 0x1p63, 9223372036854775807ll)
GICC_FOUR(__nv_float2ull, float, f, unsigned long long, 0, 0x1p64, 18446744073709551615ull)
GICC_FOUR(__nv_double2int, double, , int, GICC_MIN32, 0x1p31, 2147483647)
GICC_FOUR(__nv_double2uint, double, , unsigned, 0, 0x1p32, 4294967295u)
GICC_FOUR(__nv_double2ll, double, , long long, GICC_MIN64, 0x1p63, 9223372036854775807ll)
GICC_FOUR(__nv_double2ull, double, , unsigned long long, 0, 0x1p64, 18446744073709551615ull)

// To float with a rounding of choice: the nearest, moved by one where it lies on the wrong side.
GICC_MATH float __nv_nextafterf(float x, float y);
GICC_FN float down(float r, bool above) { return above ? __nv_nextafterf(r, -__builtin_huge_valf()) : r; }
GICC_FN float up(float r, bool below) { return below ? __nv_nextafterf(r, __builtin_huge_valf()) : r; }

GICC_MATH float __nv_double2float_rd(double x) { return down((float)x, (double)(float)x > x); }
GICC_MATH float __nv_double2float_ru(double x) { return up((float)x, (double)(float)x < x); }
GICC_MATH float __nv_double2float_rz(double x) { return x > 0 ? __nv_double2float_rd(x) : __nv_double2float_ru(x); }
GICC_MATH float __nv_int2float_rd(int x) { return __nv_double2float_rd((double)x); }
GICC_MATH float __nv_int2float_ru(int x) { return __nv_double2float_ru((double)x); }
GICC_MATH float __nv_int2float_rz(int x) { return __nv_double2float_rz((double)x); }
GICC_MATH float __nv_uint2float_rd(unsigned x) { return __nv_double2float_rd((double)x); }
GICC_MATH float __nv_uint2float_ru(unsigned x) { return __nv_double2float_ru((double)x); }
GICC_MATH float __nv_uint2float_rz(unsigned x) { return __nv_double2float_rz((double)x); }

// Averages and sums of differences.
GICC_MATH int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
GICC_MATH int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
GICC_MATH int __nv_uhadd(unsigned a, unsigned b) { return (int)(((unsigned long long)a + b) >> 1); }
GICC_MATH unsigned __nv_urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
GICC_MATH int __nv_sad(int a, int b, int c) {
  return (int)((a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + (unsigned)c);
}
GICC_MATH unsigned __nv_usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
GICC_MATH int __nv_mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
GICC_MATH unsigned __nv_umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
