// Remainders, exponents and parts of numbers. All exact.
#include "math.cuh"

/// x * 2^k with one rounding: the exponent is added, and a subnormal result is rounded by the last product.
GICC_MATH double __nv_ldexp(double x, int k) {
  if (x == 0 || !(__builtin_fabs(x) < GICC_INF)) return x;
  int e = (int)(bits(x) >> 52 & 0x7ff);
  if (e == 0) {
    x *= 0x1p54;
    e = (int)(bits(x) >> 52 & 0x7ff);
    k = k < -3000 ? -3000 : k - 54;
  }
  if (k > 3000) k = 3000;
  if (k < -3000) k = -3000;
  int sum = e + k;
  if (sum >= 2047) return __builtin_copysign(GICC_INF, x);
  if (sum >= 1) return from_bits((uint64_t)((bits(x) & 0x800fffffffffffffull) | (uint64_t)sum << 52));
  if (sum < -60) return __builtin_copysign(0.0, x);
  return from_bits((uint64_t)((bits(x) & 0x800fffffffffffffull) | (uint64_t)(sum + 64) << 52)) * 0x1p-64;
}
GICC_MATH float __nv_ldexpf(float x, int k) { return (float)__nv_ldexp((double)x, k); }
GICC_MATH double __nv_scalbn(double x, int k) { return __nv_ldexp(x, k); }
GICC_MATH float __nv_scalbnf(float x, int k) { return __nv_ldexpf(x, k); }

GICC_MATH double __nv_frexp(double x, int *e) {
  *e = 0;
  if (x == 0 || !(__builtin_fabs(x) < GICC_INF)) return x;
  int more = 0;
  if (__builtin_fabs(x) < 0x1p-1022) x *= 0x1p54, more = -54;
  *e = (int)(bits(x) >> 52 & 0x7ff) - 1022 + more;
  return from_bits((uint64_t)((bits(x) & 0x800fffffffffffffull) | 0x3fe0000000000000ull));
}
GICC_MATH float __nv_frexpf(float x, int *e) { return (float)__nv_frexp((double)x, e); }

GICC_MATH int __nv_ilogb(double x) {
  if (x == 0) return -2147483647 - 1;
  if (!(__builtin_fabs(x) < GICC_INF)) return x != x ? -2147483647 - 1 : 2147483647;
  int e;
  __nv_frexp(x, &e);
  return e - 1;
}
GICC_MATH int __nv_ilogbf(float x) { return __nv_ilogb((double)x); }
GICC_MATH double __nv_logb(double x) {
  if (x == 0) return -GICC_INF;
  if (!(__builtin_fabs(x) < GICC_INF)) return x * x;
  return (double)__nv_ilogb(x);
}
GICC_MATH float __nv_logbf(float x) { return (float)__nv_logb((double)x); }

GICC_MATH double __nv_modf(double x, double *whole) {
  *whole = __builtin_trunc(x);
  double rest = __builtin_fabs(x) == GICC_INF ? 0.0 : x - *whole;
  return x != x ? x : __builtin_copysign(rest, x);
}
GICC_MATH float __nv_modff(float x, float *whole) {
  *whole = __builtin_truncf(x);
  float rest = __builtin_fabsf(x) == __builtin_huge_valf() ? 0.0f : x - *whole;
  return x != x ? x : __builtin_copysignf(rest, x);
}

/// The remainder of two whole numbers m * 2^e, as integers: the quotient's bits are found one after the other.
GICC_CORE double remainder_of(double a, double b, bool &odd) {
  odd = false;
  if (a < b) return a;
  int ea, eb;
  uint64_t ma = (uint64_t)(__nv_frexp(a, &ea) * 0x1p53), mb = (uint64_t)(__nv_frexp(b, &eb) * 0x1p53);
  for (int k = ea - eb; k >= 0; k--) {
    odd = ma >= mb;
    if (odd) ma -= mb;
    if (k > 0) ma <<= 1;
  }
  return __nv_ldexp((double)ma, eb - 53);
}

GICC_MATH double __nv_fmod(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (!(a < GICC_INF) || b != b || b == 0) return GICC_NAN;
  bool odd;
  return __builtin_copysign(b == GICC_INF ? a : remainder_of(a, b, odd), x);
}
GICC_MATH float __nv_fmodf(float x, float y) { return (float)__nv_fmod((double)x, (double)y); }

GICC_MATH double __nv_remainder(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (!(a < GICC_INF) || b != b || b == 0) return GICC_NAN;
  if (b == GICC_INF) return x;
  bool odd;
  double r = remainder_of(a, b, odd), other = b - r;
  // To the nearer multiple, and to the even one of two.
  if (r > other || (r == other && odd)) r = -other;
  return __builtin_signbit(x) ? -r : r;
}
GICC_MATH float __nv_remainderf(float x, float y) { return (float)__nv_remainder((double)x, (double)y); }

GICC_MATH double __nv_fdim(double x, double y) { return x != x || y != y ? GICC_NAN : x > y ? x - y : 0.0; }
GICC_MATH float __nv_fdimf(float x, float y) { return x != x || y != y ? __builtin_nanf("") : x > y ? x - y : 0.0f; }

GICC_MATH double __nv_nextafter(double x, double y) {
  if (x != x || y != y) return GICC_NAN;
  if (x == y) return y;
  if (x == 0) return __builtin_copysign(0x1p-1074, y);
  return from_bits((x < y) == (x > 0) ? bits(x) + 1 : bits(x) - 1);
}
GICC_MATH float __nv_nextafterf(float x, float y) {
  if (x != x || y != y) return __builtin_nanf("");
  if (x == y) return y;
  if (x == 0) return __builtin_copysignf(0x1p-149f, y);
  return from_bits((x < y) == (x > 0) ? bits(x) + 1 : bits(x) - 1);
}

GICC_MATH long long __nv_llround(double x) { return (long long)__builtin_round(x); }
GICC_MATH long long __nv_llroundf(float x) { return (long long)__builtin_roundf(x); }
GICC_MATH long long __nv_llrint(double x) { return (long long)__builtin_rint(x); }
GICC_MATH long long __nv_llrintf(float x) { return (long long)__builtin_rintf(x); }
