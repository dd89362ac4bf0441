// What each case moves, one byte after the other.
#include <gicc/reference.h>

GICC_REFERENCE(run) {
  const int64_t cases = run.parameter("cases"), region = run.parameter("region");
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    const int next = (pe + 1) % run.n_pes();
    auto offsets = run.buffer<int32_t>("offsets", pe);
    for (int64_t c = 0; c < cases; ++c) {
      const int64_t to = c * region + offsets[4 * c], from = c * region + offsets[4 * c + 1], bytes = offsets[4 * c + 2];
      const bool pull = offsets[4 * c + 3] >= 3;
      auto source = run.buffer<int8_t>("source", pull ? next : pe);
      auto target = pull ? run.buffer<int8_t>("pulled", pe) : run.buffer<int8_t>("landing", next);
      for (int64_t i = 0; i < bytes; ++i) target[to + i] = source[from + i];
    }
  }
}
