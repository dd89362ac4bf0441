// __nv_bfloat16 and __nv_bfloat162 where no toolkit is found; see gicc_cuda/small_float.h.
#pragma once
#include "gicc_cuda.h"

typedef __bf16 __gicc_bfloat162_vector __attribute__((ext_vector_type(2)));
#define GICC_SCALAR __nv_bfloat16
#define GICC_PAIR __nv_bfloat162
#define GICC_NATIVE __bf16
#define GICC_VECTOR __gicc_bfloat162_vector
#define GICC_FROM __gicc_bfloat16
#define GICC_FROM_VECTOR __gicc_bfloat162
#define GICC_TO_VECTOR __gicc_bfloat162_to_vector
#include "gicc_cuda/small_float.h"
#undef GICC_SCALAR
#undef GICC_PAIR
#undef GICC_NATIVE
#undef GICC_VECTOR
#undef GICC_FROM
#undef GICC_FROM_VECTOR
#undef GICC_TO_VECTOR

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define GICC_FN static __device__ __forceinline__
GICC_FN __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
GICC_FN __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
GICC_FN __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
GICC_FN __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
GICC_FN float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
GICC_FN int __bfloat162int_rn(__nv_bfloat16 x) { return __float2int_rn((float)x); }
GICC_FN __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __builtin_bit_cast(__nv_bfloat16, x); }
GICC_FN unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return __builtin_bit_cast(unsigned short, x); }
GICC_FN __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
GICC_FN __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return __nv_bfloat162(__nv_bfloat16(v.x), __nv_bfloat16(v.y));
}
GICC_FN __nv_bfloat162 __float2bfloat162_rn(float x) { return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(x)); }
GICC_FN float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2((float)v.x, (float)v.y); }
GICC_FN __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
GICC_FN __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
GICC_FN __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162(x, x); }
GICC_FN __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
GICC_FN __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
#undef GICC_FN
