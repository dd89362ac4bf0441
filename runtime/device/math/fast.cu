// The fast functions of the GPU: its own approximations.
#include "math.cuh"

#ifdef __CUDA__
GICC_MATH float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0f); }
GICC_MATH float __nv_fast_exp10f(float x) { return __nvvm_ex2_approx_f(x * 0x1.a934fp+1f); }
GICC_MATH float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
GICC_MATH float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0x1.62e43p-1f; }
GICC_MATH float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0x1.344136p-2f; }
GICC_MATH float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
GICC_MATH float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
GICC_MATH float __nv_fast_tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
GICC_MATH void __nv_fast_sincosf(float x, float *s, float *c) {
  *s = __nvvm_sin_approx_f(x);
  *c = __nvvm_cos_approx_f(x);
}
GICC_MATH float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
GICC_MATH float __nv_fast_fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
#endif
