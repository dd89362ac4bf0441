// The error word: the first error of a PE wins. Out of line: the checks are on the hot path, their failure is not.
#pragma once

/// Sets the PE's error word unless it is set. The caller goes on without having done anything.
extern "C" __device__ __attribute__((cold)) void gicc_rt_fail(uint32_t code, int32_t other_pe, uint32_t compare,
                                                              const void *address, uint64_t expected,
                                                              uint64_t observed);

/// The same for a transfer that failed its checks; finds out which of them.
extern "C" __device__ __attribute__((cold)) void gicc_rt_fail_transfer(const void *remote, const void *local,
                                                                       int64_t bytes, int32_t element, int32_t pe);

/// The same for a signal.
extern "C" __device__ __attribute__((cold)) void gicc_rt_fail_signal(const void *sig, int32_t pe);

/// The same for a message that is longer than its slot, or that cannot go by packets.
extern "C" __device__ __attribute__((cold)) void gicc_rt_fail_packets(const void *words, uint64_t storage,
                                                                      const void *dst, const void *local, int64_t bytes,
                                                                      int64_t capacity, int32_t element, int32_t pe);
