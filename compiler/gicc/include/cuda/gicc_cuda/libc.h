// What kernels use of the C library: printf (clang packs the arguments and calls
// vprintf), assert, malloc and free; new and delete, which are malloc and free.
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

// The standard library's <new>, where it is there, brings them by clang's own header; a source that includes it, as <map> and
// <vector> do, must not find them twice.
#if __has_include(<new>)
#include <new>
#else
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
__device__ inline void *operator new(__SIZE_TYPE__ bytes) { return malloc(bytes ? bytes : 1); }
__device__ inline void *operator new[](__SIZE_TYPE__ bytes) { return malloc(bytes ? bytes : 1); }
__device__ inline void operator delete(void *p) noexcept { free(p); }
__device__ inline void operator delete[](void *p) noexcept { free(p); }
__device__ inline void operator delete(void *p, __SIZE_TYPE__) noexcept { free(p); }
__device__ inline void operator delete[](void *p, __SIZE_TYPE__) noexcept { free(p); }
#pragma clang diagnostic pop
#endif
