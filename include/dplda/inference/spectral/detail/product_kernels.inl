// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::inline v0_1::detail::DPLDA_ISA {

/// A tile of c += a b: 4 Packs rows and `Columns` columns, whose sums stay in registers.
template <int Packs, int Columns>
inline void add_product_tile(const product_view& c, const product_view& a, const product_view& b, std::size_t depth) {
  pack<double> sums[Columns][Packs] = {}, numbers;
  for (std::size_t p = 0; p < depth; ++p) {
    const double *const left = a.data + p * a.column, *const right = b.data + p * b.row;
#pragma GCC unroll 4
    for (int j = 0; j < Columns; ++j) {
      const double factor = right[static_cast<std::size_t>(j) * b.column];
#pragma GCC unroll 3
      for (int i = 0; i < Packs; ++i) {
        load<double>(left + 4 * i, numbers);
        sums[j][i] += numbers * factor;
      }
    }
  }
  for (int j = 0; j < Columns; ++j) {
    for (int i = 0; i < Packs; ++i) {
      double* const to = c.data + static_cast<std::size_t>(j) * c.column + 4 * i;
      load<double>(to, numbers);
      store<double>(to, numbers + sums[j][i]);
    }
  }
}

template <int Packs>
inline void add_product_rows(product_view c, const product_view& a, product_view b, std::size_t columns,
                             std::size_t depth) {
  for (; columns >= 4; columns -= 4, c.data += 4 * c.column, b.data += 4 * b.column) {
    add_product_tile<Packs, 4>(c, a, b, depth);
  }
  if (columns == 3) return add_product_tile<Packs, 3>(c, a, b, depth);
  if (columns == 2) return add_product_tile<Packs, 2>(c, a, b, depth);
  if (columns == 1) return add_product_tile<Packs, 1>(c, a, b, depth);
}

inline void add_product(product_view c, product_view a, product_view b, std::size_t rows, std::size_t columns,
                        std::size_t depth) {
  constexpr std::size_t part = 128;  // of the sums, so that it stays in the caches
  double edge[part * 4];
  for (std::size_t p = 0; p < depth; p += part, a.data += part * a.column, b.data += part * b.row) {
    const std::size_t size = depth - p < part ? depth - p : part;
    product_view to = c, from = a;
    std::size_t left = rows;
    for (; left >= 12; left -= 12, to.data += 12, from.data += 12) add_product_rows<3>(to, from, b, columns, size);
    if (left >= 8) {
      add_product_rows<2>(to, from, b, columns, size);
      left -= 8, to.data += 8, from.data += 8;
    }
    if (left >= 4) {
      add_product_rows<1>(to, from, b, columns, size);
      left -= 4, to.data += 4, from.data += 4;
    }
    if (left == 0) continue;
    // The last rows, filled up to four with zeros.
    for (std::size_t q = 0; q < size; ++q) {
      for (std::size_t i = 0; i < 4; ++i) edge[4 * q + i] = i < left ? from.data[q * from.column + i] : 0;
    }
    product_view right = b;
    for (std::size_t j = 0; j < columns; j += 4, right.data += 4 * b.column) {
      double sums[16] = {};
      const std::size_t count = columns - j < 4 ? columns - j : 4;
      add_product_rows<1>({sums, 1, 4}, {edge, 1, 4}, right, count, size);
      for (std::size_t n = 0; n < count; ++n) {
        for (std::size_t i = 0; i < left; ++i) to.data[(j + n) * to.column + i] += sums[4 * n + i];
      }
    }
  }
}

template <int Packs, class Id>
inline void add_counted_packs(const Id* ids, const std::uint32_t* counts, std::size_t size, const double* rows,
                              std::size_t columns, double* sum) {
  pack<double> sums[Packs] = {}, numbers;
  for (std::size_t n = 0; n < size; ++n) {
    const double factor = counts[n];
    const double* const row = rows + static_cast<std::size_t>(ids[n]) * columns;
#pragma GCC unroll 4
    for (int i = 0; i < Packs; ++i) {
      load<double>(row + 4 * i, numbers);
      sums[i] += numbers * factor;
    }
  }
  for (int i = 0; i < Packs; ++i) {
    load<double>(sum + 4 * i, numbers);
    store<double>(sum + 4 * i, numbers + sums[i]);
  }
}

template <class Id>
inline void add_counted_rows(const Id* ids, const std::uint32_t* counts, std::size_t size, const double* rows,
                             std::size_t columns, double* sum) {
  std::size_t done = 0;
  for (; done + 16 <= columns; done += 16) add_counted_packs<4>(ids, counts, size, rows + done, columns, sum + done);
  if (done + 8 <= columns) {
    add_counted_packs<2>(ids, counts, size, rows + done, columns, sum + done);
    done += 8;
  }
  if (done + 4 <= columns) {
    add_counted_packs<1>(ids, counts, size, rows + done, columns, sum + done);
    done += 4;
  }
  for (; done < columns; ++done) {
    for (std::size_t n = 0; n < size; ++n)
      sum[done] += counts[n] * rows[static_cast<std::size_t>(ids[n]) * columns + done];
  }
}

}  // namespace dplda::inline v0_1::detail::DPLDA_ISA
