// The parts one after the other, and the rows times them.
#include <gicc/reference.h>

GICC_REFERENCE(run) {
  const int64_t rows = run.parameter("n_rows"), each = run.parameter("part_length"), columns = each * run.n_pes();
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    auto vector = run.buffer<float>("vector", pe);
    for (int from = 0; from < run.n_pes(); ++from) {
      auto part = run.buffer<float>("part", from);
      for (int64_t i = 0; i < each; ++i) vector[from * each + i] = part[i];
    }
    auto matrix = run.buffer<float>("matrix", pe);
    auto product = run.buffer<float>("product", pe);
    for (int64_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (int64_t column = 0; column < columns; ++column)
        sum += static_cast<double>(matrix[row * columns + column]) * vector[column];
      product[row] = static_cast<float>(sum);
    }
  }
}
