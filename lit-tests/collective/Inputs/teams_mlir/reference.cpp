#include <gicc/reference.h>

GICC_REFERENCE(run) {
  for (int k = 0; k < 100; ++k)
    for (int parity = 0; parity < 2; ++parity) {
      const uint32_t sum = run.buffer<uint32_t>("x", parity)[k] + run.buffer<uint32_t>("x", parity + 2)[k];
      for (int pe = parity; pe < 4; pe += 2) run.buffer<uint32_t>("x", pe)[k] = sum;
    }
  for (int pe = 0; pe < 4; ++pe)
    for (int k = 0; k < 200; ++k)
      run.buffer<uint32_t>("halves", pe)[k] = run.buffer<uint32_t>("x", (pe & 2) + k / 100)[k % 100];
  for (int pe = 0; pe < 4; ++pe)
    for (int k = 0; k < 32; ++k) run.buffer<uint32_t>("seen", pe)[k] = run.buffer<uint32_t>("halves", pe ^ 2)[31 - k];
}
