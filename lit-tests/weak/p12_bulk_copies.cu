// Pattern 12: the asynchronous proxy.
#include "weak.h"

DEV u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
// Words of 8 bytes: the copy unit's accesses are taken to be as wide, and a race of different sizes would void the axioms.
DEV void st_shared(u32 address, u64 v) { asm volatile("st.shared.u64 [%0], %1;" ::"r"(address), "l"(v) : "memory"); }
DEV u32 ld_word(const u32 *p) { u64 v; asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory"); return (u32)v; }
DEV void bulk_store(u32 *to, u32 from) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(to), "r"(from) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
DEV void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
DEV void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

// A tile is written by thread 1, copied to the peer by thread 0, and signalled.
KERNEL(bulk_put) {
  __shared__ __align__(16) u32 tile[4];
  const u32 address = shared_address(tile);
  if (ME == 0) {
    if (T1) st_shared(address, 121);
    if (M != 1 && T1) fence_proxy_async_shared();
    if (M != 2) __syncthreads();
    if (!T0) return;
    bulk_store(at(DATA(0), 1), address);
    if (M == 3) bulk_wait_read();
    else if (M != 4) bulk_wait();
    if (M == 5) st_relaxed_sys(at(FLAG(0), 1), 1);
    else if (M == 6) st_release_gpu(at(FLAG(0), 1), 1);
    else st_release_sys(at(FLAG(0), 1), 1);
    if (M == 3) bulk_wait();
  } else if (T0) {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_word(DATA(0));
    CHECK(0, v, 121);
  }
}
ENTRIES_6(bulk_put)

// A slot that was read by ordinary loads is filled again by a copy.
KERNEL(bulk_refill) {
  __shared__ __align__(16) u32 tile[4];
  const u32 address = shared_address(tile);
  if (!T0) return;
  if (ME == 0) {
    st_shared(address, 122);
    fence_proxy_async_shared();
    if (M == 1) POLL_GE(ld_relaxed_sys, FLAG(1), 1);
    else if (M != 3) POLL_GE(ld_acquire_sys, FLAG(1), 1);
    if (M != 2) fence_proxy_async_global();
    bulk_store(at(DATA(0), 1), address);
    bulk_wait();
  } else {
    u32 v = ld_word(DATA(0));
    CHECK(0, v, 0);
    st_release_sys(at(FLAG(1), 0), 1);
  }
}
ENTRIES_3(bulk_refill)

// The source tile is written again when the copy has read it.
KERNEL(bulk_source_reuse) {
  __shared__ __align__(16) u32 tile[4];
  const u32 address = shared_address(tile);
  if (!T0) return;
  if (ME == 0) {
    st_shared(address, 123);
    fence_proxy_async_shared();
    bulk_store(at(DATA(0), 1), address);
    if (M != 1) bulk_wait_read();
    st_shared(address, 124);
    bulk_wait();
    st_release_sys(at(FLAG(0), 1), 1);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_word(DATA(0));
    CHECK(0, v, 123);
  }
}
ENTRIES_1(bulk_source_reuse)

// PE 1 fetches with the copy unit what PE 0 has stored and signalled, and waits on an mbarrier.
KERNEL(bulk_get) {
  __shared__ __align__(16) u32 tile[4];
  __shared__ __align__(8) u64 barrier;
  if (!T0) return;
  if (ME == 0) {
    asm volatile("st.global.u64 [%0], %1;" ::"l"(at(DATA(0), 1)), "l"(125ull) : "memory");
    st_release_sys(at(FLAG(0), 1), 1);
  } else {
    const u32 to = shared_address(tile), done = shared_address(&barrier);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(done) : "memory");
    fence_proxy_async_shared();
    if (M == 1) POLL_GE(ld_relaxed_sys, FLAG(0), 1);
    else POLL_GE(ld_acquire_sys, FLAG(0), 1);
    if (M != 2) fence_proxy_async_global();
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 16; }" ::"r"(done) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(to), "l"(DATA(0)), "r"(done) : "memory");
    u32 complete = M == 3;
    while (!complete)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(complete) : "r"(done) : "memory");
    u64 word;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(word) : "r"(to) : "memory");
    CHECK(0, (u32)word, 125);
  }
}
ENTRIES_3(bulk_get)
