// Sums in double, one element after the other.
#include <gicc/reference.h>

#include <algorithm>
#include <cmath>

using gicc::reference::bfloat16;

GICC_REFERENCE(run) {
  const int pes = run.n_pes();
  for (int64_t i = 0; i < run.parameter("n"); ++i) {
    double sum = 0;
    for (int pe = 0; pe < pes; ++pe) sum += run.buffer<float>("elements", pe)[i];
    for (int pe = 0; pe < pes; ++pe) run.buffer<float>("elements", pe)[i] = static_cast<float>(sum);
  }
  const int64_t each = run.parameter("n_of_block"), blocks = run.parameter("blocks");
  const double rate = run.real("rate");
  for (int64_t block = 0; block < blocks; ++block) {
    float largest = 0;
    for (int64_t i = block * each; i < (block + 1) * each; ++i) {
      double sum = 0;
      for (int pe = 0; pe < pes; ++pe) {
        const float gradient = run.buffer<bfloat16>("gradients", pe)[i];
        sum += gradient;
        largest = std::max(largest, std::fabs(gradient));
      }
      for (int pe = 0; pe < pes; ++pe) {
        run.buffer<bfloat16>("total", pe)[i] = static_cast<float>(sum);
        auto weights = run.buffer<bfloat16>("weights", pe);
        weights[i] = static_cast<float>(static_cast<float>(weights[i]) - rate * sum / pes);
      }
    }
    for (int pe = 0; pe < pes; ++pe) run.buffer<float>("largest", pe)[block] = largest;
  }
}
