// Pattern 6: data that is its own flag.
#include "weak.h"

DEV void st_b128(u32 *p, u64 data, u64 flag) {
  asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.sys.global.b128 [%0], q; }" ::"l"(p), "l"(data), "l"(flag) : "memory");
}
DEV void ld_b128(const u32 *p, u64 &data, u64 &flag) {
  asm volatile("{ .reg .b128 q; ld.relaxed.sys.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }" : "=l"(data), "=l"(flag) : "l"(p) : "memory");
}
DEV void st_v2(u32 *p, u64 a, u64 b) {
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(a), "l"(b) : "memory");
}
DEV void ld_v2(const u32 *p, u64 &a, u64 &b) {
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
}
DEV void st_v4(u32 *p, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
DEV void ld_v4(const u32 *p, u32 &a, u32 &b, u32 &c, u32 &d) {
  asm volatile("ld.relaxed.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
}

// Eight bytes of data and a flag of eight bytes in one word.
KERNEL(packet_128) {
  if (!T0) return;
  if (ME == 0) {
    if (M == 0) st_b128(at(DATA(0), 1), 61, 1);
    if (M == 1) st_v2(at(DATA(0), 1), 61, 1);
  } else {
    u64 data, flag;
    do { ld_b128(DATA(0), data, flag); } while (flag != 1);
    CHECK_PACKET(0, 0, (u32)data, 61, 1);
  }
}
ENTRIES_1(packet_128)

// The same halves on both sides: as a vector they have no mutual order.
KERNEL(packet_halves) {
  if (!T0) return;
  if (ME == 0) {
    if (M == 1) st_v2(at(DATA(0), 1), 62, 1);
    else { st_relaxed_sys(at(DATA(0), 1), 62); st_release_sys(at(DATA(0) + 2, 1), 1); }
  } else {
    u64 data, flag;
    if (M == 1) {
      do { ld_v2(DATA(0), data, flag); } while (flag != 1);
      SEEN_ELEMENT(1, (u32)flag, 1);
    } else {
      POLL_GE(ld_acquire_sys, DATA(0) + 2, 1);
      data = ld_relaxed_sys(DATA(0));
    }
    CHECK(0, (u32)data, 62);
  }
}
ENTRIES_1(packet_halves)

// Two words of eight bytes, each with its own flag in the upper half.
KERNEL(packet_64) {
  if (!T0) return;
  const u64 flag = 1ull << 32;
  if (ME == 0) {
    if (M == 2) st_v4(at(DATA(0), 1), 63, 1, 64, 1);
    else st_v2(at(DATA(0), 1), 63 | flag, 64 | flag);
  } else if (M == 2) {
    u32 a, f, b, g;
    do { ld_v4(DATA(0), a, f, b, g); } while (f != 1 || g != 1);
    SEEN_ELEMENT(1, f, 1);
    SEEN_ELEMENT(3, g, 1);
    CHECK_ELEMENT(0, 0, a, 63);
    CHECK_ELEMENT(1, 2, b, 64);
  } else {
    u64 a, b;
    // A word that has come is whole: its lower half is what belongs to its flag.
    do { ld_v2(DATA(0), a, b); } while (a >> 32 != 1 || (M == 0 && b >> 32 != 1));
    CHECK_PACKET(0, 0, (u32)a, 63, 1);
    if (M == 1) CHECK_WORD(1, 1, (u32)b, 64, 1);
    else CHECK_PACKET(1, 1, (u32)b, 64, 1);
  }
}
ENTRIES_2(packet_64)

// Lamport: a value that is not the initial one has arrived. Each word is looked at.
KERNEL(lamport) {
  if (!T0) return;
  if (ME == 0) {
    st_relaxed_sys(at(DATA(0), 1), 65);
    st_relaxed_sys(at(DATA(1), 1), 66);
  } else {
    POLL_GE(ld_relaxed_sys, DATA(0), 1);
    if (M == 0) POLL_GE(ld_relaxed_sys, DATA(1), 1);
    u32 v = ld_relaxed_sys(DATA(1));
    CHECK(0, v, 66);
  }
}
ENTRIES_1(lamport)

// Two PEs exchange packets in turns; slots alternate, and who polls sends the next.
KERNEL(packet_slots) {
  if (!T0) return;
  u32 k = 0;
  const int rounds = M == 1 ? 2 : 3;
  for (int e = 1; e <= rounds; ++e) {
    const int slot = M == 1 ? 0 : e & 1;
    st_relaxed_sys(at(DATA(slot), 1 - ME), e);
    u32 seen;
    do { seen = ld_relaxed_sys(DATA(slot)); } while (seen < e);
    SEEN_GE(seen, e);
    CHECK(k++, seen, e);
  }
}
ENTRIES_1(packet_slots)
