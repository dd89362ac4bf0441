// Shuffles, votes, matches, warp barriers, reductions, cached loads and stores, address-space queries and conversions,
// clocks. Most come from clang's own header; what it takes from a toolkit is supplied here.
#pragma once

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

#define GICC_CUDA_DEVICE static __device__ __forceinline__ __attribute__((nodebug))
GICC_CUDA_DEVICE unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
GICC_CUDA_DEVICE unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
GICC_CUDA_DEVICE unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
GICC_CUDA_DEVICE unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

GICC_CUDA_DEVICE size_t __cvta_generic_to_global(const void *p) {
  return (size_t)(void __attribute__((address_space(1))) *)p;
}
GICC_CUDA_DEVICE size_t __cvta_generic_to_shared(const void *p) {
  return (size_t)(void __attribute__((address_space(3))) *)p;
}
GICC_CUDA_DEVICE size_t __cvta_generic_to_constant(const void *p) {
  return (size_t)(void __attribute__((address_space(4))) *)p;
}
GICC_CUDA_DEVICE size_t __cvta_generic_to_local(const void *p) {
  return (size_t)(void __attribute__((address_space(5))) *)p;
}
GICC_CUDA_DEVICE void *__cvta_global_to_generic(size_t p) {
  return (void *)(void __attribute__((address_space(1))) *)p;
}
GICC_CUDA_DEVICE void *__cvta_shared_to_generic(size_t p) {
  return (void *)(void __attribute__((address_space(3))) *)p;
}

// Funnel shifts: clang's header has them as inline PTX; these are llvm.fshl and llvm.fshr, which any target has.
#define __funnelshift_l __gicc_unused_funnelshift_l
#define __funnelshift_r __gicc_unused_funnelshift_r
#define __funnelshift_lc __gicc_unused_funnelshift_lc
#define __funnelshift_rc __gicc_unused_funnelshift_rc
#include <__clang_cuda_intrinsics.h>
#undef __funnelshift_l
#undef __funnelshift_r
#undef __funnelshift_lc
#undef __funnelshift_rc
GICC_CUDA_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((uint64_t)high << 32 | low) << (shift & 31)) >> 32);
}
GICC_CUDA_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
GICC_CUDA_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
GICC_CUDA_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// Cache hints that clang's header lacks. They are hints: a plain access does the same.
template <class T> GICC_CUDA_DEVICE T __ldca(const T *p) { return *p; }
template <class T> GICC_CUDA_DEVICE T __ldlu(const T *p) { return *p; }
template <class T> GICC_CUDA_DEVICE void __stcg(T *p, T v) { *p = v; }
template <class T> GICC_CUDA_DEVICE void __stcs(T *p, T v) { *p = v; }
template <class T> GICC_CUDA_DEVICE void __stwb(T *p, T v) { *p = v; }

GICC_CUDA_DEVICE void __nanosleep(unsigned ns) { __nvvm_nanosleep(ns); }
GICC_CUDA_DEVICE unsigned long long __globaltimer() { return __nvvm_read_ptx_sreg_globaltimer(); }
GICC_CUDA_DEVICE unsigned __laneid() { return __nvvm_read_ptx_sreg_laneid(); }
GICC_CUDA_DEVICE unsigned __smid() { return __nvvm_read_ptx_sreg_smid(); }

#undef GICC_CUDA_DEVICE
