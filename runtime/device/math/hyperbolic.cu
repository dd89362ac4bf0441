// sinh, cosh, tanh and their inverses, by exponentials and logarithms.
#include "math.cuh"

GICC_MATH double __nv_expm1(double x);
GICC_MATH double __nv_log1p(double x);

GICC_MATH double __nv_sinh(double x) {
  if (x != x) return x;
  double a = __builtin_fabs(x), r;
  if (a < 0x1p-28) return x;
  if (a < 22.0) {
    double t = __nv_expm1(a);
    r = 0.5 * (t + t / (t + 1.0));
  } else {
    double h = exp_core(0.5 * a, 0.0);
    r = 0.5 * h * h;
  }
  return __builtin_copysign(r, x);
}

GICC_MATH double __nv_cosh(double x) {
  if (x != x) return x;
  double a = __builtin_fabs(x);
  if (a < 22.0) {
    double e = exp_core(a, 0.0);
    return 0.5 * e + 0.5 / e;
  }
  double h = exp_core(0.5 * a, 0.0);
  return 0.5 * h * h;
}

GICC_MATH double __nv_tanh(double x) {
  if (x != x) return x;
  double a = __builtin_fabs(x), r;
  if (a < 0x1p-28) return x;
  if (a > 22.0) r = 1.0;
  else {
    double t = __nv_expm1(2.0 * a);
    r = a >= 1.0 ? 1.0 - 2.0 / (t + 2.0) : t / (t + 2.0);
  }
  return __builtin_copysign(r, x);
}

GICC_MATH double __nv_asinh(double x) {
  if (x != x) return x;
  double a = __builtin_fabs(x), r;
  if (a < 0x1p-28 || a == GICC_INF) return x;
  if (a > 0x1p28) r = log_core(a) + GICC_LN2;
  else r = __nv_log1p(a + a * a / (1.0 + __builtin_sqrt(a * a + 1.0)));
  return __builtin_copysign(r, x);
}

GICC_MATH double __nv_acosh(double x) {
  if (!(x >= 1.0)) return GICC_NAN;
  if (x == GICC_INF) return x;
  if (x > 0x1p28) return log_core(x) + GICC_LN2;
  double t = x - 1.0;
  return __nv_log1p(t + __builtin_sqrt(2.0 * t + t * t));
}

GICC_MATH double __nv_atanh(double x) {
  double a = __builtin_fabs(x);
  if (!(a <= 1.0)) return GICC_NAN;
  if (a < 0x1p-28) return x;
  double r = a < 0.5 ? 0.5 * __nv_log1p(2.0 * a + 2.0 * a * a / (1.0 - a)) : 0.5 * __nv_log1p(2.0 * a / (1.0 - a));
  return __builtin_copysign(r, x);
}

GICC_MATH float __nv_sinhf(float x) { return (float)__nv_sinh((double)x); }
GICC_MATH float __nv_coshf(float x) { return (float)__nv_cosh((double)x); }
GICC_MATH float __nv_asinhf(float x) { return (float)__nv_asinh((double)x); }
GICC_MATH float __nv_acoshf(float x) { return (float)__nv_acosh((double)x); }
GICC_MATH float __nv_atanhf(float x) { return (float)__nv_atanh((double)x); }

GICC_MATH float __nv_expf(float x);

// In float: 1 - 2 / (exp(2a) + 1), and near zero, where that cancels, the odd series of tanh as a quotient of two short
// polynomials (the continued fraction a / (1 + a^2 / (3 + a^2 / (5 + a^2 / (7 + a^2 / 9))))).
GICC_MATH float __nv_tanhf(float x) {
  if (x != x) return x;
  float a = __builtin_fabsf(x), r;
  if (a > 9.02f) r = 1.0f;
  else if (a >= 0.6f) r = 1.0f - 2.0f / (__nv_expf(2.0f * a) + 1.0f);
  else {
    float z = a * a;
    float q = 5.0f + z / (7.0f + z * (1.0f / 9.0f));
    // a / (1 + z / d) as a less a small part of it.
    float d = 3.0f + z / q;
    r = a - a * (z / (d + z));
  }
  return __builtin_copysignf(r, x);
}
