// Every round adds up what all PEs have, for the elements that it takes part of.
#include <gicc/reference.h>

GICC_REFERENCE(run) {
  for (int64_t i = 0; i < run.parameter("rounds"); ++i) {
    for (int64_t k = 0; k < run.parameter("n") - i; ++k) {
      uint32_t sum = 0;
      for (int pe = 0; pe < run.n_pes(); ++pe) sum += run.buffer<uint32_t>("elements", pe)[k];
      for (int pe = 0; pe < run.n_pes(); ++pe) run.buffer<uint32_t>("elements", pe)[k] = sum;
    }
  }
}
