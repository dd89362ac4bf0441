// What the kernels of this folder share: accesses as published kernels write them, and marks for those who judge.
//
// Every kernel is a template over the number of its mutant, 0 being the right form, and has the parameters
//   sym    symmetric memory, zero at the start, the same offset on every PE
//   out    memory of this PE alone, 64 slots of four words
//   phase  0, or 1 in a second launch that begins when the first has ended on every PE
//
// Marks are stores to `out` behind an access of the same thread: { got, want, element, kind } in one vector store.
//   CHECK    what the access returned must be `want`; slot k, each used once on a PE
//   CHECK_PACKET  the word { want, flag in its upper half } must be whole once its flag has arrived; slot k
//   CHECK_WORD    the same, and its flag must have arrived
//   SEEN_GE, SEEN_EQ   a poll has ended: the access returned at least, or exactly, `want`
//   PATH     what follows happens because of the value that the access returned
// After a run, slots below 32 hold got == want, or nothing where a check was not reached.
#pragma once
#include <gicc/gicc.cuh>

// No debug information, as in gicc.cuh: what stands here is reported at the line of the kernel that uses it.
#define DEV static __device__ inline __attribute__((always_inline, nodebug))
using u32 = unsigned;
using u64 = unsigned long long;

enum { CHECK_KIND = 1, PACKET_KIND = 2, WORD_KIND = 3, SEEN_GE_KIND = 4, SEEN_EQ_KIND = 5, PATH_KIND = 6 };

DEV void mark(u32 *out, u32 slot, u32 got, u32 want, u32 element, u32 kind) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(out + 4 * slot), "r"(got), "r"(want), "r"(element), "r"(kind) : "memory");
}
// Slots from 32 on belong to threads, of which there are at most 32 that mark.
DEV u32 own_slot() { return 32 + (blockIdx.x * blockDim.x + threadIdx.x) % 32; }
#define CHECK(k, got, want) mark(out, k, got, want, 0, CHECK_KIND)
#define CHECK_ELEMENT(k, element, got, want) mark(out, k, got, want, element, CHECK_KIND)
#define CHECK_PACKET(k, element, got, want, flag) mark(out, k, got, want, (element) + 256 * (flag), PACKET_KIND)
#define CHECK_WORD(k, element, got, want, flag) mark(out, k, got, want, (element) + 256 * (flag), WORD_KIND)
#define SEEN_GE(got, want) mark(out, own_slot(), got, want, 0, SEEN_GE_KIND)
#define SEEN_EQ(got, want) mark(out, own_slot(), got, want, 0, SEEN_EQ_KIND)
#define SEEN_ELEMENT(element, got, want) mark(out, own_slot(), got, want, element, SEEN_EQ_KIND)
#define PATH(got) mark(out, own_slot(), got, got, 0, PATH_KIND)

#define LOAD(name, opcode)                                                                                             \
  DEV u32 name(const u32 *p) { u32 v; asm volatile(opcode " %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
#define STORE(name, opcode)                                                                                            \
  DEV void name(u32 *p, u32 v) { asm volatile(opcode " [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
#define ATOM(name, opcode)                                                                                             \
  DEV u32 name(u32 *p, u32 v) { u32 o; asm volatile(opcode " %0, [%1], %2;" : "=r"(o) : "l"(p), "r"(v) : "memory"); return o; }
#define CAS(name, opcode)                                                                                              \
  DEV u32 name(u32 *p, u32 a, u32 b) { u32 o; asm volatile(opcode " %0, [%1], %2, %3;" : "=r"(o) : "l"(p), "r"(a), "r"(b) : "memory"); return o; }
#define FENCE(name, opcode)                                                                                            \
  DEV void name() { asm volatile(opcode ";" ::: "memory"); }

LOAD(ld_weak, "ld.global.u32")
LOAD(ld_nc, "ld.global.nc.u32")
LOAD(ld_volatile, "ld.volatile.global.u32")
LOAD(ld_relaxed_gpu, "ld.relaxed.gpu.global.u32")
LOAD(ld_relaxed_sys, "ld.relaxed.sys.global.u32")
LOAD(ld_acquire_gpu, "ld.acquire.gpu.global.u32")
LOAD(ld_acquire_sys, "ld.acquire.sys.global.u32")
STORE(st_weak, "st.global.u32")
STORE(st_volatile, "st.volatile.global.u32")
STORE(st_relaxed_gpu, "st.relaxed.gpu.global.u32")
STORE(st_relaxed_sys, "st.relaxed.sys.global.u32")
STORE(st_release_gpu, "st.release.gpu.global.u32")
STORE(st_release_sys, "st.release.sys.global.u32")
STORE(red_relaxed_sys, "red.relaxed.sys.global.add.u32")
STORE(red_release_sys, "red.release.sys.global.add.u32")
STORE(red_release_gpu, "red.release.gpu.global.add.u32")
ATOM(add_relaxed_gpu, "atom.relaxed.gpu.global.add.u32")
ATOM(add_acquire_gpu, "atom.acquire.gpu.global.add.u32")
ATOM(add_release_gpu, "atom.release.gpu.global.add.u32")
ATOM(add_acq_rel_gpu, "atom.acq_rel.gpu.global.add.u32")
ATOM(add_relaxed_sys, "atom.relaxed.sys.global.add.u32")
ATOM(exch_release_sys, "atom.release.sys.global.exch.b32")
ATOM(exch_relaxed_sys, "atom.relaxed.sys.global.exch.b32")
CAS(cas_acquire_sys, "atom.acquire.sys.global.cas.b32")
CAS(cas_acquire_gpu, "atom.acquire.gpu.global.cas.b32")
CAS(cas_relaxed_sys, "atom.relaxed.sys.global.cas.b32")
CAS(cas_release_sys, "atom.release.sys.global.cas.b32")
FENCE(fence_acq_rel_sys, "fence.acq_rel.sys")
FENCE(fence_acq_rel_gpu, "fence.acq_rel.gpu")
FENCE(fence_sc_sys, "fence.sc.sys")
FENCE(fence_sc_gpu, "fence.sc.gpu")
FENCE(fence_release_sys, "fence.release.sys")
FENCE(fence_acquire_sys, "fence.acquire.sys")
FENCE(fence_proxy_async, "fence.proxy.async")
FENCE(fence_proxy_async_global, "fence.proxy.async.global")
FENCE(fence_proxy_async_shared, "fence.proxy.async.shared::cta")

// Polls until the value is at least `want`. The load is a macro argument: its kind is what the kernels are about.
#define POLL_GE(load, address, want)                                                                                   \
  do {                                                                                                                 \
    u32 seen_;                                                                                                         \
    do { seen_ = load(address); } while (seen_ < (want));                                                              \
    SEEN_GE(seen_, want);                                                                                              \
  } while (0)

// Symmetric memory: 16 lines of 64 bytes for data, then 16 for flags.
#define DATA(n) (sym + 16 * (n))
#define FLAG(n) (sym + 256 + 16 * (n))
DEV u32 *at(u32 *p, int pe) { return gicc::peer_ptr(p, pe); }
#define ME gicc::my_pe()
#define T0 (threadIdx.x == 0)
#define T1 (threadIdx.x == 1)

#define KERNEL(name) template <int M> static __device__ __forceinline__ void name(u32 *sym, u32 *out, int phase)
#define ENTRY(name, m) extern "C" __global__ void name##_##m(u32 *sym, u32 *out, int phase) { name<m>(sym, out, phase); }
#define ENTRIES_1(name) ENTRY(name, 0) ENTRY(name, 1)
#define ENTRIES_2(name) ENTRIES_1(name) ENTRY(name, 2)
#define ENTRIES_3(name) ENTRIES_2(name) ENTRY(name, 3)
#define ENTRIES_4(name) ENTRIES_3(name) ENTRY(name, 4)
#define ENTRIES_5(name) ENTRIES_4(name) ENTRY(name, 5)
#define ENTRIES_6(name) ENTRIES_5(name) ENTRY(name, 6)
