// One packet: its load, and its bounded poll.
#pragma once

/// The word at p now.
GICC_RT gicc_v2i64 packet_load(void *p) { return __gicc_load_b128(p, GICC_ORDER_RELAXED, GICC_SCOPE_SYS); }

/// Whether a word carries the flag.
GICC_RT bool packet_is(gicc_v2i64 word, int64_t flag, int64_t mask) {
  // A flag of 32 bits is one compare of the machine's.
  if (mask == (int64_t)0xffffffff00000000u) return (uint32_t)((uint64_t)word.y >> 32) == (uint32_t)((uint64_t)flag >> 32);
  return (word.y & mask) == flag;
}

/// Polls until the word at p carries the flag; the word last seen. It does not carry the flag where the wait gave up.
GICC_RT gicc_v2i64 packet_wait(void *p, int64_t flag, int64_t mask, int32_t source_pe) {
  Patience patience;
  gicc_v2i64 seen;
  bool over;
#pragma clang loop unroll(disable)
  do {
    seen = packet_load(p);
    if (patience.ends()) patience.look(p, GICC_COMPARE_EQ, (uint64_t)flag, (uint64_t)(seen.y & mask), source_pe);
    over = packet_is(seen, flag, mask);
    over |= patience.gave_up();
  } while (!over);
  return seen;
}
