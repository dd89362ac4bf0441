// The checks and the copy that put, put_signal, get and channels share.
#pragma once

#include "copy.cuh"

// The checks are joined by `&`, so that they are one branch.

/// Whether a transfer may go ahead: a PE of the team, the symmetric side inside this PE's segment, both addresses and the
/// size multiples of the element.
GICC_RT bool transfer_fits(const void *remote, const void *local, int64_t bytes, int32_t element, int32_t pe) {
  uint64_t low = low_bits(element);
  bool aligned = (((uint64_t)remote | (uint64_t)local | (uint64_t)bytes) & low) == 0;
  return (int)in_team(pe) & (int)symmetric(remote, bytes) & (int)aligned;
}

/// Whether sig is a signal (or `bytes` bytes of them) that may be sent to PE pe, or waited for from it.
GICC_RT bool signal_fits(const void *sig, int32_t pe, int64_t bytes) {
  return (int)in_team(pe) & (int)symmetric(sig, bytes) & (int)(((uint64_t)sig & 7) == 0);
}

/// transfer_fits; where not, sets the error word. The same for all threads of the group.
template <class Group>
GICC_RT bool transfer_ok(const void *remote, const void *local, int64_t bytes, int32_t element, int32_t pe) {
  if (__builtin_expect(transfer_fits(remote, local, bytes, element, pe), 1)) return true;
  if (Group::speaks()) gicc_rt_fail_transfer(remote, local, bytes, element, pe);
  return false;
}

/// signal_fits; where not, sets the error word.
template <class Group> GICC_RT bool signal_ok(const void *sig, int32_t pe, int64_t bytes = sizeof(uint64_t)) {
  if (__builtin_expect(signal_fits(sig, pe, bytes), 1)) return true;
  if (Group::speaks()) gicc_rt_fail_signal(sig, pe);
  return false;
}

/// Stores to the peer. Orders nothing, and does not meet.
template <class Group> GICC_RT void put_checked(void *dst, const void *src, int64_t bytes, int32_t pe) {
  copy_to_global<Group>(peer_address(dst, pe), src, (uint64_t)bytes);
}

/// The speaker's signal; `order` is what it has to carry.
template <class Group>
GICC_RT void send_signal(void *sig, int64_t value, int32_t operation, int32_t order, int32_t pe) {
  if (!Group::speaks()) return;
  void *there = peer_address(sig, pe);
  if (operation == GICC_SIGNAL_OP_ADD) __gicc_signal_add(there, value, order, pe);
  else __gicc_signal_set(there, value, order, pe);
}
