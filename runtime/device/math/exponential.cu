// exp and its kin.
#include "math.cuh"

GICC_MATH double __nv_exp(double x) { return x != x ? x : exp_core(x, 0.0); }

GICC_MATH double __nv_exp2(double x) {
  if (x != x) return x;
  if (x >= 1024.0) return GICC_INF;
  if (x < -1075.0) return 0.0;
  double k = __builtin_rint(x), r = x - k;
  Pair p = exact_product(r, GICC_LN2);
  double rest = __builtin_fma(r, GICC_LN2_REST, p.lo);
  double e = 1.0 + (p.hi + __builtin_fma(p.hi * p.hi, exp_tail(p.hi), rest));
  return scale(e, (int)k);
}

GICC_MATH double __nv_exp10(double x) {
  if (x != x) return x;
  if (x > 309.0) return GICC_INF;
  if (x < -324.0) return 0.0;
  const double ln10_hi = 0x1.26bb1bbb55516p+1, ln10_lo = -0x1.f48ad494ea3e9p-53;
  Pair p = exact_product(x, ln10_hi);
  return exp_core(p.hi, __builtin_fma(x, ln10_lo, p.lo));
}

GICC_MATH double __nv_expm1(double x) {
  if (x != x) return x;
  if (x > 709.79) return GICC_INF;
  if (x < -40.0) return -1.0;
  double k = __builtin_rint(x * GICC_LOG2E);
  double hi = __builtin_fma(-k, GICC_LN2_HI, x), lo = -k * GICC_LN2_LO, r = hi + lo, correction = (hi - r) + lo;
  double tail = __builtin_fma(r * r, exp_tail(r), correction);
  if (k == 0) return x == 0 ? x : r + tail;
  // 2^k (1 + r + tail) - 1, with 2^k - 1 taken first; the largest 2^k is no double.
  if (k > 1023.0) return scale(1.0 + (r + tail), (int)k);
  double t = power_of_two((int)k);
  Pair s = exact_sum(t - 1.0, t * r);
  return s.hi + (s.lo + t * tail);
}

// exp in float: the same steps with fewer terms.
GICC_FN float exp_f(float r) {
  float q = 1.0f / 5040.0f;
  q = __builtin_fmaf(q, r, 1.0f / 720.0f);
  q = __builtin_fmaf(q, r, 1.0f / 120.0f);
  q = __builtin_fmaf(q, r, 1.0f / 24.0f);
  q = __builtin_fmaf(q, r, 1.0f / 6.0f);
  q = __builtin_fmaf(q, r, 0.5f);
  return 1.0f + __builtin_fmaf(r * r, q, r);
}

GICC_MATH float __nv_expf(float x) {
  if (x != x) return x;
  if (x > 88.73f) return __builtin_huge_valf();
  if (x < -103.98f) return 0.0f;
  float k = __builtin_rintf(x * 0x1.715476p+0f);
  float r = __builtin_fmaf(-k, 0x1.62e4p-1f, x);
  r = __builtin_fmaf(-k, 0x1.7f7d1cp-20f, r);
  return scale_f(exp_f(r), (int)k);
}

GICC_MATH float __nv_exp2f(float x) {
  if (x != x) return x;
  if (x >= 128.0f) return __builtin_huge_valf();
  if (x < -150.0f) return 0.0f;
  float k = __builtin_rintf(x), r = x - k;
  return scale_f(exp_f(r * 0x1.62e43p-1f), (int)k);
}

GICC_MATH float __nv_exp10f(float x) { return (float)__nv_exp10((double)x); }
GICC_MATH float __nv_expm1f(float x) { return (float)__nv_expm1((double)x); }
