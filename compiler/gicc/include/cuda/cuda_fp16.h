// __half and __half2 where no toolkit is found; see gicc_cuda/small_float.h.
#pragma once
#include "gicc_cuda.h"

typedef _Float16 __gicc_half2_vector __attribute__((ext_vector_type(2)));
#define GICC_SCALAR __half
#define GICC_PAIR __half2
#define GICC_NATIVE _Float16
#define GICC_VECTOR __gicc_half2_vector
#define GICC_FROM __gicc_half
#define GICC_FROM_VECTOR __gicc_half2
#define GICC_TO_VECTOR __gicc_half2_to_vector
#include "gicc_cuda/small_float.h"
#undef GICC_SCALAR
#undef GICC_PAIR
#undef GICC_NATIVE
#undef GICC_VECTOR
#undef GICC_FROM
#undef GICC_FROM_VECTOR
#undef GICC_TO_VECTOR

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

#define GICC_FN static __device__ __forceinline__
GICC_FN __half __float2half(float x) { return __half(x); }
GICC_FN __half __float2half_rn(float x) { return __half(x); }
GICC_FN __half __double2half(double x) { return __gicc_half((_Float16)x); }
GICC_FN float __half2float(__half x) { return (float)x; }
GICC_FN __half __int2half_rn(int x) { return __gicc_half((_Float16)x); }
GICC_FN __half __uint2half_rn(unsigned x) { return __gicc_half((_Float16)x); }
GICC_FN __half __short2half_rn(short x) { return __gicc_half((_Float16)x); }
GICC_FN __half __ushort2half_rn(unsigned short x) { return __gicc_half((_Float16)x); }
GICC_FN int __half2int_rn(__half x) { return __float2int_rn((float)x); }
GICC_FN int __half2int_rz(__half x) { return __float2int_rz((float)x); }
GICC_FN __half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(__half, x); }
GICC_FN __half __short_as_half(short x) { return __builtin_bit_cast(__half, x); }
GICC_FN unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x); }
GICC_FN short __half_as_short(__half x) { return __builtin_bit_cast(short, x); }
GICC_FN __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
GICC_FN __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
GICC_FN __half2 __float2half2_rn(float x) { return __half2(__half(x), __half(x)); }
GICC_FN float2 __half22float2(__half2 v) { return make_float2((float)v.x, (float)v.y); }
GICC_FN __half __low2half(__half2 v) { return v.x; }
GICC_FN __half __high2half(__half2 v) { return v.y; }
GICC_FN __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
GICC_FN __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
GICC_FN __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
GICC_FN __half2 __half2half2(__half x) { return __half2(x, x); }
GICC_FN __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
GICC_FN __half2 make_half2(__half x, __half y) { return __half2(x, y); }
#undef GICC_FN
