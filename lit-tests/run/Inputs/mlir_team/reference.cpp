#include <gicc/reference.h>

GICC_REFERENCE(run) {
  for (int pe = 1; pe <= 3; pe += 2) {
    auto out = run.buffer<int32_t>("out", pe);
    for (int n = 0; n < 2; ++n) out.data()[n] = 10 * (1 + 2 * n) + n;
  }
}
