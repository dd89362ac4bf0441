// The symmetric heap: whether an address lies in this PE's segment, and where its twin on a peer is.
#pragma once

/// Memory of a GPU, so that loads and stores come out as `ld.global` and `st.global`.
#define GICC_GLOBAL __attribute__((address_space(1)))

/// The offset of p in this PE's segment; beyond the segment's end for an address that is not in it.
GICC_RT uint64_t heap_offset(const void *p) {
  return (uint64_t)p - ((uint64_t)__gicc_heap_base() + (uint64_t)__gicc_my_pe() * (uint64_t)__gicc_heap_stride());
}

/// Whether `bytes` bytes at p lie in this PE's segment. A negative count is a huge one, so the answer is no.
GICC_RT bool symmetric(const void *p, int64_t bytes) {
  uint64_t segment = (uint64_t)__gicc_heap_bytes();
  return ((uint64_t)bytes <= segment) & (heap_offset(p) <= segment - (uint64_t)bytes);
}

/// Whether pe is one of the team.
GICC_RT bool in_team(int32_t pe) { return (uint32_t)pe < (uint32_t)__gicc_n_pes(); }

/// The address on PE pe of the symmetric p.
GICC_RT void *peer_address(const void *p, int32_t pe) {
  return (char *)p + (int64_t)(pe - __gicc_my_pe()) * __gicc_heap_stride();
}

/// The mask of the low bits that must be zero in an address or count of elements of this alignment.
GICC_RT uint64_t low_bits(int32_t element) { return (uint64_t)(element & -element) - 1; }
