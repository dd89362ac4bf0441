// Each PE ends with the message of the PE before it, at the receiver's alignment, and with its transformation.
#include <gicc/reference.h>

GICC_REFERENCE(run) {
  const int64_t n = run.parameter("n"), m = run.parameter("m");
  const int64_t shift = run.parameter("landing_shift"), float_shift = run.parameter("float_landing_shift");
  const float scale = static_cast<float>(run.real("scale"));
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    const int from = (pe + run.n_pes() - 1) % run.n_pes();
    auto source = run.buffer<uint8_t>("source", from);
    auto landing = run.buffer<uint8_t>("landing", pe);
    auto output = run.buffer<uint8_t>("output", pe);
    for (int64_t i = 0; i < n; ++i) {
      landing[shift + i] = source[run.parameter("source_shift", from) + i];
      output[i] = static_cast<uint8_t>(landing[shift + i] ^ 0x5a);
    }
    auto float_source = run.buffer<float>("float_source", from);
    auto float_landing = run.buffer<float>("float_landing", pe);
    auto float_output = run.buffer<float>("float_output", pe);
    for (int64_t i = 0; i < m; ++i) {
      float_landing[float_shift + i] = float_source[run.parameter("float_source_shift", from) + i];
      float_output[i] = static_cast<float>(static_cast<double>(scale) * float_landing[float_shift + i] + 1.0);
    }
    auto arrived = run.buffer<uint64_t>("arrived", pe);
    for (uint64_t &signal : arrived) signal = static_cast<uint64_t>(run.parameter("rounds"));
  }
}
