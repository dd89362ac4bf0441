// The same in double, row by row.
#include <gicc/reference.h>

#include <cmath>
#include <vector>

GICC_REFERENCE(run) {
  const int64_t rows = run.parameter("rows"), width = run.parameter("width");
  std::vector<double> values(static_cast<size_t>(width));
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = row * width;
    std::vector<double> sum(static_cast<size_t>(width));
    for (int pe = 0; pe < run.n_pes(); ++pe) {
      auto partial = run.buffer<float>("partial", pe);
      for (int64_t i = 0; i < width; ++i) sum[static_cast<size_t>(i)] += partial[first + i];
    }
    for (int pe = 0; pe < run.n_pes(); ++pe) {
      auto residual = run.buffer<float>("residual", pe);
      auto weight = run.buffer<float>("weight", pe);
      double squares = 0;
      for (int64_t i = 0; i < width; ++i) {
        values[static_cast<size_t>(i)] = residual[first + i] + sum[static_cast<size_t>(i)];
        squares += values[static_cast<size_t>(i)] * values[static_cast<size_t>(i)];
      }
      const double scale = 1 / std::sqrt(squares / static_cast<double>(width) + run.real("epsilon"));
      for (int64_t i = 0; i < width; ++i) {
        const double value = values[static_cast<size_t>(i)];
        run.buffer<float>("sum", pe)[first + i] = static_cast<float>(sum[static_cast<size_t>(i)]);
        residual[first + i] = static_cast<float>(value);
        run.buffer<gicc::reference::bfloat16>("out", pe)[first + i] = static_cast<float>(value * scale * weight[i]);
      }
    }
  }
}
