// log and its kin.
#include "math.cuh"

GICC_MATH double __nv_log(double x) {
  double special;
  return log_special(x, special) ? special : log_core(x);
}

GICC_MATH double __nv_log2(double x) {
  double special;
  if (log_special(x, special)) return special;
  int e;
  double f = fraction(x, e), s = f / (2.0 + f), half = 0.5 * f * f;
  // log(1 + f) as f and a rest, each times 1 / ln 2 in two parts.
  double rest = s * (half + log_tail(s * s)) - half;
  const double hi = 0x1.71547652b82fep+0, lo = 0x1.777d0ffda0d24p-56;
  Pair p = exact_product(f, hi);
  Pair q = exact_sum((double)e, p.hi);
  return q.hi + (q.lo + (p.lo + __builtin_fma(rest, hi, (f + rest) * lo)));
}

GICC_MATH double __nv_log10(double x) {
  double special;
  if (log_special(x, special)) return special;
  int e;
  double f = fraction(x, e), s = f / (2.0 + f), half = 0.5 * f * f, k = e;
  double rest = s * (half + log_tail(s * s)) - half;
  const double hi = 0x1.bcb7b1526e50ep-2, lo = 0x1.95355baaafad3p-57;
  Pair p = exact_product(f, hi);
  Pair q = exact_sum(k * 0x1.34413508p-2, p.hi);
  return q.hi + (q.lo + (p.lo + __builtin_fma(rest, hi, (f + rest) * lo) + k * 0x1.f79fef311f12bp-34));
}

GICC_MATH double __nv_log1p(double x) {
  if (x != x || x == GICC_INF) return x;
  if (x <= -1.0) return x == -1.0 ? -GICC_INF : GICC_NAN;
  double u = 1.0 + x;
  if (u == 1.0) return x;
  // What the sum lost comes back as the first term of the series.
  double lost = x >= 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
  if (u > 0x1.6a09e667f3bcdp-1 && u < 0x1.6a09e667f3bcdp+0) {
    double s = x / (2.0 + x), half = 0.5 * x * x;
    return x - (half - s * (half + log_tail(s * s)));
  }
  return log_core(u) + lost / u;
}

GICC_MATH float __nv_logf(float x) {
  if (!(x > 0.0f && x < __builtin_huge_valf()))
    return x == 0.0f ? -__builtin_huge_valf() : x < 0.0f ? __builtin_nanf("") : x;
  uint32_t b = bits(x);
  int more = 0;
  if (b < 0x00800000u) {
    b = bits(x * 0x1p25f);
    more = -25;
  }
  b += 0x3f800000u - 0x3f3504f3u;
  float k = (float)((int)(b >> 23) - 127 + more);
  float f = from_bits((b & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  float s = f / (2.0f + f), z = s * s, half = 0.5f * f * f;
  float q = 2.0f / 11;
  q = __builtin_fmaf(q, z, 2.0f / 9);
  q = __builtin_fmaf(q, z, 2.0f / 7);
  q = __builtin_fmaf(q, z, 2.0f / 5);
  q = __builtin_fmaf(q, z, 2.0f / 3);
  return k * 0x1.62e4p-1f - ((half - (s * (half + q * z) + k * 0x1.7f7d1cp-20f)) - f);
}

GICC_MATH float __nv_log2f(float x) { return (float)__nv_log2((double)x); }
GICC_MATH float __nv_log10f(float x) { return (float)__nv_log10((double)x); }
GICC_MATH float __nv_log1pf(float x) { return (float)__nv_log1p((double)x); }
