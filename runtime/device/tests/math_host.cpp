// The mathematical functions of runtime/device/math, built for the host and compared with the C library in long double:
// the largest error in units of the last place over many arguments, against a bound for each function. Prints what it
// found and fails where a bound is broken.
//
//   clang++ -std=c++17 -O2 -ffp-contract=off runtime/device/tests/math_host.cpp -o math_host && ./math_host
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

#include "../math/convert.cu"
#include "../math/error_function.cu"
#include "../math/exponential.cu"
#include "../math/hyperbolic.cu"
#include "../math/inverse.cu"
#include "../math/logarithm.cu"
#include "../math/parts.cu"
#include "../math/power.cu"
#include "../math/rounded.cu"
#include "../math/trigonometric.cu"

static int failures = 0;
static std::mt19937_64 generator(20260);

template <class T> static double ulps(T got, long double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e30;
  T rounded = (T)want;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : 1e30;
  int e;
  std::frexp(want, &e);
  const int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent;
  long double unit = std::ldexp(1.0L, (want == 0 ? least : e < least ? least : e) - digits);
  return (double)(std::fabs((long double)got - want) / unit);
}

// Arguments from low to high: uniform ones, ones uniform in the exponent, and the special ones.
template <class T> static T argument(int i, double low, double high) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-310, -1e-310, 1e-40, 3.0, 1e300, -1e300,
                                   std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN(), 0.9999999999999999, 1.0000000000000002};
  if (i < (int)(sizeof special / sizeof *special)) return (T)special[i];
  double u = (double)(generator() >> 11) * 0x1p-53;
  if (i % 2) return (T)(low + u * (high - low));
  double top = std::fmax(std::fabs(low), std::fabs(high));
  double magnitude = top * std::exp2(-u * 60);
  return (T)(low < 0 && (generator() & 1) ? -magnitude : magnitude);
}

template <class T>
static void one(const char *name, T (*f)(T), long double (*g)(long double), double low, double high, double bound) {
  double worst = 0;
  T at = 0;
  for (int i = 0; i < 60000; i++) {
    T x = argument<T>(i, low, high);
    double e = ulps<T>(f(x), g((long double)x));
    if (e > worst) worst = e, at = x;
  }
  bool bad = worst > bound;
  failures += bad;
  std::printf("%-12s %8.3f ulp (bound %.1f) at %.17g%s\n", name, worst, bound, (double)at, bad ? "  FAILED" : "");
}

template <class T>
static void two(const char *name, T (*f)(T, T), long double (*g)(long double, long double), double low, double high,
                double low2, double high2, double bound) {
  double worst = 0;
  T at = 0, at2 = 0;
  for (int i = 0; i < 120000; i++) {
    T x = i < 17 * 17 ? argument<T>(i % 17, 0, 0) : argument<T>(17 + i, low, high);
    T y = i < 17 * 17 ? argument<T>(i / 17, 0, 0) : argument<T>(18 + i, low2, high2);
    double e = ulps<T>(f(x, y), g((long double)x, (long double)y));
    if (e > worst) worst = e, at = x, at2 = y;
  }
  bool bad = worst > bound;
  failures += bad;
  std::printf("%-12s %8.3f ulp (bound %.1f) at %.17g, %.17g%s\n", name, worst, bound, (double)at, (double)at2,
              bad ? "  FAILED" : "");
}

static void same(const char *name, bool good) {
  failures += !good;
  std::printf("%-12s %s\n", name, good ? "exact" : "FAILED");
}

#define ONE(name, low, high, bound) one<double>(#name, __nv_##name, [](long double x) { return std::name(x); }, low, high, bound)
#define ONE_F(name, low, high, bound) one<float>(#name "f", __nv_##name##f, [](long double x) { return std::name(x); }, low, high, bound)
#define TWO(name, ...) two<double>(#name, __nv_##name, [](long double x, long double y) { return std::name(x, y); }, __VA_ARGS__)
#define TWO_F(name, ...) two<float>(#name "f", __nv_##name##f, [](long double x, long double y) { return std::name(x, y); }, __VA_ARGS__)

int main() {
  ONE(exp, -750, 750, 1);
  ONE(exp2, -1080, 1030, 1);
  ONE(expm1, -50, 710, 1.5);
  ONE(log, 0, 1e300, 1);
  ONE(log, 0, 3, 1);
  ONE(log2, 0, 3, 1.5);
  ONE(log10, 0, 3, 1.5);
  ONE(log1p, -1, 5, 1.5);
  ONE(sin, -1e6, 1e6, 1);
  ONE(cos, -1e6, 1e6, 1);
  ONE(tan, -1e6, 1e6, 2);
  ONE(sin, -1e300, 1e300, 1);
  ONE(cos, -1e15, 1e15, 1);
  ONE(asin, -1, 1, 2);
  ONE(acos, -1, 1, 2);
  ONE(atan, -100, 100, 1.5);
  ONE(sinh, -710, 710, 3);
  ONE(cosh, -710, 710, 3);
  ONE(tanh, -25, 25, 3);
  ONE(asinh, -1e6, 1e6, 3);
  ONE(acosh, 1, 1e6, 3);
  ONE(atanh, -1, 1, 3);
  ONE(cbrt, -1e300, 1e300, 1);
  ONE(erf, -7, 7, 3);
  ONE(erfc, -7, 27, 8);
  TWO(pow, 0, 100, -160, 160, 1.5);
  TWO(pow, -3, 3, -1000, 1000, 1.5);
  TWO(atan2, -100, 100, -100, 100, 2);
  TWO(hypot, -1e200, 1e200, -1e200, 1e200, 1);
  TWO(hypot, -10, 10, -10, 10, 1);
  TWO(fmod, -1e10, 1e10, -100, 100, 0);
  TWO(fmod, -1e300, 1e300, -1e-300, 1e-300, 0);
  TWO(remainder, -1e10, 1e10, -100, 100, 0);
  ONE_F(exp, -110, 100, 1.5);
  ONE_F(exp2, -155, 130, 1.5);
  ONE_F(expm1, -20, 90, 1);
  ONE_F(log, 0, 1e30, 1.5);
  ONE_F(log, 0, 3, 1.5);
  ONE_F(log2, 0, 3, 1);
  ONE_F(log10, 0, 3, 1);
  ONE_F(log1p, -1, 5, 1);
  ONE_F(sin, -1e5, 1e5, 1.5);
  ONE_F(cos, -1e5, 1e5, 1.5);
  ONE_F(tan, -1e5, 1e5, 3);
  ONE_F(sin, -1e30, 1e30, 1.5);
  ONE_F(tanh, -10, 10, 2);
  ONE_F(sinh, -89, 89, 1);
  ONE_F(cosh, -89, 89, 1);
  ONE_F(atan, -100, 100, 1);
  ONE_F(asin, -1, 1, 1);
  ONE_F(acos, -1, 1, 1);
  ONE_F(cbrt, -1e30, 1e30, 1);
  ONE_F(erf, -5, 5, 1);
  ONE_F(erfc, -5, 10, 1);
  TWO_F(pow, 0, 100, -19, 19, 1);
  TWO_F(pow, -3, 3, -80, 80, 1);
  TWO_F(atan2, -100, 100, -100, 100, 1);
  TWO_F(hypot, -1e20, 1e20, -1e20, 1e20, 1);
  TWO_F(fmod, -1e10, 1e10, -100, 100, 0);

  bool parts = true;
  for (int i = 0; i < 60000; i++) {
    double x = argument<double>(i, -1e300, 1e300), whole, host_whole;
    int k = (int)(generator() % 4400) - 2200, e = 0, host_e = 0;
    auto equal = [](double a, double b) { return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0; };
    parts &= equal(__nv_ldexp(x, k), std::ldexp(x, k));
    double m = __nv_frexp(x, &e), host_m = std::frexp(x, &host_e);
    parts &= equal(m, host_m) && (e == host_e || !std::isfinite(x));
    parts &= equal(__nv_modf(x, &whole), std::modf(x, &host_whole)) && equal(whole, host_whole);
    parts &= equal(__nv_nextafter(x, k), std::nextafter(x, k));
  }
  same("parts", parts);
  same("convert", __nv_float2int_rn(2.5f) == 2 && __nv_float2int_rz(-2.7f) == -2 && __nv_float2int_rd(-2.1f) == -3 &&
                      __nv_float2int_ru(2.1f) == 3 && __nv_float2int_rz(1e20f) == 2147483647 &&
                      __nv_float2uint_rz(-1.0f) == 0 && __nv_double2int_rn(std::nan("")) == 0 &&
                      __nv_float2int_rz(-1e20f) == -2147483647 - 1 && __nv_double2ll_rz(9.3e18) == 9223372036854775807ll &&
                      __nv_double2float_rd(0.1) < 0.1 && __nv_double2float_ru(0.1) > 0.1 &&
                      __nv_int2float_rz(16777217) == 16777216.0f && __nv_int2float_ru(16777217) == 16777218.0f);
  std::printf("%s\n", failures ? "FAILED" : "all within their bounds");
  return failures != 0;
}
