// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::inline v0_1::detail::DPLDA_ISA {

inline void gram_matrix(const double* columns, std::size_t count, std::size_t size, double* gram) {
  constexpr std::size_t width = lanes<double>;
  for (std::size_t i = 0; i < count; i += 2) {
    // Two columns at a time against two: each number that is loaded is used twice. An odd last column stands for two.
    const std::size_t i2 = i + 1 < count ? i + 1 : i;
    const double* a = columns + i * size;
    const double* b = columns + i2 * size;
    for (std::size_t j = 0; j <= i; j += 2) {
      const std::size_t j2 = j + 1 < count ? j + 1 : j;
      const double* c = columns + j * size;
      const double* d = columns + j2 * size;
      pack<double> sums[width] = {}, out;
      for (std::size_t n = 0; n < size; n += width) {
        pack<double> pa, pb, pc, pd;
        load<double>(a + n, pa);
        load<double>(b + n, pb);
        load<double>(c + n, pc);
        load<double>(d + n, pd);
        sums[0] += pa * pc;
        sums[1] += pa * pd;
        sums[2] += pb * pc;
        sums[3] += pb * pd;
      }
      sum_lanes(sums, out);
      gram[i * count + j] = out[0];
      gram[i * count + j2] = out[1];
      gram[i2 * count + j] = out[2];
      gram[i2 * count + j2] = out[3];
    }
  }
}

}  // namespace dplda::inline v0_1::detail::DPLDA_ISA
