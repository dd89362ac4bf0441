// What each PE has received: the messages of the PE before it, one after the other.
#include <gicc/reference.h>
#include <string>

#include "stream.h"

namespace {
struct Three { double x, y, z; };

template <class T, class Scalar = T> void stream(const gicc::reference::call &run, const char *name, int capacity) {
  const std::string n = name;
  const int messages = 2 * static_cast<int>(run.parameter("messages"));
  const unsigned seed = static_cast<unsigned>(run.parameter("seed"));
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    const int from = (pe + run.n_pes() - 1) % run.n_pes();
    auto source = run.buffer<Scalar>(("source_" + n).c_str(), from);
    auto out = run.buffer<Scalar>(("out_" + n).c_str(), pe);
    const int64_t each = sizeof(T) / sizeof(Scalar);
    int64_t at = 0;
    for (int m = 0; m < messages; ++m) {
      const int64_t count = length_of(m, seed, capacity) * each, start = start_of(m, seed) * each;
      for (int64_t i = 0; i < count; ++i) out[at * each + i] = source[start + i];
      at += count / each;
    }
    run.buffer<uint64_t>(("position_" + n).c_str(), pe)[0] = static_cast<uint64_t>(at);
  }
}
} // namespace

GICC_REFERENCE(run) {
  stream<float>(run, "floats", 300);
  stream<float>(run, "floats_8", 300);
  stream<uint64_t>(run, "words_8", 90);
  stream<float>(run, "warps", 300);
  stream<float>(run, "threads", 40);
  stream<float>(run, "block_to_warp", 300);
  stream<float>(run, "thread_to_block", 60);
  stream<uint8_t>(run, "bytes_12", 333);
  stream<uint8_t>(run, "bytes_8", 333);
  stream<uint8_t>(run, "tiny", 3);
  stream<uint16_t>(run, "halves", 333);
  stream<Three, double>(run, "structures", 50);
  stream<float>(run, "one_slot", 100);
  stream<float>(run, "simple", 300);
  stream<float>(run, "both", 12000);
  stream<uint8_t>(run, "both_by_warps", 40000);
  stream<float>(run, "both_mixed", 9000);
}
