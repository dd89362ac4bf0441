// The same iterations on the whole grid, by one thread. Sums are in the kernel's order and in float, so that the number of
// iterations is the same.
#include <gicc/reference.h>

#include <cmath>
#include <vector>

GICC_REFERENCE(run) {
  const int pes = run.n_pes();
  const int64_t rows = run.parameter("rows"), width = run.parameter("width");
  const int64_t check_every = run.parameter("check_every"), most = run.parameter("most");
  const float tolerance = static_cast<float>(run.real("tolerance"));
  const int64_t all = pes * rows + 2;
  std::vector<float> old(static_cast<size_t>(all * width)), source(old.size());
  for (int pe = 0; pe < pes; ++pe) {
    auto grid = run.buffer<float>("grid0", pe);
    auto s = run.buffer<float>("source", pe);
    for (int64_t i = 0; i < rows * width; ++i) {
      old[static_cast<size_t>((pe * rows + 1) * width + i)] = grid[width + i];
      source[static_cast<size_t>((pe * rows + 1) * width + i)] = s[i];
    }
  }
  // The edges: the first PE's upper halo and the last PE's lower one.
  auto top = run.buffer<float>("grid0", 0), bottom = run.buffer<float>("grid0", pes - 1);
  for (int64_t x = 0; x < width; ++x) {
    old[static_cast<size_t>(x)] = top[x];
    old[static_cast<size_t>((all - 1) * width + x)] = bottom[(rows + 1) * width + x];
  }
  std::vector<float> now = old;
  int done = 0;
  while (done < most) {
    float change = 0;
    for (int64_t y = 1; y < all - 1; ++y) {
      for (int64_t x = 1; x < width - 1; ++x) {
        const size_t i = static_cast<size_t>(y * width + x), w = static_cast<size_t>(width);
        const float value = 0.25f * (old[i - w] + old[i + w] + old[i - 1] + old[i + 1] + source[i]);
        change = std::fmax(change, std::fabs(value - old[i]));
        now[i] = value;
      }
    }
    std::swap(old, now);
    ++done;
    if (done % check_every == 0 && change < tolerance) break;
  }
  for (int pe = 0; pe < pes; ++pe) {
    auto result = run.buffer<float>("result", pe);
    for (int64_t i = 0; i < rows * width; ++i) result[i] = old[static_cast<size_t>((pe * rows + 1) * width + i)];
    run.buffer<int32_t>("iterations", pe)[0] = done;
  }
}
