// Mathematical and bit functions. Clang's own headers define them over libdevice's `__nv_*`; those that are one LLVM
// operation on every target (square root, fused multiply-add, rounding, minima, bit counts, casts) are mapped to clang's
// builtins here, so that they need no library. What is left is resolved by libdevice or by runtime/device/math.
#pragma once

// Overloads for the device must be declared before any <cmath> of the host's library is seen.
#include <__clang_cuda_math_forward_declares.h>
#include <__clang_cuda_libdevice_declares.h>

#define __nv_fabs(x) __builtin_fabs(x)
#define __nv_fabsf(x) __builtin_fabsf(x)
#define __nv_sqrt(x) __builtin_sqrt(x)
#define __nv_sqrtf(x) __builtin_sqrtf(x)
#define __nv_floor(x) __builtin_floor(x)
#define __nv_floorf(x) __builtin_floorf(x)
#define __nv_ceil(x) __builtin_ceil(x)
#define __nv_ceilf(x) __builtin_ceilf(x)
#define __nv_trunc(x) __builtin_trunc(x)
#define __nv_truncf(x) __builtin_truncf(x)
#define __nv_round(x) __builtin_round(x)
#define __nv_roundf(x) __builtin_roundf(x)
#define __nv_copysign(x, y) __builtin_copysign(x, y)
#define __nv_copysignf(x, y) __builtin_copysignf(x, y)
#define __nv_fmin(x, y) __builtin_fmin(x, y)
#define __nv_fminf(x, y) __builtin_fminf(x, y)
#define __nv_fmax(x, y) __builtin_fmax(x, y)
#define __nv_fmaxf(x, y) __builtin_fmaxf(x, y)
#define __nv_fma(x, y, z) __builtin_fma(x, y, z)
#define __nv_fmaf(x, y, z) __builtin_fmaf(x, y, z)
#define __nv_abs(x) __builtin_abs(x)
#define __nv_llabs(x) __builtin_llabs(x)
#define __nv_min(x, y) ((x) < (y) ? (x) : (y))
#define __nv_umin(x, y) ((x) < (y) ? (x) : (y))
#define __nv_llmin(x, y) ((x) < (y) ? (x) : (y))
#define __nv_ullmin(x, y) ((x) < (y) ? (x) : (y))
#define __nv_max(x, y) ((x) > (y) ? (x) : (y))
#define __nv_umax(x, y) ((x) > (y) ? (x) : (y))
#define __nv_llmax(x, y) ((x) > (y) ? (x) : (y))
#define __nv_ullmax(x, y) ((x) > (y) ? (x) : (y))
#define __nv_isnand(x) __builtin_isnan(x)
#define __nv_isnanf(x) __builtin_isnan(x)
#define __nv_isinfd(x) __builtin_isinf(x)
#define __nv_isinff(x) __builtin_isinf(x)
#define __nv_isfinited(x) __builtin_isfinite(x)
#define __nv_finitef(x) __builtin_isfinite(x)
#define __nv_signbitd(x) __builtin_signbit(x)
#define __nv_signbitf(x) __builtin_signbit(x)
#define __nv_brev(x) __builtin_bitreverse32(x)
#define __nv_brevll(x) __builtin_bitreverse64(x)
#define __nv_clz(x) __builtin_clzg((unsigned)(x), 32)
#define __nv_clzll(x) __builtin_clzg((unsigned long long)(x), 64)
#define __nv_popc(x) __builtin_popcount(x)
#define __nv_popcll(x) __builtin_popcountll(x)
#define __nv_ffs(x) __builtin_ffs(x)
#define __nv_ffsll(x) __builtin_ffsll(x)
#define __nv_byte_perm(x, y, s) __nvvm_prmt(x, y, s)
#define __nv_float_as_int(x) __builtin_bit_cast(int, x)
#define __nv_float_as_uint(x) __builtin_bit_cast(unsigned, x)
#define __nv_int_as_float(x) __builtin_bit_cast(float, x)
#define __nv_uint_as_float(x) __builtin_bit_cast(float, x)
#define __nv_double_as_longlong(x) __builtin_bit_cast(long long, x)
#define __nv_longlong_as_double(x) __builtin_bit_cast(double, x)
#define __nv_double2hiint(x) ((int)(__builtin_bit_cast(long long, x) >> 32))
#define __nv_double2loint(x) ((int)__builtin_bit_cast(long long, x))
#define __nv_hiloint2double(x, y) __builtin_bit_cast(double, (unsigned long long)(unsigned)(x) << 32 | (unsigned)(y))
#define __nv_int2float_rn(x) ((float)(x))
#define __nv_uint2float_rn(x) ((float)(x))
#define __nv_ll2float_rn(x) ((float)(x))
#define __nv_ull2float_rn(x) ((float)(x))
#define __nv_int2double_rn(x) ((double)(x))
#define __nv_uint2double_rn(x) ((double)(x))
#define __nv_ll2double_rn(x) ((double)(x))
#define __nv_ull2double_rn(x) ((double)(x))
#define __nv_double2float_rn(x) ((float)(x))
#define __nv_mulhi(x, y) ((int)((long long)(x) * (y) >> 32))
#define __nv_umulhi(x, y) ((unsigned)((unsigned long long)(x) * (y) >> 32))
#define __nv_mul64hi(x, y) ((long long)((__int128)(x) * (y) >> 64))
#define __nv_umul64hi(x, y) ((unsigned long long)((unsigned __int128)(x) * (y) >> 64))
#define __nv_saturatef(x) __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f)

#ifndef HUGE_VAL
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define GICC_CUDA_OWN_HUGE_VAL
#endif
// Any five numbers will do for the classification; those of glibc are taken.
#ifndef FP_NAN
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define GICC_CUDA_OWN_FP_CLASSES
#endif

#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>

#ifdef GICC_CUDA_OWN_HUGE_VAL
#undef HUGE_VAL
#undef HUGE_VALF
#undef GICC_CUDA_OWN_HUGE_VAL
#endif
#ifdef GICC_CUDA_OWN_FP_CLASSES
#undef FP_NAN
#undef FP_INFINITE
#undef FP_ZERO
#undef FP_SUBNORMAL
#undef FP_NORMAL
#undef GICC_CUDA_OWN_FP_CLASSES
#endif

#undef __nv_fabs
#undef __nv_fabsf
#undef __nv_sqrt
#undef __nv_sqrtf
#undef __nv_floor
#undef __nv_floorf
#undef __nv_ceil
#undef __nv_ceilf
#undef __nv_trunc
#undef __nv_truncf
#undef __nv_round
#undef __nv_roundf
#undef __nv_copysign
#undef __nv_copysignf
#undef __nv_fmin
#undef __nv_fminf
#undef __nv_fmax
#undef __nv_fmaxf
#undef __nv_fma
#undef __nv_fmaf
#undef __nv_abs
#undef __nv_llabs
#undef __nv_min
#undef __nv_umin
#undef __nv_llmin
#undef __nv_ullmin
#undef __nv_max
#undef __nv_umax
#undef __nv_llmax
#undef __nv_ullmax
#undef __nv_isnand
#undef __nv_isnanf
#undef __nv_isinfd
#undef __nv_isinff
#undef __nv_isfinited
#undef __nv_finitef
#undef __nv_signbitd
#undef __nv_signbitf
#undef __nv_brev
#undef __nv_brevll
#undef __nv_clz
#undef __nv_clzll
#undef __nv_popc
#undef __nv_popcll
#undef __nv_ffs
#undef __nv_ffsll
#undef __nv_byte_perm
#undef __nv_float_as_int
#undef __nv_float_as_uint
#undef __nv_int_as_float
#undef __nv_uint_as_float
#undef __nv_double_as_longlong
#undef __nv_longlong_as_double
#undef __nv_double2hiint
#undef __nv_double2loint
#undef __nv_hiloint2double
#undef __nv_int2float_rn
#undef __nv_uint2float_rn
#undef __nv_ll2float_rn
#undef __nv_ull2float_rn
#undef __nv_int2double_rn
#undef __nv_uint2double_rn
#undef __nv_ll2double_rn
#undef __nv_ull2double_rn
#undef __nv_double2float_rn
#undef __nv_mulhi
#undef __nv_umulhi
#undef __nv_mul64hi
#undef __nv_umul64hi
#undef __nv_saturatef

// Overloads for float that clang declares and leaves to the toolkit's headers to define.
#define GICC_CUDA_DEVICE static __device__ __forceinline__ __attribute__((nodebug))
GICC_CUDA_DEVICE float acosh(float x) { return acoshf(x); }
GICC_CUDA_DEVICE float asinh(float x) { return asinhf(x); }
GICC_CUDA_DEVICE float atanh(float x) { return atanhf(x); }
GICC_CUDA_DEVICE float cbrt(float x) { return cbrtf(x); }
GICC_CUDA_DEVICE float erfc(float x) { return erfcf(x); }
GICC_CUDA_DEVICE float erf(float x) { return erff(x); }
GICC_CUDA_DEVICE float exp2(float x) { return exp2f(x); }
GICC_CUDA_DEVICE float expm1(float x) { return expm1f(x); }
GICC_CUDA_DEVICE float lgamma(float x) { return lgammaf(x); }
GICC_CUDA_DEVICE float log1p(float x) { return log1pf(x); }
GICC_CUDA_DEVICE float log2(float x) { return log2f(x); }
GICC_CUDA_DEVICE float logb(float x) { return logbf(x); }
GICC_CUDA_DEVICE float nearbyint(float x) { return nearbyintf(x); }
GICC_CUDA_DEVICE float rint(float x) { return rintf(x); }
GICC_CUDA_DEVICE float round(float x) { return roundf(x); }
GICC_CUDA_DEVICE float tgamma(float x) { return tgammaf(x); }
GICC_CUDA_DEVICE float trunc(float x) { return truncf(x); }
GICC_CUDA_DEVICE float copysign(float x, float y) { return copysignf(x, y); }
GICC_CUDA_DEVICE float fdim(float x, float y) { return fdimf(x, y); }
GICC_CUDA_DEVICE float fmax(float x, float y) { return fmaxf(x, y); }
GICC_CUDA_DEVICE float fmin(float x, float y) { return fminf(x, y); }
GICC_CUDA_DEVICE float hypot(float x, float y) { return hypotf(x, y); }
GICC_CUDA_DEVICE float nextafter(float x, float y) { return nextafterf(x, y); }
GICC_CUDA_DEVICE float remainder(float x, float y) { return remainderf(x, y); }
GICC_CUDA_DEVICE float fma(float x, float y, float z) { return fmaf(x, y, z); }
GICC_CUDA_DEVICE float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
GICC_CUDA_DEVICE float scalbn(float x, int n) { return scalbnf(x, n); }
GICC_CUDA_DEVICE float scalbln(float x, long n) { return scalblnf(x, n); }
GICC_CUDA_DEVICE int ilogb(float x) { return ilogbf(x); }
GICC_CUDA_DEVICE long lrint(float x) { return lrintf(x); }
GICC_CUDA_DEVICE long lround(float x) { return lroundf(x); }
GICC_CUDA_DEVICE long long llrint(float x) { return llrintf(x); }
GICC_CUDA_DEVICE long long llround(float x) { return llroundf(x); }
GICC_CUDA_DEVICE double nan(const char *) { return __builtin_nan(""); }
GICC_CUDA_DEVICE float nanf(const char *) { return __builtin_nanf(""); }
#undef GICC_CUDA_DEVICE

#define GICC_CUDA_DEVICE static __device__ __forceinline__ __attribute__((nodebug))
// Overloads that nvcc offers beside the C names.
GICC_CUDA_DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
GICC_CUDA_DEVICE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
GICC_CUDA_DEVICE unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
GICC_CUDA_DEVICE unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
GICC_CUDA_DEVICE unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
GICC_CUDA_DEVICE unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
GICC_CUDA_DEVICE long min(long a, long b) { return a < b ? a : b; }
GICC_CUDA_DEVICE long max(long a, long b) { return a > b ? a : b; }
GICC_CUDA_DEVICE unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
GICC_CUDA_DEVICE unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
GICC_CUDA_DEVICE long long min(long long a, long long b) { return a < b ? a : b; }
GICC_CUDA_DEVICE long long max(long long a, long long b) { return a > b ? a : b; }
GICC_CUDA_DEVICE unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
GICC_CUDA_DEVICE unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
GICC_CUDA_DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
GICC_CUDA_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
GICC_CUDA_DEVICE double min(double a, double b) { return __builtin_fmin(a, b); }
GICC_CUDA_DEVICE double max(double a, double b) { return __builtin_fmax(a, b); }
GICC_CUDA_DEVICE double min(float a, double b) { return __builtin_fmin(a, b); }
GICC_CUDA_DEVICE double max(float a, double b) { return __builtin_fmax(a, b); }
GICC_CUDA_DEVICE double min(double a, float b) { return __builtin_fmin(a, b); }
GICC_CUDA_DEVICE double max(double a, float b) { return __builtin_fmax(a, b); }
GICC_CUDA_DEVICE float rsqrt(float x) { return rsqrtf(x); }
GICC_CUDA_DEVICE float rcbrt(float x) { return rcbrtf(x); }
GICC_CUDA_DEVICE float sinpi(float x) { return sinpif(x); }
GICC_CUDA_DEVICE float cospi(float x) { return cospif(x); }
GICC_CUDA_DEVICE float normcdf(float x) { return normcdff(x); }
GICC_CUDA_DEVICE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
GICC_CUDA_DEVICE void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
#undef GICC_CUDA_DEVICE
