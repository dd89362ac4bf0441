// sin, cos, tan and their kin: reduction to a quarter of pi around a multiple of pi/2, then Taylor's series.
#include "math.cuh"

/// 2 / pi behind the binary point, most significant first.
GICC_TABLE uint64_t two_over_pi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

#define GICC_PIO2_HI 0x1.921fb54442d18p+0
#define GICC_PIO2_LO 0x1.1a62633145c07p-54

/// 64 bits of 2 / pi from bit `at` on; bits before the binary point are zero.
GICC_FN uint64_t bits_of_two_over_pi(int at) {
  if (at <= -64) return 0;
  if (at < 0) return two_over_pi[0] >> -at;
  int word = at / 64, shift = at % 64;
  if (word >= 19) return 0;
  return shift == 0 ? two_over_pi[word] : two_over_pi[word] << shift | two_over_pi[word + 1] >> (64 - shift);
}

/// x = quadrant * pi/2 + r for a large positive x: the digits of x / (pi/2) that matter, by integers (Payne and Hanek's way).
GICC_CORE Pair reduce_large(double x, int &quadrant) {
  uint64_t b = bits(x);
  int e = (int)(b >> 52 & 0x7ff) - 1075;
  uint64_t m = (b & 0x000fffffffffffffull) | 0x0010000000000000ull;
  // Digits of weight 4 and more do not matter; 192 digits from there on.
  uint64_t w2 = bits_of_two_over_pi(e - 2), w1 = bits_of_two_over_pi(e + 62), w0 = bits_of_two_over_pi(e + 126);
  unsigned __int128 p0 = (unsigned __int128)m * w0;
  unsigned __int128 p1 = (unsigned __int128)m * w1 + (uint64_t)(p0 >> 64);
  uint64_t middle = (uint64_t)p1, low = (uint64_t)p0, high = m * w2 + (uint64_t)(p1 >> 64);
  // high:middle:low is the product modulo 4, its two first bits the whole part.
  quadrant = (int)(high >> 62);
  high = high << 2 | middle >> 62;
  middle = middle << 2 | low >> 62;
  bool negative = high >> 63;
  if (negative) {
    quadrant++;
    high = ~high;
    middle = ~middle;
  }
  // The fraction, below a half, as two doubles.
  if (high == 0) {
    high = middle;
    middle = 0;
    double tiny = (double)high * 0x1p-128;
    return exact_product(negative ? -tiny : tiny, GICC_PIO2_HI);
  }
  int zeros = __builtin_clzll(high);
  if (zeros > 0) {
    high = high << zeros | middle >> (64 - zeros);
    middle <<= zeros;
  }
  double unit = power_of_two(-64 - zeros);
  double hi = (double)(high >> 11) * 2048.0 * unit;
  double lo = ((double)(high & 2047) + (double)(middle >> 11) * 0x1p-53) * unit;
  if (negative) hi = -hi, lo = -lo;
  Pair f = fast_sum(hi, lo);
  Pair r = exact_product(f.hi, GICC_PIO2_HI);
  return fast_sum(r.hi, r.lo + (f.hi * GICC_PIO2_LO + f.lo * GICC_PIO2_HI));
}

/// x = quadrant * pi/2 + r for a finite x.
GICC_FN Pair reduce(double x, int &quadrant) {
  if (__builtin_fabs(x) < 0x1p19) {
    // pi/2 in three parts, of which two have so few bits that their products with k are exact.
    double k = __builtin_rint(x * 0x1.45f306dc9c883p-1);
    quadrant = (int)k;
    double t = __builtin_fma(-k, 0x1.921fbp+0, x);
    Pair a = exact_sum(t, -k * 0x1.5110bp-22);
    Pair c = exact_product(k, 0x1.18469898cc517p-44);
    Pair s = exact_sum(a.hi, -c.hi);
    return fast_sum(s.hi, s.lo + (a.lo - c.lo));
  }
  Pair r = reduce_large(__builtin_fabs(x), quadrant);
  if (x < 0) quadrant = -quadrant, r.hi = -r.hi, r.lo = -r.lo;
  return r;
}

GICC_FN double sin_core(Pair r) {
  double z = r.hi * r.hi, q = 1.0 / 355687428096000.0;
  q = __builtin_fma(q, z, -1.0 / 1307674368000.0);
  q = __builtin_fma(q, z, 1.0 / 6227020800.0);
  q = __builtin_fma(q, z, -1.0 / 39916800.0);
  q = __builtin_fma(q, z, 1.0 / 362880.0);
  q = __builtin_fma(q, z, -1.0 / 5040.0);
  q = __builtin_fma(q, z, 1.0 / 120.0);
  q = __builtin_fma(q, z, -1.0 / 6.0);
  return r.hi + __builtin_fma(r.hi * z, q, r.lo * (1.0 - 0.5 * z));
}

GICC_FN double cos_core(Pair r) {
  double z = r.hi * r.hi, q = -1.0 / 6402373705728000.0;
  q = __builtin_fma(q, z, 1.0 / 20922789888000.0);
  q = __builtin_fma(q, z, -1.0 / 87178291200.0);
  q = __builtin_fma(q, z, 1.0 / 479001600.0);
  q = __builtin_fma(q, z, -1.0 / 3628800.0);
  q = __builtin_fma(q, z, 1.0 / 40320.0);
  q = __builtin_fma(q, z, -1.0 / 720.0);
  q = __builtin_fma(q, z, 1.0 / 24.0);
  double half = 0.5 * z, w = 1.0 - half;
  return w + (((1.0 - w) - half) + __builtin_fma(z * z, q, -r.hi * r.lo));
}

/// sin and cos of any x.
GICC_CORE void both(double x, double *s, double *c) {
  if (!(__builtin_fabs(x) < GICC_INF)) {
    *s = *c = GICC_NAN;
    return;
  }
  int quadrant;
  Pair r = reduce(x, quadrant);
  double a = sin_core(r), b = cos_core(r);
  if (x == 0) a = x;
  double sine = quadrant & 1 ? b : a, cosine = quadrant & 1 ? a : b;
  *s = quadrant & 2 ? -sine : sine;
  *c = (quadrant + 1) & 2 ? -cosine : cosine;
}

GICC_MATH void __nv_sincos(double x, double *s, double *c) { both(x, s, c); }
GICC_MATH double __nv_sin(double x) {
  double s, c;
  both(x, &s, &c);
  return s;
}
GICC_MATH double __nv_cos(double x) {
  double s, c;
  both(x, &s, &c);
  return c;
}
GICC_MATH double __nv_tan(double x) {
  double s, c;
  both(x, &s, &c);
  return s / c;
}

// In float the reduction is in double, the series in float.
GICC_FN void both_f(float x, float *s, float *c) {
  if (!(__builtin_fabsf(x) < __builtin_huge_valf())) {
    *s = *c = __builtin_nanf("");
    return;
  }
  int quadrant;
  float r;
  if (__builtin_fabsf(x) < 0x1p19f) {
    double k = __builtin_rint((double)x * 0x1.45f306dc9c883p-1);
    quadrant = (int)k;
    r = (float)__builtin_fma(-k, GICC_PIO2_LO, __builtin_fma(-k, GICC_PIO2_HI, (double)x));
  } else {
    r = (float)reduce((double)x, quadrant).hi;
  }
  float z = r * r;
  float p = 1.0f / 362880.0f;
  p = __builtin_fmaf(p, z, -1.0f / 5040.0f);
  p = __builtin_fmaf(p, z, 1.0f / 120.0f);
  p = __builtin_fmaf(p, z, -1.0f / 6.0f);
  float a = __builtin_fmaf(r * z, p, r);
  float q = -1.0f / 3628800.0f;
  q = __builtin_fmaf(q, z, 1.0f / 40320.0f);
  q = __builtin_fmaf(q, z, -1.0f / 720.0f);
  q = __builtin_fmaf(q, z, 1.0f / 24.0f);
  float half = 0.5f * z, w = 1.0f - half;
  float b = w + (((1.0f - w) - half) + z * z * q);
  if (x == 0) a = x;
  float sine = quadrant & 1 ? b : a, cosine = quadrant & 1 ? a : b;
  *s = quadrant & 2 ? -sine : sine;
  *c = (quadrant + 1) & 2 ? -cosine : cosine;
}

GICC_MATH void __nv_sincosf(float x, float *s, float *c) { both_f(x, s, c); }
GICC_MATH float __nv_sinf(float x) {
  float s, c;
  both_f(x, &s, &c);
  return s;
}
GICC_MATH float __nv_cosf(float x) {
  float s, c;
  both_f(x, &s, &c);
  return c;
}
GICC_MATH float __nv_tanf(float x) {
  float s, c;
  both_f(x, &s, &c);
  return s / c;
}

// Of pi x the reduction is exact.
GICC_MATH void __nv_sincospi(double x, double *s, double *c) {
  if (!(__builtin_fabs(x) < GICC_INF)) {
    *s = *c = GICC_NAN;
    return;
  }
  double k = __builtin_rint(2.0 * x), f = __builtin_fma(-0.5, k, x);
  int quadrant = (int)(k - 4.0 * __builtin_floor(k * 0.25));
  Pair p = exact_product(f, 2.0 * GICC_PIO2_HI);
  Pair r = fast_sum(p.hi, __builtin_fma(f, 2.0 * GICC_PIO2_LO, p.lo));
  double a = sin_core(r), b = cos_core(r);
  if (f == 0) a = 0.0;
  double sine = quadrant & 1 ? b : a, cosine = quadrant & 1 ? a : b;
  *s = quadrant & 2 ? -sine : sine;
  *c = (quadrant + 1) & 2 ? -cosine : cosine;
}
GICC_MATH double __nv_sinpi(double x) {
  double s, c;
  __nv_sincospi(x, &s, &c);
  return s;
}
GICC_MATH double __nv_cospi(double x) {
  double s, c;
  __nv_sincospi(x, &s, &c);
  return c;
}
GICC_MATH void __nv_sincospif(float x, float *s, float *c) {
  double a, b;
  __nv_sincospi((double)x, &a, &b);
  *s = (float)a;
  *c = (float)b;
}
GICC_MATH float __nv_sinpif(float x) { return (float)__nv_sinpi((double)x); }
GICC_MATH float __nv_cospif(float x) { return (float)__nv_cospi((double)x); }
