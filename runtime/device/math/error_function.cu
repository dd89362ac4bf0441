// erf and erfc: a series for small arguments, a continued fraction for large ones. Slow, and right.
#include "math.cuh"

/// exp(-x^2), with the square's error taken along.
GICC_FN double gauss(double x) {
  Pair s = exact_product(x, x);
  return exp_core(-s.hi, -s.lo);
}

/// a / d.
GICC_FN Pair divide(Pair a, double d) {
  double q = a.hi / d;
  return fast_sum(q, (__builtin_fma(-q, d, a.hi) + a.lo) / d);
}

/// erf(x) for 0 <= x < 2: 2 / sqrt(pi) times the sum of (-1)^n x^(2n+1) / (n! (2n+1)), in two parts, since the terms cancel
/// and 1 - erf cancels again.
GICC_CORE Pair erf_series(double x) {
  Pair z = exact_product(x, x), term = {x, 0.0}, sum = {0.0, 0.0};
  z = Pair{-z.hi, -z.lo};
  for (int n = 0; n < 60 && __builtin_fabs(term.hi) > 0x1p-80 * x; n++) {
    sum = add(sum, divide(term, 2 * n + 1));
    term = divide(multiply(term, z), n + 1);
  }
  return multiply(sum, Pair{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56});
}

/// erfc(x) for x >= 2: exp(-x^2) / sqrt(pi) times 1 / (x + (1/2) / (x + 1 / (x + (3/2) / (x + …)))).
GICC_CORE double erfc_fraction(double x) {
  double t = x;
  for (int n = 60; n > 0; n--) t = x + 0.5 * n / t;
  return 0x1.20dd750429b6dp-1 * gauss(x) / t;
}

GICC_MATH double __nv_erf(double x) {
  if (x != x || x == 0) return x;
  double a = __builtin_fabs(x), r = 1.0;
  if (a < 0x1p-28) r = a * 0x1.20dd750429b6dp+0;
  else if (a < 2.0) r = erf_series(a).hi;
  else if (a < 6.0) r = 1.0 - erfc_fraction(a);
  return __builtin_copysign(r, x);
}

GICC_MATH double __nv_erfc(double x) {
  if (x != x) return x;
  if (x < -6.0) return 2.0;
  if (x <= -2.0) return 2.0 - erfc_fraction(-x);
  if (x < 2.0) {
    Pair s = __builtin_fabs(x) < 0x1p-60 ? Pair{0.0, 0.0} : erf_series(__builtin_fabs(x));
    if (x < 0) s = Pair{-s.hi, -s.lo};
    return add(Pair{1.0, 0.0}, Pair{-s.hi, -s.lo}).hi;
  }
  return x > 27.3 ? 0.0 : erfc_fraction(x);
}

GICC_MATH float __nv_erff(float x) { return (float)__nv_erf((double)x); }
GICC_MATH float __nv_erfcf(float x) { return (float)__nv_erfc((double)x); }
GICC_MATH double __nv_normcdf(double x) { return 0.5 * __nv_erfc(-x * 0x1.6a09e667f3bcdp-1); }
GICC_MATH float __nv_normcdff(float x) { return (float)__nv_normcdf((double)x); }
