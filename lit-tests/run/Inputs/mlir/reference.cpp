// What the PE before sent: doubled, as it was, and as it was.
#include <gicc/reference.h>

GICC_REFERENCE(run) {
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    auto source = run.buffer<float>("source", (pe + run.n_pes() - 1) % run.n_pes());
    auto output = run.buffer<float>("output", pe), received = run.buffer<float>("received", pe);
    auto pulled = run.buffer<float>("pulled", pe);
    for (int i = 0; i < 1024; ++i) output[i] = 2 * source[i];
    for (int i = 0; i < 200; ++i) received[i] = pulled[i] = source[i];
    run.buffer<uint64_t>("arrived", pe)[0] = 1;
  }
}
