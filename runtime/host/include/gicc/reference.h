/* The interface between gicc's runner and a reference: a host function that computes what a kernel must leave behind.
 *
 * The runner loads a shared object and calls `gicc_reference` once per run, with copies of every PE's buffers as they were
 * before the first launch. The function changes them in place to what they must hold after the last launch. Only buffers
 * with `output` in launch.toml are compared.
 *
 * The C part (the two-level structure below and one symbol) is the binary interface. The C++ part behind it needs C++17,
 * and turns a missing name or a wrong type into a message instead of a crash.
 */
#ifndef GICC_REFERENCE_H
#define GICC_REFERENCE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface; the runner sets it in each call. */
#define GICC_REFERENCE_VERSION 1

/* Bytes of the buffer for a message, the final zero included. */
#define GICC_REFERENCE_MESSAGE_BYTES 512

/* A named number of launch.toml. Both arrays have one entry per PE. */
typedef struct gicc_reference_parameter {
  const char *name;
  uint32_t is_real;         /* 1 where launch.toml gives a floating-point number. */
  uint32_t reserved;        /* Zero. */
  const int64_t *integers;  /* The value on each PE; truncated where it is real. */
  const double *reals;      /* The value on each PE. */
} gicc_reference_parameter;

/* A buffer of launch.toml. */
typedef struct gicc_reference_buffer {
  const char *name;
  const char *type;         /* As in launch.toml: "f32". */
  uint64_t element_bytes;
  uint64_t length;          /* Elements. */
  uint32_t symmetric;       /* 1 where it lies in the symmetric heap. */
  uint32_t output;          /* 1 where it is compared. */
  void *const *data;        /* One pointer per PE. */
} gicc_reference_buffer;

typedef struct gicc_reference_call {
  uint32_t version;         /* GICC_REFERENCE_VERSION. */
  int32_t n_pes;
  uint32_t n_parameters;
  uint32_t n_buffers;
  const gicc_reference_parameter *parameters;
  const gicc_reference_buffer *buffers;
  char *message;            /* GICC_REFERENCE_MESSAGE_BYTES bytes; what went wrong where the result is not 0. */
} gicc_reference_call;

/* Returns 0, or anything else after writing a message. */
int32_t gicc_reference(const gicc_reference_call *call);

#ifdef __cplusplus
} /* extern "C" */

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace gicc::reference {

namespace detail {
inline uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
}  // namespace detail

/* The type "bf16". */
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  /* Rounds to nearest, ties to even. */
  bfloat16(float value) {
    uint32_t b = detail::bits_of(value);
    if ((b & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((b >> 16) | 0x40u);
    } else {
      bits = static_cast<uint16_t>((b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
    }
  }
  operator float() const { return detail::float_of(static_cast<uint32_t>(bits) << 16); }
};

/* The type "f16". */
struct half {
  uint16_t bits = 0;
  half() = default;
  /* Rounds to nearest, ties to even. */
  half(float value) {
    uint32_t b = detail::bits_of(value);
    uint32_t sign = (b >> 16) & 0x8000u;
    uint32_t magnitude = b & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
      bits = static_cast<uint16_t>(sign | 0x7e00u);
    } else if (magnitude >= 0x477ff000u) { /* 65520 and above round to infinity. */
      bits = static_cast<uint16_t>(sign | 0x7c00u);
    } else if (magnitude >= 0x38800000u) { /* Normal. */
      uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
      bits = static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
    } else { /* Subnormal: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits of the sum. */
      float sum = detail::float_of(magnitude) + 0.5f;
      bits = static_cast<uint16_t>(sign | (detail::bits_of(sum) - 0x3f000000u));
    }
  }
  operator float() const {
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    uint32_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) return detail::float_of(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    if (magnitude >= 0x0400u) return detail::float_of(sign | ((magnitude << 13) + 0x38000000u));
    float value = static_cast<float>(magnitude) * 5.9604644775390625e-8f; /* 2^-24 */
    return sign ? -value : value;
  }
};

/* A buffer's elements on one PE. */
template <class T>
class view {
 public:
  view(T *data, int64_t size, const char *name) : data_(data), size_(size), name_(name) {}
  T *data() const { return data_; }
  int64_t size() const { return size_; }
  T *begin() const { return data_; }
  T *end() const { return data_ + size_; }
  T &operator[](int64_t index) const {
    if (index < 0 || index >= size_) {
      throw std::out_of_range("index " + std::to_string(index) + " of buffer `" + name_ + "`, which has " +
                              std::to_string(size_) + " elements");
    }
    return data_[index];
  }

 private:
  T *data_;
  int64_t size_;
  const char *name_;
};

namespace detail {
template <class T>
bool matches(const char *type) {
  auto is = [type](const char *name) { return std::strcmp(type, name) == 0; };
  if constexpr (std::is_same_v<T, half>) {
    return is("f16");
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return is("bf16");
  } else if constexpr (std::is_floating_point_v<T>) {
    return is(sizeof(T) == 4 ? "f32" : "f64") && sizeof(T) <= 8;
  } else {
    static_assert(std::is_integral_v<T>, "a buffer's elements are integers, float, double, half or bfloat16");
    char name[8];
    std::snprintf(name, sizeof name, "%c%d", std::is_signed_v<T> ? 'i' : 'u', static_cast<int>(8 * sizeof(T)));
    return is(name);
  }
}
}  // namespace detail

/* What the runner asks for. */
class call {
 public:
  explicit call(const gicc_reference_call &raw) : raw_(raw) {}

  /* Number of PEs. */
  int n_pes() const { return raw_.n_pes; }

  /* An integer parameter; `pe` matters for parameters with `per_pe = true`. */
  int64_t parameter(const char *name, int pe = 0) const {
    const gicc_reference_parameter &p = find(name, pe);
    if (p.is_real) fail("parameter `%s` is a floating-point number: use real()", name);
    return p.integers[pe];
  }

  /* A parameter as a floating-point number. */
  double real(const char *name, int pe = 0) const { return find(name, pe).reals[pe]; }

  /* A buffer on one PE; T must be the type that launch.toml gives. */
  template <class T>
  view<T> buffer(const char *name, int pe) const {
    check_pe(pe);
    for (uint32_t i = 0; i < raw_.n_buffers; ++i) {
      const gicc_reference_buffer &b = raw_.buffers[i];
      if (std::strcmp(b.name, name) != 0) continue;
      if (!detail::matches<T>(b.type)) {
        fail("buffer `%s` has type %s in launch.toml; the reference asks for another one", name, b.type);
      }
      return view<T>(static_cast<T *>(b.data[pe]), static_cast<int64_t>(b.length), b.name);
    }
    fail("launch.toml has no buffer `%s`", name);
  }

  /* Ends the reference with this message. */
  [[noreturn]] void fail(const char *format, ...) const {
    char text[GICC_REFERENCE_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    throw std::runtime_error(text);
  }

 private:
  const gicc_reference_parameter &find(const char *name, int pe) const {
    check_pe(pe);
    for (uint32_t i = 0; i < raw_.n_parameters; ++i) {
      if (std::strcmp(raw_.parameters[i].name, name) == 0) return raw_.parameters[i];
    }
    fail("launch.toml has no parameter `%s`", name);
  }
  void check_pe(int pe) const {
    if (pe < 0 || pe >= raw_.n_pes) fail("PE %d does not exist; there are %d", pe, raw_.n_pes);
  }
  const gicc_reference_call &raw_;
};

}  // namespace gicc::reference

/* Defines `gicc_reference` with the body that follows, in which `name` is a gicc::reference::call. */
#define GICC_REFERENCE(name)                                                                    \
  static void gicc_reference_body(const gicc::reference::call &name);                           \
  extern "C" __attribute__((visibility("default"))) int32_t gicc_reference(                     \
      const gicc_reference_call *raw) {                                                         \
    const char *message = "an exception that is no std::exception";                             \
    if (raw->version != GICC_REFERENCE_VERSION) {                                               \
      std::snprintf(raw->message, GICC_REFERENCE_MESSAGE_BYTES,                                 \
                    "the reference was built for interface version %d, the runner has %u",     \
                    GICC_REFERENCE_VERSION, raw->version);                                      \
      return 1;                                                                                 \
    }                                                                                           \
    try {                                                                                       \
      gicc_reference_body(gicc::reference::call(*raw));                                         \
      return 0;                                                                                 \
    } catch (const std::exception &error) {                                                     \
      std::snprintf(raw->message, GICC_REFERENCE_MESSAGE_BYTES, "%s", error.what());            \
      return 1;                                                                                 \
    } catch (...) {                                                                             \
      std::snprintf(raw->message, GICC_REFERENCE_MESSAGE_BYTES, "%s", message);                 \
      return 1;                                                                                 \
    }                                                                                           \
  }                                                                                             \
  static void gicc_reference_body(const gicc::reference::call &name)

#endif /* __cplusplus */
#endif /* GICC_REFERENCE_H */
