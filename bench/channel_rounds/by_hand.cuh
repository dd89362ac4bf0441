// Rounds written out by hand: wide stores, a barrier and one st.release.sys; packets of 8 bytes of data and 8 of flag, one
// under way a thread; packets of 12 and 4 of which the receiver has two under way. One place for packets and no credits: the
// reply is what the sender waits for. Nothing here is bounded.
#pragma once

typedef unsigned long long u64;

namespace by_hand {
enum way { wide_stores, packets_8, packets_12 };

#define GICC_BY_HAND __device__ __forceinline__
GICC_BY_HAND void st_release(u64 *p, u64 v) { asm volatile("st.release.sys.global.u64 [%0],%1;" ::"l"(p), "l"(v) : "memory"); }
GICC_BY_HAND void st_relaxed(u64 *p, u64 v) { asm volatile("st.relaxed.sys.global.u64 [%0],%1;" ::"l"(p), "l"(v) : "memory"); }
GICC_BY_HAND u64 ld_acquire(u64 *p) {
  u64 v;
  asm volatile("ld.acquire.sys.global.u64 %0,[%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}
GICC_BY_HAND unsigned count_in(unsigned *p) {
  unsigned v;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0,[%1],1;" : "=r"(v) : "l"(p) : "memory");
  return v;
}
GICC_BY_HAND unsigned ld_acquire_gpu(unsigned *p) {
  unsigned v;
  asm volatile("ld.acquire.gpu.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
GICC_BY_HAND void st_packet(char *p, u64 a, u64 b) {
  asm volatile("{.reg .b128 t; mov.b128 t,{%1,%2}; st.relaxed.sys.global.b128 [%0],t;}" ::"l"(p), "l"(a), "l"(b) : "memory");
}
GICC_BY_HAND void ld_packet(const char *p, u64 &a, u64 &b) {
  asm volatile("{.reg .b128 t; ld.relaxed.sys.global.b128 t,[%2]; mov.b128 {%0,%1},t;}" : "=l"(a), "=l"(b) : "l"(p) : "memory");
}
GICC_BY_HAND long stride() { return (long)gridDim.x * blockDim.x; }
GICC_BY_HAND long rank() { return (long)blockIdx.x * blockDim.x + threadIdx.x; }

template <way W>
GICC_BY_HAND void send_one(long bytes, uint4 *there, char *packets, const uint4 *source, u64 i) {
  if constexpr (W == wide_stores) {
    long k = rank(), n = bytes / 16, s = stride();
    for (; k + 3 * s < n; k += 4 * s) {
      uint4 a = source[k], b = source[k + s], c = source[k + 2 * s], d = source[k + 3 * s];
      there[k] = a, there[k + s] = b, there[k + 2 * s] = c, there[k + 3 * s] = d;
    }
    for (; k < n; k += s) there[k] = source[k];
  } else if constexpr (W == packets_8) {
    for (long k = rank(); k < bytes / 8; k += stride()) st_packet(packets + k * 16, ((const u64 *)source)[k], i);
  } else {
    const unsigned *s = (const unsigned *)source;
    long n = bytes / 4;
    for (long k = rank(); k < (n + 2) / 3; k += stride()) {
      unsigned a = s[3 * k], b = 3 * k + 1 < n ? s[3 * k + 1] : 0, c = 3 * k + 2 < n ? s[3 * k + 2] : 0;
      st_packet(packets + k * 16, a | (u64)b << 32, c | i << 32);
    }
  }
}

template <way W> GICC_BY_HAND void take_one(long bytes, uint4 *here, const char *packets, u64 i) {
  if constexpr (W == packets_8) {
    for (long k = rank(); k < bytes / 8; k += stride()) {
      u64 a, f;
      do ld_packet(packets + k * 16, a, f);
      while (f != i);
      ((u64 *)here)[k] = a;
    }
  } else {
    unsigned *o = (unsigned *)here, flag = (unsigned)i;
    long n = bytes / 4, packets_in_all = (n + 2) / 3, k = rank(), s = stride();
    for (; k + s < packets_in_all; k += 2 * s) {
      u64 a, f, b, g;
      do {
        ld_packet(packets + k * 16, a, f);
        ld_packet(packets + (k + s) * 16, b, g);
      } while ((unsigned)(f >> 32) != flag || (unsigned)(g >> 32) != flag);
      o[3 * k] = (unsigned)a, o[3 * k + 1] = a >> 32, o[3 * k + 2] = (unsigned)f;
      long q = k + s;
      o[3 * q] = (unsigned)b;
      if (3 * q + 1 < n) o[3 * q + 1] = b >> 32;
      if (3 * q + 2 < n) o[3 * q + 2] = (unsigned)g;
    }
    for (; k < packets_in_all; k += s) {
      u64 a, f;
      do ld_packet(packets + k * 16, a, f);
      while ((unsigned)(f >> 32) != flag);
      o[3 * k] = (unsigned)a;
      if (3 * k + 1 < n) o[3 * k + 1] = a >> 32;
      if (3 * k + 2 < n) o[3 * k + 2] = (unsigned)f;
    }
  }
}

template <way W>
__device__ void send(long iterations, u64 first, long bytes, uint4 *there, char *packets, const uint4 *__restrict__ source,
                     u64 *flag, u64 *reply) {
  for (u64 i = first; i < first + iterations; i++) {
    send_one<W>(bytes, there, packets, source, i);
    if constexpr (W == wide_stores) {
      __syncthreads();
      if (threadIdx.x == 0) st_release(flag, i);
    }
    if (threadIdx.x == 0)
      while (ld_acquire(reply) < i) {}
    __syncthreads();
  }
}

template <way W>
__device__ void receive(long iterations, u64 first, long bytes, uint4 *here, const char *packets, u64 *flag, u64 *reply,
                        unsigned *arrived) {
  for (u64 i = first; i < first + iterations; i++) {
    if constexpr (W == wide_stores) {
      if (threadIdx.x == 0)
        while (ld_acquire(flag) < i) {}
    } else take_one<W>(bytes, here, packets, i);
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned goal = gridDim.x * (unsigned)i;
      if (gridDim.x == 1) st_relaxed(reply, i);
      else {
        if (count_in(arrived) == goal - 1) st_relaxed(reply, i);
        while (ld_acquire_gpu(arrived) < goal) {}
      }
    }
    __syncthreads();
  }
}
} // namespace by_hand
