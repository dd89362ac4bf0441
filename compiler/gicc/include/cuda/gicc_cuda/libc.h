// What kernels use of the C library: memory functions (compiler builtins), printf (clang packs the arguments and calls
// vprintf), assert, malloc and free.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <limits.h>

extern "C" {
__host__ __device__ void *memcpy(void *, const void *, size_t) noexcept(true);
__host__ __device__ void *memmove(void *, const void *, size_t) noexcept(true);
__host__ __device__ void *memset(void *, int, size_t) noexcept(true);
__host__ __device__ int memcmp(const void *, const void *, size_t) noexcept(true);

__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t char_size);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

namespace std {
__device__ static inline void free(void *p) { ::free(p); }
__device__ static inline void *malloc(size_t size) { return ::malloc(size); }
}

#include <assert.h>
