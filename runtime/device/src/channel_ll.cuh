// Channels of protocol `ll`: the flag travels in each 16-byte word, so nothing is fenced. The put side stores packets, the
// wait side polls them where they lie and unpacks them into the slot.
//
// Order. Each packet is one word, so data and flag come together. A packet's place is used again after twice as many messages
// as the channel has slots, when the put side knows that the message there was unpacked: each of its threads has read a
// credit itself, and the credit depends on every poll of the wait side: a thread's polls decide whether they were good, the
// group's answer (a barrier reduction, which carries values) is added to the count of messages received, and the credit is
// at most that count. So no packet can be stored before the poll of its forerunner has ended, though nobody fences (loads
// are not buffered past what depends on them).
//
// Credits. They are sent when a slot is given back, which is off the path between a message's arrival and its use, and once
// in as many messages as there are slots. Nobody waits in vain for one: a put side without room has sent twice as many
// messages as there are slots since the last credit, and of these fewer than `slots` were given back, so what the wait side
// waits for, with a slot free, has been sent.
//
// The unpacked bytes are ordinary stores, in front of the group's meeting: whoever the group synchronises with sees them.
// They overwrite a slot only when the group has met since all of its threads were done with it.
#pragma once

/// The flag of a message: it counts how often its place was used, from 1 on.
GICC_RT uint64_t ll_flag(uint64_t message, uint32_t places) { return message / places + 1; }

/// Bytes of a message's packets.
GICC_RT uint64_t ll_bytes(int64_t capacity, int32_t data) {
  return ((uint64_t)capacity + (uint32_t)data - 1) / (uint32_t)data * GICC_PACKET_BYTES;
}

/// Where the packets of a message lie.
GICC_RT char *ll_place(State *words, uint64_t message, uint32_t places, int64_t capacity, int32_t data) {
  return (char *)words + GICC_PACKETS_OFFSET + message % places * ll_bytes(capacity, data);
}

/// Bytes of a channel's storage.
GICC_RT uint64_t ll_storage(uint32_t places, int64_t capacity, int32_t data) {
  return GICC_PACKETS_OFFSET + places * ll_bytes(capacity, data);
}

/// Whether a message fits a slot and can go through the packets. None of it changes from message to message, so a kernel's
/// loop decides it once.
GICC_RT bool packets_fit(const void *words, uint64_t storage, const void *local, int64_t bytes, int64_t capacity,
                         int32_t element, int32_t pe) {
  bool aligned = (((uint64_t)local | (uint64_t)bytes) & low_bits(element)) == 0 && ((uint64_t)words & 15) == 0;
  return (int)in_team(pe) & (int)symmetric(words, (int64_t)storage) & (int)aligned & (int)(bytes >= 0) &
         (int)(bytes <= capacity);
}

/// Messages that were sent and for which no credit has come. A thread that has no packet in a message may see the credit for it
/// before it has counted it itself, so the number may be negative.
GICC_RT int32_t without_credit(uint64_t sent, uint64_t credit) { return (int32_t)((uint32_t)sent - (uint32_t)credit); }

/// Sends a message. words: the channel's storage; state: the words of this protocol in it; dst: the slots; most: bytes of a
/// message at most; capacity: bytes for which there are packets.
template <class Group>
GICC_RT void ll_put(Counters &c, State *words, State *state, const void *dst, const void *src, int64_t bytes,
                    int64_t most, int64_t capacity, int32_t element, int32_t slots, int32_t data, int32_t pe) {
  uint32_t places = 2 * (uint32_t)slots;
  uint64_t sent = c.sent, storage = ll_storage(places, capacity, data);
  bool fits = packets_fit(words, storage, src, bytes, most, element, pe);
  // Asked in front of the source's loads, and decided behind them: what waits for the credit that was asked for after the last
  // message would wait for loads that are under way, too, since the machine counts them together.
  bool go = (int)fits & (int)(without_credit(sent, c.credit) < (int32_t)places);
  bool room = pack<Group>((char *)peer_address(ll_place(words, sent, places, capacity, data), pe), (const char *)src, bytes,
                          element, data, ll_flag(sent, places), go, [&]() __attribute__((always_inline)) {
    if (fits)
      // Each thread for itself: what it stores then depends on what it has read.
      return poll_until<GICC_ORDER_RELAXED>(&state->credited, GICC_COMPARE_GT, sent - places, pe, c.credit);
    if (Group::speaks()) gicc_rt_fail_packets(words, storage, dst, src, bytes, most, element, pe);
    return false;
  });
  if (!room) return;
  c.sent = sent + 1;
  // The next credit is on its way while the group does something else.
  if (without_credit(sent + 1, c.credit) >= slots)
    c.credit = (uint64_t)__gicc_poll(&state->credited, GICC_ORDER_RELAXED, pe);
}

/// What each thread of the wait side does for a message of which the length is known: it polls its packets and stores what they
/// hold into the slot. Whether all of them came. Those that may not wait meet the others all the same, so that there is one way
/// from the meeting on.
template <class Group>
GICC_RT bool ll_take(const Counters &c, State *words, void *dst, int64_t bytes, int64_t most, int64_t slot_bytes,
                     int64_t capacity, int32_t element, int32_t slots, int32_t data, int32_t pe) {
  uint32_t places = 2 * (uint32_t)slots;
  uint64_t received = c.received, storage = ll_storage(places, capacity, data);
  char *slot = (char *)dst + (int64_t)(received % (uint32_t)slots) * slot_bytes;
  bool good = packets_fit(words, storage, dst, bytes, most, element, pe);
  if (__builtin_expect(!good, 0) && Group::speaks())
    gicc_rt_fail_packets(words, storage, dst, dst, bytes, most, element, pe);
  if (__builtin_expect(received - c.settled >= (uint32_t)slots, 0)) {
    if (received - c.returned < (uint32_t)slots) {
      Group::meet();
    } else {
      if (good && Group::speaks())
        gicc_rt_fail(GICC_ERROR_CODE_SLOTS_IN_USE, pe, 0, slot, (uint64_t)(uint32_t)slots, received - c.returned);
      good = false;
    }
  }
  char *packets = ll_place(words, received, places, capacity, data);
  return good && unpack<Group>(packets, slot, bytes, element, data, ll_flag(received, places), pe);
}

/// Gives the oldest slot back. The credit depends on the polls through the count of what was received.
template <class Group> GICC_RT void ll_done(Counters &c, State *state, int32_t slots, int32_t pe) {
  uint64_t returned = c.returned + 1;
  c.returned = returned;
  // By a thread that goes on last: it is not needed for long.
  if (returned % (uint32_t)slots == 0 && Group::rank() == Group::count() - 1)
    __gicc_signal_set(peer_address(&state->credited, pe), (int64_t)(returned < c.received ? returned : c.received),
                      GICC_ORDER_RELAXED, pe);
}
