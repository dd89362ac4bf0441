// atan and its kin: a table of arctangents of eighths, and Taylor's series for the small rest.
#include "math.cuh"

/// atan(i / 8) in two parts.
GICC_TABLE double atan_hi[9] = {0.0,
                                0x1.fd5ba9aac2f6ep-4,
                                0x1.f5b75f92c80ddp-3,
                                0x1.6f61941e4def1p-2,
                                0x1.dac670561bb4fp-2,
                                0x1.1e00babdefeb4p-1,
                                0x1.4978fa3269ee1p-1,
                                0x1.700a7c5784634p-1,
                                0x1.921fb54442d18p-1};
GICC_TABLE double atan_lo[9] = {0.0,
                                -0x1.cd37686760c17p-59,
                                0x1.8ab6e3cf7afbdp-57,
                                -0x1.c63aae6f6e918p-56,
                                0x1.a2b7f222f65e2p-56,
                                -0x1.928df287a668fp-58,
                                0x1.2419a87f2a458p-56,
                                -0x1.8c34d25aadef6p-56,
                                0x1.1a62633145c07p-55};

#define GICC_PI_HI 0x1.921fb54442d18p+1
#define GICC_PI_LO 0x1.1a62633145c07p-53
#define GICC_PIO2_HI 0x1.921fb54442d18p+0
#define GICC_PIO2_LO 0x1.1a62633145c07p-54

/// atan(t + rest) for t from 0 to 1, in two parts.
GICC_FN Pair atan_core(double t, double rest) {
  int i = (int)__builtin_rint(t * 8.0);
  double c = i * 0.125;
  double u = ((t - c) + rest) / __builtin_fma(t, c, 1.0), z = u * u;
  double q = 1.0 / 17;
  q = __builtin_fma(q, z, -1.0 / 15);
  q = __builtin_fma(q, z, 1.0 / 13);
  q = __builtin_fma(q, z, -1.0 / 11);
  q = __builtin_fma(q, z, 1.0 / 9);
  q = __builtin_fma(q, z, -1.0 / 7);
  q = __builtin_fma(q, z, 1.0 / 5);
  q = __builtin_fma(q, z, -1.0 / 3);
  Pair s = fast_sum(atan_hi[i], u);
  return {s.hi, s.lo + __builtin_fma(u * z, q, atan_lo[i])};
}

/// The angle of (x, y), both positive or zero and not both zero, in two parts.
GICC_FN Pair angle(double y, double x) {
  bool swap = y > x;
  double small = swap ? x : y, large = swap ? y : x;
  // Neither the quotient's error nor its remainder may leave the range of doubles.
  if (large > 0x1p1000) small *= 0x1p-100, large *= 0x1p-100;
  if (large < 0x1p-900) small *= 0x1p120, large *= 0x1p120;
  double t = small / large;
  double rest = t < 0x1p-600 ? 0.0 : __builtin_fma(-t, large, small) / large;
  Pair a = atan_core(t, rest);
  if (!swap) return a;
  Pair s = fast_sum(GICC_PIO2_HI, -a.hi);
  return {s.hi, s.lo + (GICC_PIO2_LO - a.lo)};
}

GICC_MATH double __nv_atan(double x) {
  if (x != x || x == 0) return x;
  double a = __builtin_fabs(x);
  if (a == GICC_INF) return __builtin_copysign(GICC_PIO2_HI, x);
  Pair r = angle(a, 1.0);
  return __builtin_copysign(r.hi + r.lo, x);
}

GICC_MATH double __nv_atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
  Pair r;
  if (ay == 0) r = {0.0, 0.0};
  else if (ax == 0) r = {GICC_PIO2_HI, GICC_PIO2_LO};
  else if (ax == GICC_INF && ay == GICC_INF) r = {0.5 * GICC_PIO2_HI, 0.5 * GICC_PIO2_LO};
  else if (ay == GICC_INF) r = {GICC_PIO2_HI, GICC_PIO2_LO};
  else if (ax == GICC_INF) r = {0.0, 0.0};
  else r = angle(ay, ax);
  if (__builtin_signbit(x)) {
    Pair s = fast_sum(GICC_PI_HI, -r.hi);
    r = {s.hi, s.lo + (GICC_PI_LO - r.lo)};
  }
  return __builtin_copysign(r.hi + r.lo, y);
}

GICC_MATH double __nv_asin(double x) {
  double a = __builtin_fabs(x);
  if (!(a <= 1.0)) return GICC_NAN;
  if (a < 0x1p-27) return x;
  return __nv_atan2(x, __builtin_sqrt((1.0 - a) * (1.0 + a)));
}

GICC_MATH double __nv_acos(double x) {
  double a = __builtin_fabs(x);
  if (!(a <= 1.0)) return GICC_NAN;
  return __nv_atan2(__builtin_sqrt((1.0 - a) * (1.0 + a)), x);
}

GICC_MATH float __nv_atanf(float x) { return (float)__nv_atan((double)x); }
GICC_MATH float __nv_atan2f(float y, float x) { return (float)__nv_atan2((double)y, (double)x); }
GICC_MATH float __nv_asinf(float x) { return (float)__nv_asin((double)x); }
GICC_MATH float __nv_acosf(float x) { return (float)__nv_acos((double)x); }
