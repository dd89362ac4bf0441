// pow, roots, hypot.
#include "math.cuh"

/// log(x) for a positive, finite x, with about 68 bits.
GICC_FN Pair log_pair(double x) {
  int e;
  double f = fraction(x, e), k = e;
  Pair d = exact_sum(2.0, f);
  double s0 = f / d.hi;
  Pair s = fast_sum(s0, (__builtin_fma(-s0, d.hi, f) - s0 * d.lo) / d.hi);
  Pair z = multiply(s, s);
  // 2 s (1 + z/3 + z^2/5 + …): the first two terms in two parts, the rest is small.
  Pair cube = multiply(multiply(s, z), Pair{0x1.5555555555555p-1, 0x1.5555555555555p-55});
  double q = z.hi * z.hi * log_rest(z.hi);
  Pair r = add(Pair{2.0 * s.hi, 2.0 * s.lo}, cube);
  r = add(r, Pair{s.hi * q, 0.0});
  Pair scaled = exact_product(k, GICC_LN2_HI);
  return add(fast_sum(scaled.hi, k * GICC_LN2_LO), r);
}

/// x^y for a positive, finite x and any y that is a number.
GICC_FN double pow_core(double x, double y) {
  Pair l = log_pair(x);
  // Past these the answer is 0 or infinity, whatever the logarithm's low part.
  double rough = y * l.hi;
  if (rough > 710.0) return GICC_INF;
  if (rough < -746.0) return 0.0;
  Pair p = exact_product(y, l.hi);
  return exp_core(p.hi, __builtin_fma(y, l.lo, p.lo));
}

/// 0: y is no whole number; 1: odd; 2: even.
GICC_FN int parity(double y) {
  double a = __builtin_fabs(y);
  if (a >= 0x1p53) return 2;
  if (__builtin_trunc(a) != a) return 0;
  return (int64_t)a & 1 ? 1 : 2;
}

/// Where x^y needs no logarithm; true where it is one of those. Else sign: what the result is to be multiplied by.
GICC_FN bool pow_special(double x, double y, double &result, double &sign) {
  sign = 1.0;
  if (y == 0 || x == 1.0) return result = 1.0, true;
  if (x != x || y != y) return result = x + y, true;
  double a = __builtin_fabs(x);
  int whole = y == GICC_INF || y == -GICC_INF ? 2 : parity(y);
  if (y == GICC_INF || y == -GICC_INF) {
    if (a == 1.0) return result = 1.0, true;
    return result = (a > 1.0) == (y > 0) ? GICC_INF : 0.0, true;
  }
  if (__builtin_signbit(x) && whole == 1) sign = -1.0;
  if (a == 0 || a == GICC_INF) return result = sign * ((a == 0) == (y > 0) ? 0.0 : GICC_INF), true;
  if (x < 0 && whole == 0) return result = GICC_NAN, true;
  return false;
}

GICC_MATH double __nv_pow(double x, double y) {
  double result, sign;
  if (pow_special(x, y, result, sign)) return result;
  return sign * pow_core(__builtin_fabs(x), y);
}

GICC_MATH float __nv_powf(float x, float y) {
  double result, sign;
  if (pow_special((double)x, (double)y, result, sign)) return (float)result;
  double p = (double)y * log_core((double)__builtin_fabsf(x));
  return (float)(sign * exp_core(p, 0.0));
}

GICC_MATH double __nv_powi(double x, int n) { return __nv_pow(x, (double)n); }
GICC_MATH float __nv_powif(float x, int n) { return __nv_powf(x, (float)n); }

GICC_MATH double __nv_cbrt(double x) {
  if (x == 0 || !(__builtin_fabs(x) < GICC_INF)) return x;
  double a = __builtin_fabs(x), down = 1.0;
  if (a < 0x1p-1000) a *= 0x1p162, down = 0x1p-54;
  double r = exp_core(log_core(a) / 3.0, 0.0);
  // One step of Newton's, with the error of the cube in full.
  Pair square = exact_product(r, r);
  Pair cube = multiply(square, Pair{r, 0.0});
  r = r - ((cube.hi - a) + cube.lo) / (3.0 * square.hi);
  return __builtin_copysign(r * down, x);
}
GICC_MATH float __nv_cbrtf(float x) { return (float)__nv_cbrt((double)x); }
GICC_MATH double __nv_rcbrt(double x) { return 1.0 / __nv_cbrt(x); }
GICC_MATH float __nv_rcbrtf(float x) { return (float)(1.0 / __nv_cbrt((double)x)); }
GICC_MATH double __nv_rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
GICC_MATH float __nv_rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }

GICC_MATH double __nv_hypot(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (a == GICC_INF || b == GICC_INF) return GICC_INF;
  if (a != a || b != b) return GICC_NAN;
  if (a < b) {
    double t = a;
    a = b;
    b = t;
  }
  if (b == 0) return a;
  double up = 1.0;
  if (a > 0x1p500) a *= 0x1p-600, b *= 0x1p-600, up = 0x1p600;
  else if (b < 0x1p-450) a *= 0x1p600, b *= 0x1p600, up = 0x1p-600;
  if (b < a * 0x1p-54) return a * up;
  Pair s = exact_product(a, a), t = exact_product(b, b), sum = add(s, t);
  double r = __builtin_sqrt(sum.hi);
  r += (__builtin_fma(-r, r, sum.hi) + sum.lo) / (2.0 * r);
  return r * up;
}
GICC_MATH float __nv_hypotf(float x, float y) {
  float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
  if (a == __builtin_huge_valf() || b == __builtin_huge_valf()) return __builtin_huge_valf();
  return (float)__builtin_sqrt((double)a * a + (double)b * b);
}
GICC_MATH double __nv_rhypot(double x, double y) { return 1.0 / __nv_hypot(x, y); }
GICC_MATH float __nv_rhypotf(float x, float y) { return (float)(1.0 / __nv_hypot((double)x, (double)y)); }
