// What the mathematical functions share. They stand in for NVIDIA's libdevice where it is not found: same names, plain
// C++ over LLVM's own operations, so that they serve every target, and can be tested on the host against its library.
// No operation is contracted or reassociated: several steps rely on the rounding of each.
#pragma once

#include <stdint.h>

#ifdef __CUDA__
#define GICC_MATH extern "C" __device__
#define GICC_FN static inline __device__ __attribute__((always_inline))
// Only for what would bloat every caller.
#define GICC_CORE static __device__ __attribute__((noinline, unused))
#define GICC_TABLE static __constant__ const
#else
#define GICC_MATH extern "C"
#define GICC_FN static inline __attribute__((always_inline))
#define GICC_CORE static __attribute__((noinline, unused))
#define GICC_TABLE static const
#endif

#pragma clang fp contract(off) reassociate(off)

#define GICC_INF __builtin_huge_val()
#define GICC_NAN __builtin_nan("")

GICC_FN uint64_t bits(double x) { return __builtin_bit_cast(uint64_t, x); }
GICC_FN double from_bits(uint64_t b) { return __builtin_bit_cast(double, b); }
GICC_FN uint32_t bits(float x) { return __builtin_bit_cast(uint32_t, x); }
GICC_FN float from_bits(uint32_t b) { return __builtin_bit_cast(float, b); }

/// 2^k for a k that gives a normal number.
GICC_FN double power_of_two(int k) { return from_bits((uint64_t)(k + 1023) << 52); }
GICC_FN float power_of_two_f(int k) { return from_bits((uint32_t)(k + 127) << 23); }

/// x * 2^k with one rounding for x near 1 and k within the exponents of double and its subnormals.
GICC_FN double scale(double x, int k) {
  int half = k / 2;
  return x * power_of_two(half) * power_of_two(k - half);
}
GICC_FN float scale_f(float x, int k) {
  int half = k / 2;
  return x * power_of_two_f(half) * power_of_two_f(k - half);
}

/// A number as the unevaluated sum of two: about 106 bits.
struct Pair {
  double hi, lo;
};

/// The exact sum; |a| >= |b|, or either is 0.
GICC_FN Pair fast_sum(double a, double b) {
  double s = a + b;
  return {s, b - (s - a)};
}
/// The exact sum.
GICC_FN Pair exact_sum(double a, double b) {
  double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
/// The exact product.
GICC_FN Pair exact_product(double a, double b) {
  double p = a * b;
  return {p, __builtin_fma(a, b, -p)};
}
GICC_FN Pair add(Pair a, Pair b) {
  Pair s = exact_sum(a.hi, b.hi);
  return fast_sum(s.hi, s.lo + (a.lo + b.lo));
}
GICC_FN Pair multiply(Pair a, Pair b) {
  Pair p = exact_product(a.hi, b.hi);
  return fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/// ln 2 in two parts, the first with so few bits that its product with an exponent is exact.
#define GICC_LN2_HI 0x1.62e42feep-1
#define GICC_LN2_LO 0x1.a39ef35793c76p-33
#define GICC_LN2 0x1.62e42fefa39efp-1
#define GICC_LN2_REST 0x1.abc9e3b39803fp-56
#define GICC_LOG2E 0x1.71547652b82fep+0

/// (exp(r) - 1 - r) / r^2 for |r| <= 0.35: Taylor's series, whose next term is below 2^-55 of exp(r).
GICC_FN double exp_tail(double r) {
  double q = 1.0 / 6227020800.0;
  q = __builtin_fma(q, r, 1.0 / 479001600.0);
  q = __builtin_fma(q, r, 1.0 / 39916800.0);
  q = __builtin_fma(q, r, 1.0 / 3628800.0);
  q = __builtin_fma(q, r, 1.0 / 362880.0);
  q = __builtin_fma(q, r, 1.0 / 40320.0);
  q = __builtin_fma(q, r, 1.0 / 5040.0);
  q = __builtin_fma(q, r, 1.0 / 720.0);
  q = __builtin_fma(q, r, 1.0 / 120.0);
  q = __builtin_fma(q, r, 1.0 / 24.0);
  q = __builtin_fma(q, r, 1.0 / 6.0);
  return __builtin_fma(q, r, 0.5);
}

/// exp(x + rest) for any x that is a number; rest is small beside x.
GICC_FN double exp_core(double x, double rest) {
  if (x > 709.79) return GICC_INF;
  if (x < -745.14) return 0.0;
  double k = __builtin_rint(x * GICC_LOG2E);
  double hi = __builtin_fma(-k, GICC_LN2_HI, x), lo = __builtin_fma(-k, GICC_LN2_LO, rest), r = hi + lo;
  double correction = (hi - r) + lo;
  double e = 1.0 + (r + (__builtin_fma(r * r, exp_tail(r), correction)));
  return scale(e, (int)k);
}

/// What a positive, finite x is made of: x = 2^e * (1 + f) with 1 + f between the square roots of 1/2 and 2.
GICC_FN double fraction(double x, int &e) {
  uint64_t b = bits(x);
  int more = 0;
  if (b < 0x0010000000000000ull) {
    b = bits(x * 0x1p54);
    more = -54;
  }
  b += 0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull;
  e = (int)(b >> 52) - 1023 + more;
  b = (b & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull;
  return from_bits(b) - 1.0;
}

/// 2/5 + 2/7 z + 2/9 z^2 + …: what comes behind the first two terms of log((1 + s) / (1 - s)) / s, z = s^2.
GICC_FN double log_rest(double z) {
  double q = 2.0 / 23;
  q = __builtin_fma(q, z, 2.0 / 21);
  q = __builtin_fma(q, z, 2.0 / 19);
  q = __builtin_fma(q, z, 2.0 / 17);
  q = __builtin_fma(q, z, 2.0 / 15);
  q = __builtin_fma(q, z, 2.0 / 13);
  q = __builtin_fma(q, z, 2.0 / 11);
  q = __builtin_fma(q, z, 2.0 / 9);
  q = __builtin_fma(q, z, 2.0 / 7);
  return __builtin_fma(q, z, 2.0 / 5);
}

/// 2 (z/3 + z^2/5 + …), so that log(1 + f) = f - f^2/2 + s (f^2/2 + this) with s = f / (2 + f), z = s^2.
GICC_FN double log_tail(double z) { return z * __builtin_fma(z, log_rest(z), 2.0 / 3); }

/// log(1 + f) for f as `fraction` gives it.
GICC_FN double log_fraction(double f) {
  double s = f / (2.0 + f), half = 0.5 * f * f;
  return f - (half - s * (half + log_tail(s * s)));
}

/// log(x) for a positive, finite x.
GICC_FN double log_core(double x) {
  int e;
  double f = fraction(x, e), k = e;
  double s = f / (2.0 + f), half = 0.5 * f * f, tail = s * (half + log_tail(s * s));
  return k * GICC_LN2_HI - ((half - (tail + k * GICC_LN2_LO)) - f);
}

/// The logarithm's answer where x is not positive and finite; true where it is one of those.
GICC_FN bool log_special(double x, double &result) {
  if (x > 0 && x < GICC_INF) return false;
  result = x == 0 ? -GICC_INF : x < 0 ? GICC_NAN : x;
  return true;
}
