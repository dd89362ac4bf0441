// The same by plain loops.
#include <gicc/reference.h>

#include <algorithm>
#include <cmath>

GICC_REFERENCE(run) {
  auto input = run.buffer<uint32_t>("input", 0);
  auto numbers = run.buffer<float>("numbers", 0);
  auto words = run.buffer<uint32_t>("words", 0);
  auto reals = run.buffer<float>("reals", 0);
  auto halves = run.buffer<gicc::reference::half>("halves", 0);
  auto brains = run.buffer<gicc::reference::bfloat16>("brains", 0);
  auto counters = run.buffer<uint32_t>("counters", 0);
  auto same_warp = [](int t, int lane) { return t / 32 * 32 + lane; };
  for (int t = 0; t < 64; ++t) {
    const uint32_t x = input[t], y = input[(t + 1) % 64];
    const int lane = t % 32;
    int n = 0;
    auto put = [&](uint32_t value) { words[64 * n++ + t] = value; };
    const uint32_t shifted = x >> (t % 32);
    int bits = 0, zeros = 0, first = 0;
    for (int i = 31; i >= 0; --i) bits += x >> i & 1;
    while (zeros < 32 && !(shifted >> (31 - zeros) & 1)) ++zeros;
    for (int i = 31; i >= 0; --i)
      if (x >> i & 1) first = i + 1;
    put(static_cast<uint32_t>(bits));
    put(static_cast<uint32_t>(zeros));
    put(static_cast<uint32_t>(first));
    uint32_t reversed = 0;
    for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
    put(reversed);
    const uint64_t both = static_cast<uint64_t>(y) << 32 | x;
    put(static_cast<uint32_t>(both & 0xff) | static_cast<uint32_t>(both >> 16 & 0xff) << 8 |
        static_cast<uint32_t>(both >> 32 & 0xff) << 16 | static_cast<uint32_t>(both >> 48 & 0xff) << 24);
    put(static_cast<uint32_t>(both << (t % 32) >> 32));
    put(static_cast<uint32_t>(both >> (t % 32)));
    put(static_cast<uint32_t>(static_cast<uint64_t>(x) * y >> 32));
    put(static_cast<uint32_t>(static_cast<int32_t>(std::nearbyint(numbers[t] * 1000))));
    put(static_cast<uint32_t>(static_cast<int32_t>(numbers[t] * 1000)));
    uint32_t raw;
    std::memcpy(&raw, &numbers[t], 4);
    put(raw);
    put(input[same_warp(t, lane ^ 5)]);
    put(lane + 3 < 32 ? input[t + 3] : x);
    put(lane % 16 >= 3 ? input[t - 3] : x);
    put(input[same_warp(t, lane / 16 * 16 + 9)]);
    uint32_t votes = 0, equal = 0, sum = 0, largest = 0;
    bool any = false, all = true;
    for (int l = 0; l < 32; ++l) {
      const int u = same_warp(t, l);
      votes |= (input[u] & 1) << l;
      any |= input[u] == input[(u + 1) % 64];
      all &= input[u] != 0;
      equal |= static_cast<uint32_t>(input[u] % 4 == x % 4) << l;
      sum += input[u] % 1000;
      largest = std::max(largest, input[u]);
    }
    put(votes);
    put(any * 2u + all);
    put(equal);
    put(sum);
    put(largest);
    uint32_t count = 0;
    for (int u = 0; u < 64; ++u) count += (input[u] & 2) != 0;
    put(count);
    put(input[63 - t]);
    counters[0] += x % 7;
    counters[1] = std::max(counters[1], x);
    counters[2] = std::min(counters[2], x);
    counters[3] ^= x;
    counters[4] = counters[4] >= 9 ? 0 : counters[4] + 1;
    counters[5] += 3;

    const double a = numbers[t], b = numbers[(t + 1) % 64];
    const float fa = numbers[t], fb = numbers[(t + 1) % 64];
    n = 0;
    auto real = [&](double value) { reals[64 * n++ + t] = static_cast<float>(value); };
    real(std::sqrt(std::fabs(a)) + (a * b + 1.0) + std::fmax(a, b) + std::floor(fa * 10) + std::nearbyint(fb * 10));
    real(std::exp(a) + std::log(static_cast<double>(std::fabs(fa) + 0.1f)));
    real(std::sin(static_cast<double>(fa * 20)) + std::cos(static_cast<double>(fb * 20)) + std::tanh(a));
    real(std::pow(static_cast<double>(std::fabs(fa) + 0.5f), static_cast<double>(fb * 3)));
    real(std::exp(a) + std::sin(b) + std::sqrt(std::fabs(a)));
    real(std::fmod(fa * 100, 7.0f) + std::round(fb * 10) + std::trunc(fa * 10));
    halves[t] = static_cast<float>(a * b + 0.5);
    halves[64 + t] = fa + 1.0f;
    brains[t] = fa * fb;
  }
  const float ones = 64;
  std::memcpy(&counters[6], &ones, 4);
  counters[7] = 77;
}
