// What 16-bit floating-point types share: a scalar and a pair, arithmetic on the target's own type, comparisons,
// shuffles, atomic addition. Included once for each type, with these names defined:
//
//   GICC_SCALAR, GICC_PAIR      the CUDA types
//   GICC_NATIVE                 the compiler's type
//   GICC_VECTOR                 two of it in a 32-bit register
//   GICC_FROM(native), GICC_FROM_VECTOR(vector), GICC_TO_VECTOR(pair)   names of the conversions
//
// A double or 64-bit integer is rounded to float first. Mathematical functions are computed in float. No include guard.

#define GICC_HD __host__ __device__ __forceinline__
#define GICC_FN static __device__ __forceinline__

struct alignas(2) GICC_SCALAR {
  GICC_NATIVE value;
  GICC_SCALAR() = default;
  GICC_HD GICC_SCALAR(float x) : value((GICC_NATIVE)x) {}
  GICC_HD GICC_SCALAR(double x) : value((GICC_NATIVE)(float)x) {}
  GICC_HD GICC_SCALAR(int x) : value((GICC_NATIVE)(float)x) {}
  GICC_HD GICC_SCALAR(unsigned x) : value((GICC_NATIVE)(float)x) {}
  GICC_HD GICC_SCALAR(short x) : value((GICC_NATIVE)(float)x) {}
  GICC_HD GICC_SCALAR(unsigned short x) : value((GICC_NATIVE)(float)x) {}
  GICC_HD GICC_SCALAR(long long x) : value((GICC_NATIVE)(float)x) {}
  GICC_HD GICC_SCALAR(unsigned long long x) : value((GICC_NATIVE)(float)x) {}
  GICC_HD operator float() const { return (float)value; }
  GICC_HD GICC_SCALAR &operator=(float x) { value = (GICC_NATIVE)x; return *this; }
  GICC_HD GICC_SCALAR &operator+=(GICC_SCALAR o) { value = value + o.value; return *this; }
  GICC_HD GICC_SCALAR &operator-=(GICC_SCALAR o) { value = value - o.value; return *this; }
  GICC_HD GICC_SCALAR &operator*=(GICC_SCALAR o) { value = value * o.value; return *this; }
  GICC_HD GICC_SCALAR &operator/=(GICC_SCALAR o) { value = value / o.value; return *this; }
};
struct alignas(4) GICC_PAIR {
  GICC_SCALAR x, y;
  GICC_PAIR() = default;
  GICC_HD GICC_PAIR(GICC_SCALAR x, GICC_SCALAR y) : x(x), y(y) {}
};
GICC_FN GICC_SCALAR GICC_FROM(GICC_NATIVE v) { return __builtin_bit_cast(GICC_SCALAR, v); }
GICC_FN GICC_PAIR GICC_FROM_VECTOR(GICC_VECTOR v) { return __builtin_bit_cast(GICC_PAIR, v); }
GICC_FN GICC_VECTOR GICC_TO_VECTOR(GICC_PAIR p) { return __builtin_bit_cast(GICC_VECTOR, p); }
GICC_FN GICC_SCALAR operator+(GICC_SCALAR a, GICC_SCALAR b) { return GICC_FROM(a.value + b.value); }
GICC_FN GICC_SCALAR operator-(GICC_SCALAR a, GICC_SCALAR b) { return GICC_FROM(a.value - b.value); }
GICC_FN GICC_SCALAR operator*(GICC_SCALAR a, GICC_SCALAR b) { return GICC_FROM(a.value * b.value); }
GICC_FN GICC_SCALAR operator/(GICC_SCALAR a, GICC_SCALAR b) { return GICC_FROM(a.value / b.value); }
GICC_FN GICC_SCALAR operator-(GICC_SCALAR a) { return GICC_FROM(-a.value); }
GICC_FN GICC_SCALAR operator+(GICC_SCALAR a) { return a; }
GICC_FN bool operator==(GICC_SCALAR a, GICC_SCALAR b) { return a.value == b.value; }
GICC_FN bool operator!=(GICC_SCALAR a, GICC_SCALAR b) { return a.value != b.value; }
GICC_FN bool operator<(GICC_SCALAR a, GICC_SCALAR b) { return a.value < b.value; }
GICC_FN bool operator<=(GICC_SCALAR a, GICC_SCALAR b) { return a.value <= b.value; }
GICC_FN bool operator>(GICC_SCALAR a, GICC_SCALAR b) { return a.value > b.value; }
GICC_FN bool operator>=(GICC_SCALAR a, GICC_SCALAR b) { return a.value >= b.value; }
GICC_FN GICC_PAIR operator+(GICC_PAIR a, GICC_PAIR b) { return GICC_FROM_VECTOR(GICC_TO_VECTOR(a) + GICC_TO_VECTOR(b)); }
GICC_FN GICC_PAIR operator-(GICC_PAIR a, GICC_PAIR b) { return GICC_FROM_VECTOR(GICC_TO_VECTOR(a) - GICC_TO_VECTOR(b)); }
GICC_FN GICC_PAIR operator*(GICC_PAIR a, GICC_PAIR b) { return GICC_FROM_VECTOR(GICC_TO_VECTOR(a) * GICC_TO_VECTOR(b)); }
GICC_FN GICC_PAIR operator/(GICC_PAIR a, GICC_PAIR b) { return GICC_FROM_VECTOR(GICC_TO_VECTOR(a) / GICC_TO_VECTOR(b)); }
GICC_FN GICC_PAIR &operator+=(GICC_PAIR &a, GICC_PAIR b) { return a = a + b; }
GICC_FN GICC_PAIR &operator-=(GICC_PAIR &a, GICC_PAIR b) { return a = a - b; }
GICC_FN GICC_PAIR &operator*=(GICC_PAIR &a, GICC_PAIR b) { return a = a * b; }
GICC_FN GICC_SCALAR __hadd(GICC_SCALAR a, GICC_SCALAR b) { return a + b; }
GICC_FN GICC_SCALAR __hsub(GICC_SCALAR a, GICC_SCALAR b) { return a - b; }
GICC_FN GICC_SCALAR __hmul(GICC_SCALAR a, GICC_SCALAR b) { return a * b; }
GICC_FN GICC_SCALAR __hdiv(GICC_SCALAR a, GICC_SCALAR b) { return a / b; }
GICC_FN GICC_SCALAR __hneg(GICC_SCALAR a) { return -a; }
GICC_FN GICC_SCALAR __habs(GICC_SCALAR a) { return GICC_FROM(__builtin_elementwise_abs(a.value)); }
GICC_FN GICC_SCALAR __hfma(GICC_SCALAR a, GICC_SCALAR b, GICC_SCALAR c) {
  return GICC_FROM(__builtin_elementwise_fma(a.value, b.value, c.value));
}
GICC_FN GICC_SCALAR __hmax(GICC_SCALAR a, GICC_SCALAR b) { return GICC_SCALAR(__builtin_fmaxf((float)a, (float)b)); }
GICC_FN GICC_SCALAR __hmin(GICC_SCALAR a, GICC_SCALAR b) { return GICC_SCALAR(__builtin_fminf((float)a, (float)b)); }
GICC_FN bool __heq(GICC_SCALAR a, GICC_SCALAR b) { return a == b; }
GICC_FN bool __hne(GICC_SCALAR a, GICC_SCALAR b) { return __builtin_islessgreater((float)a, (float)b); }
GICC_FN bool __hlt(GICC_SCALAR a, GICC_SCALAR b) { return a < b; }
GICC_FN bool __hle(GICC_SCALAR a, GICC_SCALAR b) { return a <= b; }
GICC_FN bool __hgt(GICC_SCALAR a, GICC_SCALAR b) { return a > b; }
GICC_FN bool __hge(GICC_SCALAR a, GICC_SCALAR b) { return a >= b; }
GICC_FN bool __hisnan(GICC_SCALAR a) { return __builtin_isnan((float)a); }
GICC_FN int __hisinf(GICC_SCALAR a) { return __builtin_isinf((float)a) ? ((float)a > 0 ? 1 : -1) : 0; }
GICC_FN GICC_PAIR __hadd2(GICC_PAIR a, GICC_PAIR b) { return a + b; }
GICC_FN GICC_PAIR __hsub2(GICC_PAIR a, GICC_PAIR b) { return a - b; }
GICC_FN GICC_PAIR __hmul2(GICC_PAIR a, GICC_PAIR b) { return a * b; }
GICC_FN GICC_PAIR __h2div(GICC_PAIR a, GICC_PAIR b) { return a / b; }
GICC_FN GICC_PAIR __hneg2(GICC_PAIR a) { return GICC_FROM_VECTOR(-GICC_TO_VECTOR(a)); }
GICC_FN GICC_PAIR __habs2(GICC_PAIR a) { return GICC_FROM_VECTOR(__builtin_elementwise_abs(GICC_TO_VECTOR(a))); }
GICC_FN GICC_PAIR __hfma2(GICC_PAIR a, GICC_PAIR b, GICC_PAIR c) {
  return GICC_FROM_VECTOR(__builtin_elementwise_fma(GICC_TO_VECTOR(a), GICC_TO_VECTOR(b), GICC_TO_VECTOR(c)));
}
GICC_FN GICC_PAIR __hmax2(GICC_PAIR a, GICC_PAIR b) { return GICC_PAIR(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
GICC_FN GICC_PAIR __hmin2(GICC_PAIR a, GICC_PAIR b) { return GICC_PAIR(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
GICC_FN bool __hbeq2(GICC_PAIR a, GICC_PAIR b) { return a.x == b.x && a.y == b.y; }
GICC_FN GICC_SCALAR hsqrt(GICC_SCALAR a) { return GICC_SCALAR(__builtin_sqrtf((float)a)); }
GICC_FN GICC_SCALAR hrsqrt(GICC_SCALAR a) { return GICC_SCALAR(rsqrtf((float)a)); }
GICC_FN GICC_SCALAR hrcp(GICC_SCALAR a) { return GICC_SCALAR(1.0f / (float)a); }
GICC_FN GICC_SCALAR hexp(GICC_SCALAR a) { return GICC_SCALAR(expf((float)a)); }
GICC_FN GICC_SCALAR hexp2(GICC_SCALAR a) { return GICC_SCALAR(exp2f((float)a)); }
GICC_FN GICC_SCALAR hlog(GICC_SCALAR a) { return GICC_SCALAR(logf((float)a)); }
GICC_FN GICC_SCALAR hlog2(GICC_SCALAR a) { return GICC_SCALAR(log2f((float)a)); }
GICC_FN GICC_SCALAR hsin(GICC_SCALAR a) { return GICC_SCALAR(sinf((float)a)); }
GICC_FN GICC_SCALAR hcos(GICC_SCALAR a) { return GICC_SCALAR(cosf((float)a)); }
GICC_FN GICC_SCALAR htanh(GICC_SCALAR a) { return GICC_SCALAR(tanhf((float)a)); }
GICC_FN GICC_SCALAR hfloor(GICC_SCALAR a) { return GICC_SCALAR(__builtin_floorf((float)a)); }
GICC_FN GICC_SCALAR hceil(GICC_SCALAR a) { return GICC_SCALAR(__builtin_ceilf((float)a)); }
GICC_FN GICC_SCALAR htrunc(GICC_SCALAR a) { return GICC_SCALAR(__builtin_truncf((float)a)); }
GICC_FN GICC_SCALAR hrint(GICC_SCALAR a) { return GICC_SCALAR(__builtin_rintf((float)a)); }
GICC_FN float __low2float(GICC_PAIR a) { return (float)a.x; }
GICC_FN float __high2float(GICC_PAIR a) { return (float)a.y; }
GICC_FN GICC_SCALAR atomicAdd(GICC_SCALAR *p, GICC_SCALAR v) {
  // The half of a 32-bit word that holds it is exchanged, for every target has that.
  unsigned *word = (unsigned *)((unsigned long long)p & ~3ull);
  unsigned shift = ((unsigned long long)p & 2) * 8, old = *(volatile unsigned *)word, seen;
  GICC_SCALAR before;
  do {
    seen = old;
    before = __builtin_bit_cast(GICC_SCALAR, (unsigned short)(seen >> shift));
    unsigned after = __builtin_bit_cast(unsigned short, before + v);
    old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | after << shift);
  } while (old != seen);
  return before;
}
GICC_FN GICC_PAIR atomicAdd(GICC_PAIR *p, GICC_PAIR v) {
  unsigned old = *(volatile unsigned *)p, seen;
  do {
    seen = old;
    old = atomicCAS((unsigned *)p, seen, __builtin_bit_cast(unsigned, __builtin_bit_cast(GICC_PAIR, seen) + v));
  } while (old != seen);
  return __builtin_bit_cast(GICC_PAIR, old);
}
GICC_FN GICC_SCALAR __shfl_sync(unsigned m, GICC_SCALAR v, int lane, int width = warpSize) {
  return __builtin_bit_cast(GICC_SCALAR, (unsigned short)__shfl_sync(m, (unsigned)__builtin_bit_cast(unsigned short, v), lane, width));
}
GICC_FN GICC_SCALAR __shfl_up_sync(unsigned m, GICC_SCALAR v, unsigned d, int width = warpSize) {
  return __builtin_bit_cast(GICC_SCALAR, (unsigned short)__shfl_up_sync(m, (unsigned)__builtin_bit_cast(unsigned short, v), d, width));
}
GICC_FN GICC_SCALAR __shfl_down_sync(unsigned m, GICC_SCALAR v, unsigned d, int width = warpSize) {
  return __builtin_bit_cast(GICC_SCALAR, (unsigned short)__shfl_down_sync(m, (unsigned)__builtin_bit_cast(unsigned short, v), d, width));
}
GICC_FN GICC_SCALAR __shfl_xor_sync(unsigned m, GICC_SCALAR v, int d, int width = warpSize) {
  return __builtin_bit_cast(GICC_SCALAR, (unsigned short)__shfl_xor_sync(m, (unsigned)__builtin_bit_cast(unsigned short, v), d, width));
}
GICC_FN GICC_PAIR __shfl_sync(unsigned m, GICC_PAIR v, int lane, int width = warpSize) {
  return __builtin_bit_cast(GICC_PAIR, __shfl_sync(m, __builtin_bit_cast(unsigned, v), lane, width));
}
GICC_FN GICC_PAIR __shfl_up_sync(unsigned m, GICC_PAIR v, unsigned d, int width = warpSize) {
  return __builtin_bit_cast(GICC_PAIR, __shfl_up_sync(m, __builtin_bit_cast(unsigned, v), d, width));
}
GICC_FN GICC_PAIR __shfl_down_sync(unsigned m, GICC_PAIR v, unsigned d, int width = warpSize) {
  return __builtin_bit_cast(GICC_PAIR, __shfl_down_sync(m, __builtin_bit_cast(unsigned, v), d, width));
}
GICC_FN GICC_PAIR __shfl_xor_sync(unsigned m, GICC_PAIR v, int d, int width = warpSize) {
  return __builtin_bit_cast(GICC_PAIR, __shfl_xor_sync(m, __builtin_bit_cast(unsigned, v), d, width));
}
GICC_FN GICC_SCALAR __ldg(const GICC_SCALAR *p) { return __builtin_bit_cast(GICC_SCALAR, __ldg((const unsigned short *)p)); }
GICC_FN GICC_PAIR __ldg(const GICC_PAIR *p) { return __builtin_bit_cast(GICC_PAIR, __ldg((const unsigned *)p)); }

#undef GICC_HD
#undef GICC_FN
