// Sums in double.
#include <gicc/reference.h>

GICC_REFERENCE(run) {
  for (int64_t i = 0; i < run.parameter("bytes") / 4; ++i) {
    double sum = 0;
    for (int pe = 0; pe < run.n_pes(); ++pe) sum += run.buffer<float>("input", pe)[i];
    for (int pe = 0; pe < run.n_pes(); ++pe) run.buffer<float>("out", pe)[i] = static_cast<float>(sum);
  }
}
