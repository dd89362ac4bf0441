// The sum of all PEs' elements, in double precision.
#pragma once
#include <gicc/reference.h>
#include <vector>

template <class T, class Run> void reduce_all(Run &run) {
  std::vector<double> sum(static_cast<size_t>(run.parameter("count")));
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    auto input = run.template buffer<T>("input", pe);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += input.data()[i];
  }
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    auto out = run.template buffer<T>("out", pe);
    for (size_t i = 0; i < sum.size(); ++i) out.data()[i] = static_cast<float>(sum[i]);
  }
}
