// What kernels use of the C library: printf (clang packs the arguments and calls
// vprintf), assert, malloc and free.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <limits.h>

extern "C" {
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

#include <assert.h>
