// Twice, since it is launched twice: every round adds up what the pairs have, for the elements that it takes part of, and then what the PEs of each parity have.
#include <gicc/reference.h>

GICC_REFERENCE(run) {
  auto add = [&](int start, int stride, int end, int64_t n) {
    for (int64_t k = 0; k < n; ++k) {
      uint32_t sum = 0;
      for (int pe = start; pe < end; pe += stride) sum += run.buffer<uint32_t>("elements", pe)[k];
      for (int pe = start; pe < end; pe += stride) run.buffer<uint32_t>("elements", pe)[k] = sum;
    }
  };
  const int64_t n = run.parameter("n");
  for (int launch = 0; launch < 2; ++launch)
    for (int64_t i = 0; i < run.parameter("rounds"); ++i) {
      for (int pe = 0; pe + 1 < run.n_pes(); pe += 2) add(pe, 1, pe + 2, n - i);
      add(0, 2, run.n_pes(), n);
      add(1, 2, run.n_pes(), n);
    }
}
