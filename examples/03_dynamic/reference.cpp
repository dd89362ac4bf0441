// Each PE's items, in their order, go to the PE that its own table names; what a PE does not get stays as it was.
#include <gicc/reference.h>

GICC_REFERENCE(run) {
  const int64_t n = run.parameter("n"), routes = run.parameter("routes");
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    for (int from = 0; from < run.n_pes(); ++from) {
      run.buffer<int32_t>("received", pe)[from] = 0;
      run.buffer<uint64_t>("sums", pe)[from] = 0;
    }
  }
  for (int from = 0; from < run.n_pes(); ++from) {
    auto items = run.buffer<uint32_t>("items", from);
    auto route = run.buffer<int32_t>("route", from);
    for (int64_t i = 0; i < n; ++i) {
      const uint32_t item = items[i];
      if (static_cast<int64_t>(item % 1024) >= run.parameter("keep_below", from)) continue;
      const int to = route[item / 1024 % routes];
      int32_t &count = run.buffer<int32_t>("received", to)[from];
      run.buffer<uint32_t>("inbox", to)[from * n + count] = item;
      run.buffer<uint64_t>("sums", to)[from] += item;
      ++count;
    }
  }
}
