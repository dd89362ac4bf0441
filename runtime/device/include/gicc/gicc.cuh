// gicc's interface for CUDA C++: communication that a kernel starts itself. Every function here is one call of an
// intrinsic of `gicc/abi.h`; the compiler gives the intrinsics their meaning, so no algorithm stands in this file.
//
// Who calls together is a template argument: `gicc::thread` (the default), `gicc::warp` or `gicc::block`; for collectives
// `gicc::block` or `gicc::grid`. All threads of
// the group call with the same arguments. Where a name has no template argument, its comment says who calls.
//
// Buffers and signals are *symmetric*: allocated on every PE at the same offset of the symmetric heap. An argument that
// has to be symmetric is a pointer into the caller's own part; the PE number says whose part is meant.
//
// Errors: a mistake that shows only at run time (a PE out of range, an address outside the symmetric heap, a size that is
// negative or no multiple of the element, a wait that reached its bound) sets the PE's error word, once, and the
// operation does nothing; the launcher reports the word. `gicc::error()` reads it in the kernel.
#pragma once

#include "gicc/abi.h"
#include "gicc/annotations.cuh"

// CUDA's 16-bit types, whose headers a program includes where it uses them.
struct __half;
struct __nv_bfloat16;

namespace gicc {

// No debug information: what is inlined from here stands at the user's call, in messages and in profilers.
#define GICC_INLINE __device__ inline __attribute__((always_inline, nodebug))

/// Who executes an operation together.
enum class group {
  thread = GICC_GROUP_THREAD,
  warp = GICC_GROUP_WARP,
  block = GICC_GROUP_BLOCK,
  grid, // collectives only, which have a function for each
};
inline constexpr group thread = group::thread;
inline constexpr group warp = group::warp;
inline constexpr group block = group::block;
inline constexpr group grid = group::grid;

/// How a wait compares the signal (left) with its value (right); both unsigned.
enum class cmp {
  eq = GICC_COMPARE_EQ,
  ne = GICC_COMPARE_NE,
  gt = GICC_COMPARE_GT,
  ge = GICC_COMPARE_GE,
  lt = GICC_COMPARE_LT,
  le = GICC_COMPARE_LE,
};

/// What a signal does to its word: store the value, or add it atomically.
enum class op { set = GICC_SIGNAL_OP_SET, add = GICC_SIGNAL_OP_ADD };

/// What a signal orders. `release`: what the group wrote before is visible to whoever waits for the signal. `relaxed`:
/// nothing; for signals behind a `gicc::release()` of the same group, and for counts that carry no data. (A signal that
/// releases covers no relaxed signal after it.)
enum class order { relaxed = GICC_ORDER_RELAXED, release = GICC_ORDER_RELEASE };

/// How far an ordering reaches; `automatic` leaves it to the compiler, which takes `sys` unless it can prove less.
enum class scope {
  cta = GICC_SCOPE_CTA,
  cluster = GICC_SCOPE_CLUSTER,
  gpu = GICC_SCOPE_GPU,
  sys = GICC_SCOPE_SYS,
  automatic = GICC_SCOPE_AUTO,
};

/// How the bytes of a channel travel.
enum class protocol {
  simple = GICC_PROTOCOL_SIMPLE,
  ll = GICC_PROTOCOL_LL,
  bulk = GICC_PROTOCOL_BULK,
  queue = GICC_PROTOCOL_QUEUE,
  automatic = GICC_PROTOCOL_AUTOMATIC,
};

/// Who carries out an initiation; of the engines only `direct` is built, which is what `automatic` takes.
enum class engine {
  direct = GICC_ENGINE_DIRECT,
  sm = GICC_ENGINE_SM,
  proxy = GICC_ENGINE_PROXY,
  nvshmem = GICC_ENGINE_NVSHMEM,
  sim = GICC_ENGINE_SIM,
  automatic = GICC_ENGINE_AUTO,
};

/// What went wrong on this PE; see `error()`.
enum class error_code {
  none = GICC_ERROR_CODE_NONE,
  timeout = GICC_ERROR_CODE_TIMEOUT,
  pe_out_of_range = GICC_ERROR_CODE_PE_OUT_OF_RANGE,
  not_symmetric = GICC_ERROR_CODE_NOT_SYMMETRIC,
  bad_size = GICC_ERROR_CODE_BAD_SIZE,
  misaligned = GICC_ERROR_CODE_MISALIGNED,
  too_many_blocks = GICC_ERROR_CODE_TOO_MANY_BLOCKS,
  over_capacity = GICC_ERROR_CODE_OVER_CAPACITY,
  slots_in_use = GICC_ERROR_CODE_SLOTS_IN_USE,
  bad_team = GICC_ERROR_CODE_BAD_TEAM,
};

/// A signal: a 64-bit word of symmetric memory, aligned to 8 bytes, that peers set or add to. Any 64-bit integer type
/// serves as well.
using signal_t = uint64_t;

/// A named set of symmetric buffers, and how far its orderings reach. Domain 0 is the whole symmetric heap, on which every
/// buffer may be named. GICC_DECLARE_DOMAIN gives a domain its name; `gicc::domain(3)` is the domain of that number.
struct domain {
  uint32_t id = 0;
  scope reach = scope::automatic;
  // Inlined before calls are checked and fences placed, so that the scope is a constant there.
  __attribute__((always_inline)) constexpr domain() = default;
  __attribute__((always_inline)) __host__ __device__ constexpr domain(uint32_t id, scope reach = scope::automatic) : id(id), reach(reach) {}
};

// The declaration of a domain, outside functions, in a header that all kernels' sources include:
//
//   GICC_DECLARE_DOMAIN(halo, 1, gicc::scope::gpu);         // name, number from 1 to GICC_LARGEST_DOMAIN, scope (or none)
//   __global__ void k(float *edge GICC_DOMAIN("halo"), …)    // a member, by the name
//   how.in = halo;                                           // the domain as a value
//
// One name has one number and one scope, and one number one name, in all sources that are compiled together. Once a domain
// has members, an initiation on it whose destination is known to be none of them is refused.
#define GICC_DECLARE_DOMAIN(name, ...)                                                                                      \
  static __device__ constexpr __attribute__((used, annotate("gicc.declares_domain:" #name))) gicc::domain name{__VA_ARGS__};\
  static_assert(name.id >= 1 && name.id <= GICC_LARGEST_DOMAIN, "a domain's number is 1 to GICC_LARGEST_DOMAIN")

namespace detail {
template <class T> struct identity { using type = T; };
template <class T> using identity_t = typename identity<T>::type;

// Alignment is what the runtime has to know of an element; its size is in the byte count.
template <class T> struct element {
  static_assert(__is_trivially_copyable(T), "gicc moves bytes: the element type must be trivially copyable");
  static_assert(!__is_const(T) && !__is_volatile(T), "the destination's element type must not be const or volatile");
  static constexpr int32_t align = alignof(T);
  static constexpr long long size = sizeof(T);
};

template <class S> GICC_INLINE void *signal_word(S *p) {
  static_assert(sizeof(S) == 8 && __is_integral(S), "a signal is a 64-bit integer");
  return (void *)p;
}

template <class> inline constexpr bool unsupported = false;
} // namespace detail

/// This PE, 0 to n_pes() - 1.
GICC_INLINE int my_pe() { return __gicc_my_pe(); }

/// Number of PEs of the team.
GICC_INLINE int n_pes() { return __gicc_n_pes(); }

/// The address on PE pe of the symmetric p, for plain loads and stores; null, with an error word, where p is not
/// symmetric or pe is out of range. Accesses through it are ordered by `release`, `acquire`, signals and waits; signals
/// themselves are sent by `signal` and waited for on the PE that they are on, not read through it.
template <class T> GICC_INLINE T *peer_ptr(T *p, int pe) { return (T *)__gicc_peer_ptr((void *)p, pe); }

/// Stores count elements from src (any memory) to the symmetric dst on PE pe. Orders nothing: a later release signal or
/// `release` of the same group publishes it. The group's threads share the work, so what they wrote to src themselves has
/// to be visible to the whole group before (`__syncwarp`, `__syncthreads`), and src may be reused after the next such
/// convergence.
template <group G = thread, class T>
GICC_INLINE void put(T *dst, const detail::identity_t<T> *src, long long count, int pe) {
  using e = detail::element<T>;
  if constexpr (G == thread) __gicc_put_thread(dst, src, count * e::size, e::align, pe);
  else if constexpr (G == warp) __gicc_put_warp(dst, src, count * e::size, e::align, pe);
  else __gicc_put_block(dst, src, count * e::size, e::align, pe);
}

/// `put` of bytes at any alignment.
template <group G = thread> GICC_INLINE void put_bytes(void *dst, const void *src, long long bytes, int pe) {
  if constexpr (G == thread) __gicc_put_thread(dst, src, bytes, 1, pe);
  else if constexpr (G == warp) __gicc_put_warp(dst, src, bytes, 1, pe);
  else __gicc_put_block(dst, src, bytes, 1, pe);
}

/// Loads count elements from the symmetric src on PE pe to dst (any memory). Afterwards the group may read dst. What the
/// peer wrote is seen if an `acquire` or wait of this group brought it here.
template <group G = thread, class T>
GICC_INLINE void get(T *dst, const detail::identity_t<T> *src, long long count, int pe) {
  using e = detail::element<T>;
  if constexpr (G == thread) __gicc_get_thread(dst, src, count * e::size, e::align, pe);
  else if constexpr (G == warp) __gicc_get_warp(dst, src, count * e::size, e::align, pe);
  else __gicc_get_block(dst, src, count * e::size, e::align, pe);
}

/// `get` of bytes at any alignment.
template <group G = thread> GICC_INLINE void get_bytes(void *dst, const void *src, long long bytes, int pe) {
  if constexpr (G == thread) __gicc_get_thread(dst, src, bytes, 1, pe);
  else if constexpr (G == warp) __gicc_get_warp(dst, src, bytes, 1, pe);
  else __gicc_get_block(dst, src, bytes, 1, pe);
}

/// `put`, then one signal of the group on the same PE with release: whoever waits for the signal sees the elements, and
/// all else that the group wrote before.
template <group G = thread, class T, class S>
GICC_INLINE void put_signal(T *dst, const detail::identity_t<T> *src, long long count, S *sig, uint64_t value, int pe,
                            op what = op::set) {
  using e = detail::element<T>;
  void *word = detail::signal_word(sig);
  const int32_t w = (int32_t)what;
  if constexpr (G == thread)
    __gicc_put_signal_thread(dst, src, count * e::size, e::align, word, (int64_t)value, w, pe);
  else if constexpr (G == warp)
    __gicc_put_signal_warp(dst, src, count * e::size, e::align, word, (int64_t)value, w, pe);
  else
    __gicc_put_signal_block(dst, src, count * e::size, e::align, word, (int64_t)value, w, pe);
}

/// `put_signal` of bytes at any alignment.
template <group G = thread, class S>
GICC_INLINE void put_signal_bytes(void *dst, const void *src, long long bytes, S *sig, uint64_t value, int pe,
                                  op what = op::set) {
  void *word = detail::signal_word(sig);
  const int32_t w = (int32_t)what;
  if constexpr (G == thread) __gicc_put_signal_thread(dst, src, bytes, 1, word, (int64_t)value, w, pe);
  else if constexpr (G == warp) __gicc_put_signal_warp(dst, src, bytes, 1, word, (int64_t)value, w, pe);
  else __gicc_put_signal_block(dst, src, bytes, 1, word, (int64_t)value, w, pe);
}

/// Sets or adds to the signal on PE pe, once for the group. With `order::release` what the group wrote before, to
/// whomever, is visible to whoever waits for the signal. Signals are not data for each other: two signals of one thread may
/// be seen in either order, unless the thread writes, waits or meets others in between. A signal is waited for on the PE
/// that it is on; reading a peer's signal word through `peer_ptr` is not ordered by it where pe is this PE.
template <group G = thread, class S>
GICC_INLINE void signal(S *sig, uint64_t value, int pe, op what = op::set, order o = order::release) {
  void *word = detail::signal_word(sig);
  const int32_t w = (int32_t)what, r = (int32_t)o;
  if constexpr (G == thread) __gicc_notify_thread(word, (int64_t)value, w, r, pe);
  else if constexpr (G == warp) __gicc_notify_warp(word, (int64_t)value, w, r, pe);
  else __gicc_notify_block(word, (int64_t)value, w, r, pe);
}

/// The source of a signal that several PEs send.
inline constexpr int any_pe = -1;

/// Waits until this PE's signal compares with value as asked; returns the value that did. What was released with it is
/// visible to the whole group afterwards, and the group is converged. source_pe: who sends the signal, or `any_pe`; named
/// in the error word where the wait reaches its bound, in which case the value last seen is returned. By a thread: it waits
/// alone, and the threads of its warp may go on at different times; where they go on together, `__syncwarp()` after the
/// wait keeps what follows from running in pieces.
template <group G = thread, class S> GICC_INLINE uint64_t wait(S *sig, cmp how, uint64_t value, int source_pe) {
  void *word = detail::signal_word(sig);
  const int32_t c = (int32_t)how;
  if constexpr (G == thread) return (uint64_t)__gicc_wait_thread(word, c, (int64_t)value, source_pe);
  else if constexpr (G == warp) return (uint64_t)__gicc_wait_warp(word, c, (int64_t)value, source_pe);
  else return (uint64_t)__gicc_wait_block(word, c, (int64_t)value, source_pe);
}

/// Whether this PE's signal compares now. Called by one thread; where it is true, what was released with the value is
/// visible to that thread afterwards.
template <class S> GICC_INLINE bool test(S *sig, cmp how, uint64_t value) {
  return __gicc_test(detail::signal_word(sig), (int32_t)how, (int64_t)value) != 0;
}

/// Publishes what the group wrote before: signals that the *same group* sends afterwards may be relaxed. (A block's
/// signals are sent by its first thread and a warp's by its first lane, which are also the threads that publish; other
/// threads' relaxed signals carry nothing.)
template <group G = thread> GICC_INLINE void release(domain d = {}) {
  if constexpr (G == thread) __gicc_release_thread((int32_t)d.reach, (int32_t)d.id);
  else if constexpr (G == warp) __gicc_release_warp((int32_t)d.reach, (int32_t)d.id);
  else __gicc_release_block((int32_t)d.reach, (int32_t)d.id);
}

/// `release` with a scope of its own.
template <group G = thread> GICC_INLINE void release(scope s, domain d = {}) {
  release<G>(domain(d.id, s));
}

/// What was published with values that the group's threads read before (relaxed loads, volatile loads) is visible to
/// the whole group afterwards. `wait` and `test` have it built in.
template <group G = thread> GICC_INLINE void acquire(domain d = {}) {
  if constexpr (G == thread) __gicc_acquire_thread((int32_t)d.reach, (int32_t)d.id);
  else if constexpr (G == warp) __gicc_acquire_warp((int32_t)d.reach, (int32_t)d.id);
  else __gicc_acquire_block((int32_t)d.reach, (int32_t)d.id);
}

/// `acquire` with a scope of its own.
template <group G = thread> GICC_INLINE void acquire(scope s, domain d = {}) {
  acquire<G>(domain(d.id, s));
}

/// All puts of the group before are complete at their destinations.
template <group G = thread> GICC_INLINE void quiet() {
  if constexpr (G == thread) __gicc_quiet_thread();
  else if constexpr (G == warp) __gicc_quiet_warp();
  else __gicc_quiet_block();
}

/// How an initiation is carried out.
struct initiation {
  uint8_t priority = 0;    ///< Higher goes first, where an engine has a queue; `direct` has none.
  domain in = {};          ///< What the destination belongs to; its scope is how far completion of the event reaches.
  signal_t *sig = nullptr; ///< A signal to send to the same PE behind the elements, with release; or none.
  uint64_t value = 1;      ///< Its value.
  op what = op::set;       ///< What it does to its word.
  // Inlined before calls are checked and fences placed, so that constants are seen there.
  __attribute__((always_inline)) constexpr initiation() = default;
};

/// The handle of an initiation, the same for all threads of the group. It belongs to the kernel that made it.
struct event {
  int64_t handle = 0; ///< 0 is an initiation that failed, or none.
  domain in = {};     ///< As the initiation's.
  __attribute__((always_inline)) constexpr event() = default;
  __attribute__((always_inline)) __host__ __device__ constexpr event(int64_t handle, domain in) : handle(handle), in(in) {}
};

/// Submits a transfer of count elements from src (any memory) to the symmetric dst on PE pe; the group goes on at once, and
/// `wait` or `test` of the event tells when it has ended. Until then neither src nor dst may be touched. With the engine
/// `direct` the group's threads store; it meets at the end.
template <group G = thread, engine E = engine::automatic, class T>
GICC_INLINE event initiate(T *dst, const detail::identity_t<T> *src, long long count, int pe, initiation how = {}) {
  using e = detail::element<T>;
  const int32_t p = how.priority, w = (int32_t)how.what, d = (int32_t)how.in.id, n = (int32_t)E;
  const int64_t bytes = count * e::size, v = (int64_t)how.value;
  if constexpr (G == thread)
    return {__gicc_initiate_thread(dst, src, bytes, e::align, how.sig, v, w, p, d, n, pe), how.in};
  else if constexpr (G == warp)
    return {__gicc_initiate_warp(dst, src, bytes, e::align, how.sig, v, w, p, d, n, pe), how.in};
  else
    return {__gicc_initiate_block(dst, src, bytes, e::align, how.sig, v, w, p, d, n, pe), how.in};
}

/// Whether the initiation has ended, as a failed one has. Called by one thread; where it is true, the elements are complete
/// at their destination for whoever sees a later signal of that thread.
GICC_INLINE bool test(event e) { return __gicc_event_test(e.handle, (int32_t)e.in.reach, (int32_t)e.in.id) != 0; }

/// Waits by the group that initiated until the initiation has ended. True: the elements are complete at their destination
/// for whoever sees a later signal of the group, and src may be written again. False: it failed, and the error word says why.
template <group G = thread> GICC_INLINE bool wait(event e) {
  const int32_t s = (int32_t)e.in.reach, d = (int32_t)e.in.id;
  if constexpr (G == thread) return __gicc_event_wait_thread(e.handle, s, d) != 0;
  else if constexpr (G == warp) return __gicc_event_wait_warp(e.handle, s, d) != 0;
  else return __gicc_event_wait_block(e.handle, s, d) != 0;
}

/// Called by all threads of a block: the blocks of this index on all PEs meet, and what any of them wrote before is
/// visible to all of them afterwards. Blocks of other indices take no part. Every PE launches the block.
GICC_INLINE void barrier() { __gicc_barrier_block(); }

/// Called by all threads of all blocks of a grid, which are all resident at once: the blocks of this PE meet, and what any of
/// them wrote before is visible to all of them afterwards. Other PEs take no part.
GICC_INLINE void grid_sync() { __gicc_grid_sync(); }

/// What an all-reduce does with the elements: `min` and `max` give the number where one of two is NaN; `bit_and`, `bit_or`
/// and `bit_xor` are for integers.
enum class reduce {
  sum = GICC_REDUCE_OP_SUM,
  prod = GICC_REDUCE_OP_PROD,
  min = GICC_REDUCE_OP_MIN,
  max = GICC_REDUCE_OP_MAX,
  bit_and = GICC_REDUCE_OP_AND,
  bit_or = GICC_REDUCE_OP_OR,
  bit_xor = GICC_REDUCE_OP_XOR,
};

/// How a collective goes; `automatic` leaves it to the compiler. `one_shot` and `two_shot` are of all-reduce, `direct` of
/// all-gather, `ring` of both.
enum class algorithm {
  automatic = GICC_ALGORITHM_AUTO,
  one_shot = GICC_ALGORITHM_ONE_SHOT,
  two_shot = GICC_ALGORITHM_TWO_SHOT,
  ring = GICC_ALGORITHM_RING,
  direct = GICC_ALGORITHM_DIRECT,
};

namespace detail {
// The element type of a collective. The 16-bit ones are recognised by their names, whatever header they come from.
template <class T> struct element_type {
  static_assert(unsupported<T>, "a collective's elements are __half, __nv_bfloat16, float, double, or 32- or 64-bit integers");
};
template <int Code> struct element_code { static constexpr int32_t code = Code; };
template <> struct element_type<float> : element_code<GICC_ELEMENT_TYPE_F32> {};
template <> struct element_type<double> : element_code<GICC_ELEMENT_TYPE_F64> {};
template <> struct element_type<int> : element_code<GICC_ELEMENT_TYPE_I32> {};
template <> struct element_type<unsigned> : element_code<GICC_ELEMENT_TYPE_U32> {};
template <> struct element_type<long> : element_code<GICC_ELEMENT_TYPE_I64> {};
template <> struct element_type<unsigned long> : element_code<GICC_ELEMENT_TYPE_U64> {};
template <> struct element_type<long long> : element_code<GICC_ELEMENT_TYPE_I64> {};
template <> struct element_type<unsigned long long> : element_code<GICC_ELEMENT_TYPE_U64> {};
template <> struct element_type<_Float16> : element_code<GICC_ELEMENT_TYPE_F16> {};
template <> struct element_type<__bf16> : element_code<GICC_ELEMENT_TYPE_BF16> {};
template <> struct element_type<__half> : element_code<GICC_ELEMENT_TYPE_F16> {};
template <> struct element_type<__nv_bfloat16> : element_code<GICC_ELEMENT_TYPE_BF16> {};
} // namespace detail

/// out = the combination of count elements of every PE's in, the same bits on every PE. All PEs call with the same count, by
/// blocks of as many threads; by a grid, all grids have as many blocks.
///
/// By a block: the blocks of this index on all PEs take part, with elements of their own; the block may read out afterwards.
/// By a grid: all blocks of all PEs take part, each with a slice; what lies in `in` is visible to the whole grid before (it
/// was there when the kernel began, or a `grid_sync` or another grid's collective came in between), nobody uses `out` any
/// more, and all blocks may read out afterwards.
///
/// Elements are combined in the order of PEs (`ring`: in another order, the same for all PEs), 16-bit ones in single precision
/// with one rounding at the end. out may be in; else they do not overlap. Buffers may be any memory of this GPU; large messages
/// go faster between symmetric buffers, which are then symmetric on all PEs. Once in a kernel the block's count of rounds is
/// loaded and stored; no fence is executed for small messages.
template <group G = block, class T>
GICC_INLINE void all_reduce(T *out, const detail::identity_t<T> *in, long long count, reduce r = reduce::sum,
                            algorithm a = algorithm::automatic) {
  static_assert(G == block || G == grid, "a collective is called by a block or by a grid");
  constexpr int32_t type = detail::element_type<T>::code;
  if constexpr (G == grid) __gicc_all_reduce_grid(out, (void *)in, count, type, (int32_t)r, (int32_t)a);
  else __gicc_all_reduce_block(out, (void *)in, count, type, (int32_t)r, (int32_t)a);
}

/// out = count elements of every PE's in, those of PE 0 first. All PEs call with the same count; in may be this PE's place in
/// out (`out + my_pe() * count`), else they do not overlap. Otherwise as `all_reduce`.
template <group G = block, class T>
GICC_INLINE void all_gather(T *out, const detail::identity_t<T> *in, long long count,
                            algorithm a = algorithm::automatic) {
  static_assert(G == block || G == grid, "a collective is called by a block or by a grid");
  constexpr int32_t type = detail::element_type<T>::code;
  if constexpr (G == grid) __gicc_all_gather_grid(out, (void *)in, count, type, (int32_t)a);
  else __gicc_all_gather_block(out, (void *)in, count, type, (int32_t)a);
}

/// A part of the PEs: `start`, `start + stride` and so on, `pes` in all. In it they are numbered from 0 in this order. The three may
/// differ from PE to PE, so that each names the team that it belongs to:
///
/// ```
/// const int each = 4, me = gicc::my_pe();
/// const gicc::team mine(me / each * each, 1, each); // PEs 0 to 3, 4 to 7, …
/// gicc::all_reduce(mine, out, in, count);
/// ```
struct team {
  int start; ///< The first PE.
  int stride; ///< The distance of one PE to the next, 1 at least.
  int pes; ///< How many there are, 1 at least.
  /// Nothing is done: a team is three numbers.
  __attribute__((always_inline)) __host__ __device__ constexpr team(int start, int stride, int pes) : start(start), stride(stride), pes(pes) {}
  /// This PE's number in the team; -1 where it is none of it.
  GICC_INLINE int my_pe() const { return __gicc_part_rank(start, stride, pes); }
  /// How many PEs it has.
  GICC_INLINE int n_pes() const { return pes; }
  /// The number among all PEs of PE pe of the team, for operations that name one of all; -1, which no PE has, where the team has
  /// no such PE.
  GICC_INLINE int world_pe(int pe) const { return (unsigned)pe < (unsigned)pes ? start + pe * stride : -1; }
};

/// `all_reduce` over the PEs of a team, in their order; the others do not call. Several teams may do so at once. A PE that is in
/// two teams calls their collectives in the order in which the PEs that are in both do (else each waits for the other). A team
/// that does not exist, or is not this PE's, sets the error word, and out is left alone.
///
/// Otherwise as `all_reduce`. The rounds that each two PEs ended are
/// counted in memory, which costs a small message a few loads and one more meeting of the block.
template <group G = block, class T>
GICC_INLINE void all_reduce(const team &members, T *out, const detail::identity_t<T> *in, long long count,
                            reduce r = reduce::sum, algorithm a = algorithm::automatic) {
  static_assert(G == block || G == grid, "a collective is called by a block or by a grid");
  constexpr int32_t type = detail::element_type<T>::code;
  const int32_t start = members.start, stride = members.stride, pes = members.pes;
  if constexpr (G == grid)
    __gicc_all_reduce_part_grid(out, (void *)in, count, type, (int32_t)r, (int32_t)a, start, stride, pes);
  else __gicc_all_reduce_part_block(out, (void *)in, count, type, (int32_t)r, (int32_t)a, start, stride, pes);
}

/// `all_gather` over the PEs of a team: out has count elements of each, in their order. Otherwise as `all_reduce` of a team.
template <group G = block, class T>
GICC_INLINE void all_gather(const team &members, T *out, const detail::identity_t<T> *in, long long count,
                            algorithm a = algorithm::automatic) {
  static_assert(G == block || G == grid, "a collective is called by a block or by a grid");
  constexpr int32_t type = detail::element_type<T>::code;
  const int32_t start = members.start, stride = members.stride, pes = members.pes;
  if constexpr (G == grid) __gicc_all_gather_part_grid(out, (void *)in, count, type, (int32_t)a, start, stride, pes);
  else __gicc_all_gather_part_block(out, (void *)in, count, type, (int32_t)a, start, stride, pes);
}

/// `barrier` over the PEs of a team: the blocks of this index on its PEs meet, and what any of them wrote before is visible to all
/// of them afterwards. As with collectives of a team, the others do not call, and a PE that is in two teams comes to their
/// barriers and collectives in the order in which the PEs that are in both do.
GICC_INLINE void barrier(const team &members) {
  __gicc_barrier_part_block(members.start, members.stride, members.pes);
}

/// Counts the block in on counter (32 bits of this GPU's memory, zero at first). True for the last of `blocks` blocks, which
/// then sees what all of them wrote before, and may speak for them; the counter is zero again afterwards. By a block (the
/// default): all of its threads call and all learn whether it is the last. By a thread: one thread of each block calls,
/// behind a barrier of the block (a wait by the block is one), for the whole block, and it alone learns the answer.
template <group G = block> GICC_INLINE bool arrive(uint32_t *counter, uint32_t blocks) {
  static_assert(G != warp, "a block arrives as a whole or by one thread");
  if constexpr (G == thread) return __gicc_arrive_thread(counter, (int32_t)blocks) != 0;
  else return __gicc_arrive_block(counter, (int32_t)blocks) != 0;
}

/// `arrive` of all blocks of the grid.
template <group G = block> GICC_INLINE bool arrive(uint32_t *counter) {
  return arrive<G>(counter, gridDim.x * gridDim.y * gridDim.z);
}

/// The first thing that went wrong on this PE; `none` where all is well.
GICC_INLINE error_code error() { return (error_code)__gicc_error_code(); }

/// Whether anything went wrong on this PE, the same answer for all threads of the group, which meets for it: what may be
/// branched on in front of a barrier. A thread whose operation failed knows it, and so does its group.
template <group G = thread> GICC_INLINE bool failed() {
  if constexpr (G == thread) return __gicc_check_error_thread() != 0;
  else if constexpr (G == warp) return __gicc_check_error_warp() != 0;
  else return __gicc_check_error_block() != 0;
}

/// Names, anywhere in a kernel's body, the function that takes the kernel's place where its communication failed. Compiled
/// with `--check-errors strict`, the kernel calls it with its own arguments behind the wait that failed, in every thread of
/// those that leave, and ends; its parameters are the kernel's, its result is void. Its own waits return at once.
template <class... Parameters> GICC_INLINE void fallback(void (*function)(Parameters...)) {
  __gicc_fallback((void *)function);
}

/// The words of a channel: symmetric memory, zero at first, never reset.
using channel_state = gicc_channel_state;

/// What a packet of protocol `ll` carries: 8 bytes of data and 8 of flag, or 12 and 4. `automatic` takes the former in slots
/// of up to 1 KB, where every instruction counts, and the latter, which moves a quarter less, in larger ones.
enum class packet { automatic = 0, data_8 = 8, data_12 = 12 };

namespace detail {
constexpr bool has_packets(protocol p) { return p == protocol::ll || p == protocol::automatic; }

// The memory of a channel: its words, and its packets where it has some.
template <long long Packets> struct channel_storage {
  channel_state words[2];
  alignas(16) unsigned char packets[Packets * GICC_PACKET_BYTES];
};
template <> struct channel_storage<0> { channel_state words[1]; };
} // namespace detail

/// A stream of messages from the put side on one PE to the wait side on another, each of up to `Capacity` elements.
///
/// `simple`: wide stores into the wait side's slot and one release. `ll`: the flag travels in each word, nothing is fenced
/// and the wait side copies the message into its slot; the fastest way for small messages. `automatic`: either, by the
/// message's length, below and from 32 KB on. With the latter two both ends name the length.
///
/// `Slots` messages may be under way, or waited for and not done, at a time (of an `automatic` channel: of either
/// protocol).
///
/// A channel has one `storage` on each PE, in symmetric memory that is zero at first and never reset, and one buffer of
/// `buffer_elements` on the wait side's PE. A PE may have both sides of one: it puts to one PE and waits for another. The
/// object holds the counters of the calling thread, in registers: all threads of the group that puts, and of the group that
/// waits, make it before they communicate, use each side always as the same group, and destroy it; the counters are then
/// stored and the next kernel goes on. Both sides make as many calls as each other, in all kernels together.
template <class T, protocol P = protocol::simple, int Slots = P == protocol::simple ? 2 : 4, long long Capacity = 1024,
          packet Form = packet::automatic>
struct channel {
  static_assert(P != protocol::bulk && P != protocol::queue, "of the protocols `simple`, `ll` and `automatic` are built");
  static_assert(Slots >= 1, "a channel has at least one slot");
  static_assert(P != protocol::automatic || Slots <= 32, "a channel of both protocols has at most 32 slots");
  static_assert(Capacity >= 1, "a slot holds at least one element");
  using e = detail::element<T>;

  /// Bytes of a slot.
  static constexpr long long slot_bytes = Capacity * e::size;
  /// Bytes of a slot for messages that go by `ll`.
  static constexpr long long ll_slot_bytes =
      P == protocol::automatic && slot_bytes > (long long)GICC_LL_BELOW ? (long long)GICC_LL_BELOW : slot_bytes;
  /// Bytes of data in a packet.
  static constexpr int packet_data =
      Form != packet::automatic ? (int)Form : ll_slot_bytes <= (long long)GICC_LARGEST_SLOT_OF_8 ? 8 : 12;
  /// Packets that a PE's memory holds.
  static constexpr long long packets =
      detail::has_packets(P) ? 2 * Slots * ((ll_slot_bytes + packet_data - 1) / packet_data) : 0;
  /// A PE's memory for the channel.
  using storage = detail::channel_storage<packets>;
  /// Its size: 64 bytes, or 128 and 16 for each packet.
  static constexpr long long storage_bytes = sizeof(storage);
  /// Elements that the buffer of this channel holds in all.
  static constexpr long long buffer_elements =
      Slots * Capacity + (P == protocol::automatic ? (Slots * ll_slot_bytes + e::size - 1) / e::size : 0);

  /// A channel over its storage on this PE and a buffer that is allocated symmetrically.
  template <class W> GICC_INLINE channel(W *words, T *buffer) : channel("", words, buffer) {}

  /// The same with a name, so that ends of this name that disagree are refused, when the module is compiled or loaded.
  template <int N, class W> GICC_INLINE channel(const char (&name)[N], W *words, T *buffer)
      : words((channel_state *)words), buffer(buffer), name(N > 1 ? name : nullptr) {
    if constexpr (!__is_void(W)) static_assert(alignof(W) >= 8, "the channel's words are 64-bit");
    __gicc_channel_open(counters, this->words, (int32_t)P);
  }
  channel(const channel &) = delete;
  channel &operator=(const channel &) = delete;
  GICC_INLINE ~channel() { __gicc_channel_close(counters, words, (int32_t)P); }

  /// Sends count elements of src as the next message to PE pe, when there is room. What the group's threads wrote to src
  /// themselves has to be visible to the whole group before, as for `gicc::put`.
  template <group G = thread> GICC_INLINE void put(const T *src, long long count, int pe) {
    constexpr int32_t p = (int32_t)P, d = packet_data;
    if constexpr (G == thread)
      __gicc_channel_put_thread(counters, words, buffer, src, count * e::size, slot_bytes, e::align, Slots, p, d, pe, name);
    else if constexpr (G == warp)
      __gicc_channel_put_warp(counters, words, buffer, src, count * e::size, slot_bytes, e::align, Slots, p, d, pe, name);
    else
      __gicc_channel_put_block(counters, words, buffer, src, count * e::size, slot_bytes, e::align, Slots, p, d, pe, name);
  }

  /// Waits for the next message from PE pe, of count elements, and returns its slot: every thread of the group may read it
  /// until `done`. Null where the wait reached its bound.
  template <group G = thread> GICC_INLINE T *wait(long long count, int pe) {
    constexpr int32_t p = (int32_t)P, d = packet_data;
    if constexpr (G == thread)
      return (T *)__gicc_channel_wait_thread(counters, words, buffer, count * e::size, slot_bytes, e::align, Slots, p, d, pe, name);
    else if constexpr (G == warp)
      return (T *)__gicc_channel_wait_warp(counters, words, buffer, count * e::size, slot_bytes, e::align, Slots, p, d, pe, name);
    else
      return (T *)__gicc_channel_wait_block(counters, words, buffer, count * e::size, slot_bytes, e::align, Slots, p, d, pe, name);
  }

  /// `wait` for a message whose length need not be known: of protocol `simple`.
  template <group G = thread> GICC_INLINE T *wait(int pe) {
    static_assert(P == protocol::simple, "`ll` and `automatic` need the length of the message: wait(count, pe)");
    return wait<G>(0, pe);
  }

  /// The group has read the slot of the oldest message that it waited for and is not done with; it may be filled again.
  template <group G = thread> GICC_INLINE void done(int pe) {
    constexpr int32_t p = (int32_t)P;
    if constexpr (G == thread) __gicc_channel_done_thread(counters, words, Slots, p, pe);
    else if constexpr (G == warp) __gicc_channel_done_warp(counters, words, Slots, p, pe);
    else __gicc_channel_done_block(counters, words, Slots, p, pe);
  }

private:
  channel_state *words;
  T *buffer;
  const char *name;
  gicc_channel_counters counters[2];
};

#undef GICC_INLINE
} // namespace gicc
