// CUDA's vector types and make_*: char1 to ulonglong4, float1 to double4, dim3.
#pragma once

// `count` fields of `element`, aligned to `align` bytes as CUDA aligns them: nvcc and this header lay out the same memory.
#define GICC_CUDA_VECTOR(name, element, align1, align2, align4)                                                        \
  struct __attribute__((aligned(align1))) name##1 { element x; };                                                      \
  struct __attribute__((aligned(align2))) name##2 { element x, y; };                                                   \
  struct name##3 { element x, y, z; };                                                                                 \
  struct __attribute__((aligned(align4))) name##4 { element x, y, z, w; };                                             \
  __host__ __device__ inline constexpr name##1 make_##name##1(element x) { return {x}; }                               \
  __host__ __device__ inline constexpr name##2 make_##name##2(element x, element y) { return {x, y}; }                 \
  __host__ __device__ inline constexpr name##3 make_##name##3(element x, element y, element z) { return {x, y, z}; }   \
  __host__ __device__ inline constexpr name##4 make_##name##4(element x, element y, element z, element w) {            \
    return {x, y, z, w};                                                                                               \
  }

GICC_CUDA_VECTOR(char, signed char, 1, 2, 4)
GICC_CUDA_VECTOR(uchar, unsigned char, 1, 2, 4)
GICC_CUDA_VECTOR(short, short, 2, 4, 8)
GICC_CUDA_VECTOR(ushort, unsigned short, 2, 4, 8)
GICC_CUDA_VECTOR(int, int, 4, 8, 16)
GICC_CUDA_VECTOR(uint, unsigned int, 4, 8, 16)
GICC_CUDA_VECTOR(long, long, 8, 16, 16)
GICC_CUDA_VECTOR(ulong, unsigned long, 8, 16, 16)
GICC_CUDA_VECTOR(longlong, long long, 8, 16, 16)
GICC_CUDA_VECTOR(ulonglong, unsigned long long, 8, 16, 16)
GICC_CUDA_VECTOR(float, float, 4, 8, 16)
GICC_CUDA_VECTOR(double, double, 8, 16, 16)
#undef GICC_CUDA_VECTOR

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
