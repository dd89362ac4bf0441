// atomicAdd and its kin. As in CUDA they are relaxed; without a suffix they reach the GPU, with `_system` all GPUs and the
// host, with `_block` the block. In LLVM IR the unsuffixed ones are `monotonic`: nothing here orders other accesses.
#pragma once

#define GICC_CUDA_DEVICE static __device__ __forceinline__ __attribute__((nodebug))
#define GICC_CUDA_SCOPE __MEMORY_SCOPE_DEVICE

// name, type, the clang operation
#define GICC_CUDA_ATOMIC(name, type, operation)                                                                        \
  GICC_CUDA_DEVICE type name(type *p, type v) {                                                                        \
    return __scoped_atomic_##operation(p, v, __ATOMIC_RELAXED, GICC_CUDA_SCOPE);                                       \
  }
// The scoped forms are intrinsics of the target, which know the type by its width.
#define GICC_CUDA_ATOMIC_SCOPED(name, type, intrinsic, word)                                                           \
  GICC_CUDA_DEVICE type name##_block(type *p, type v) {                                                                \
    return (type)__nvvm_atom_cta_##intrinsic((word *)p, (word)v);                                                      \
  }                                                                                                                    \
  GICC_CUDA_DEVICE type name##_system(type *p, type v) {                                                               \
    return (type)__nvvm_atom_sys_##intrinsic((word *)p, (word)v);                                                      \
  }
#define GICC_CUDA_ATOMIC_ALL(name, operation, intrinsic)                                                               \
  GICC_CUDA_ATOMIC(name, int, operation)                                                                               \
  GICC_CUDA_ATOMIC(name, unsigned, operation)                                                                          \
  GICC_CUDA_ATOMIC(name, unsigned long, operation)                                                                     \
  GICC_CUDA_ATOMIC(name, long, operation)                                                                              \
  GICC_CUDA_ATOMIC(name, unsigned long long, operation)                                                                \
  GICC_CUDA_ATOMIC(name, long long, operation)                                                                         \
  GICC_CUDA_ATOMIC_SCOPED(name, int, intrinsic##_gen_i, int)                                                           \
  GICC_CUDA_ATOMIC_SCOPED(name, unsigned, intrinsic##_gen_i, int)                                                      \
  GICC_CUDA_ATOMIC_SCOPED(name, unsigned long, intrinsic##_gen_ll, long long)                                          \
  GICC_CUDA_ATOMIC_SCOPED(name, long, intrinsic##_gen_ll, long long)                                                   \
  GICC_CUDA_ATOMIC_SCOPED(name, unsigned long long, intrinsic##_gen_ll, long long)                                     \
  GICC_CUDA_ATOMIC_SCOPED(name, long long, intrinsic##_gen_ll, long long)

GICC_CUDA_ATOMIC_ALL(atomicAdd, fetch_add, add)
GICC_CUDA_ATOMIC_ALL(atomicAnd, fetch_and, and)
GICC_CUDA_ATOMIC_ALL(atomicOr, fetch_or, or)
GICC_CUDA_ATOMIC_ALL(atomicXor, fetch_xor, xor)
GICC_CUDA_ATOMIC_ALL(atomicExch, exchange_n, xchg)

GICC_CUDA_ATOMIC(atomicAdd, float, fetch_add)
GICC_CUDA_ATOMIC(atomicAdd, double, fetch_add)
GICC_CUDA_ATOMIC_SCOPED(atomicAdd, float, add_gen_f, float)
GICC_CUDA_ATOMIC_SCOPED(atomicAdd, double, add_gen_d, double)

#define GICC_CUDA_ATOMIC_MINMAX(name, operation, suffix)                                                               \
  GICC_CUDA_ATOMIC(name, int, operation)                                                                               \
  GICC_CUDA_ATOMIC(name, unsigned, operation)                                                                          \
  GICC_CUDA_ATOMIC(name, unsigned long, operation)                                                                     \
  GICC_CUDA_ATOMIC(name, long, operation)                                                                              \
  GICC_CUDA_ATOMIC(name, unsigned long long, operation)                                                                \
  GICC_CUDA_ATOMIC(name, long long, operation)                                                                         \
  GICC_CUDA_ATOMIC_SCOPED(name, int, suffix##_gen_i, int)                                                              \
  GICC_CUDA_ATOMIC_SCOPED(name, unsigned, suffix##_gen_ui, unsigned)                                                   \
  GICC_CUDA_ATOMIC_SCOPED(name, unsigned long, suffix##_gen_ull, unsigned long long)                                   \
  GICC_CUDA_ATOMIC_SCOPED(name, long, suffix##_gen_ll, long long)                                                      \
  GICC_CUDA_ATOMIC_SCOPED(name, unsigned long long, suffix##_gen_ull, unsigned long long)                              \
  GICC_CUDA_ATOMIC_SCOPED(name, long long, suffix##_gen_ll, long long)
GICC_CUDA_ATOMIC_MINMAX(atomicMin, fetch_min, min)
GICC_CUDA_ATOMIC_MINMAX(atomicMax, fetch_max, max)

// Subtraction is the addition of the negative.
#define GICC_CUDA_ATOMIC_SUB(type)                                                                                     \
  GICC_CUDA_DEVICE type atomicSub(type *p, type v) { return atomicAdd(p, (type)(0 - v)); }                             \
  GICC_CUDA_DEVICE type atomicSub_block(type *p, type v) { return atomicAdd_block(p, (type)(0 - v)); }                 \
  GICC_CUDA_DEVICE type atomicSub_system(type *p, type v) { return atomicAdd_system(p, (type)(0 - v)); }
GICC_CUDA_ATOMIC_SUB(int)
GICC_CUDA_ATOMIC_SUB(unsigned)
GICC_CUDA_ATOMIC_SUB(unsigned long)
GICC_CUDA_ATOMIC_SUB(unsigned long long)

GICC_CUDA_DEVICE unsigned atomicInc(unsigned *p, unsigned wrap) { return __nvvm_atom_inc_gen_ui(p, wrap); }
GICC_CUDA_DEVICE unsigned atomicDec(unsigned *p, unsigned wrap) { return __nvvm_atom_dec_gen_ui(p, wrap); }
GICC_CUDA_ATOMIC_SCOPED(atomicInc, unsigned, inc_gen_ui, unsigned)
GICC_CUDA_ATOMIC_SCOPED(atomicDec, unsigned, dec_gen_ui, unsigned)

#define GICC_CUDA_ATOMIC_CAS(type, word, suffix)                                                                       \
  GICC_CUDA_DEVICE type atomicCAS(type *p, type compare, type v) {                                                     \
    __scoped_atomic_compare_exchange_n(p, &compare, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, GICC_CUDA_SCOPE);    \
    return compare;                                                                                                    \
  }                                                                                                                    \
  GICC_CUDA_DEVICE type atomicCAS_block(type *p, type compare, type v) {                                               \
    return (type)__nvvm_atom_cta_cas_gen_##suffix((word *)p, (word)compare, (word)v);                                  \
  }                                                                                                                    \
  GICC_CUDA_DEVICE type atomicCAS_system(type *p, type compare, type v) {                                              \
    return (type)__nvvm_atom_sys_cas_gen_##suffix((word *)p, (word)compare, (word)v);                                  \
  }
GICC_CUDA_ATOMIC_CAS(int, int, i)
GICC_CUDA_ATOMIC_CAS(unsigned, int, i)
GICC_CUDA_ATOMIC_CAS(unsigned long, long long, ll)
GICC_CUDA_ATOMIC_CAS(unsigned long long, long long, ll)
GICC_CUDA_ATOMIC_CAS(long long, long long, ll)
GICC_CUDA_ATOMIC_CAS(unsigned short, unsigned short, us)

GICC_CUDA_DEVICE float atomicExch(float *p, float v) {
  return __uint_as_float(atomicExch((unsigned *)p, __float_as_uint(v)));
}
GICC_CUDA_DEVICE float atomicExch_block(float *p, float v) {
  return __uint_as_float(atomicExch_block((unsigned *)p, __float_as_uint(v)));
}
GICC_CUDA_DEVICE float atomicExch_system(float *p, float v) {
  return __uint_as_float(atomicExch_system((unsigned *)p, __float_as_uint(v)));
}

#undef GICC_CUDA_ATOMIC
#undef GICC_CUDA_ATOMIC_SCOPED
#undef GICC_CUDA_ATOMIC_ALL
#undef GICC_CUDA_ATOMIC_MINMAX
#undef GICC_CUDA_ATOMIC_SUB
#undef GICC_CUDA_ATOMIC_CAS
#undef GICC_CUDA_DEVICE
