// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::detail::DPLDA_ISA {

/// Four numbers of any alignment.
typedef double numbers4 __attribute__((vector_size(32), aligned(8), may_alias));

/// A tile of c += a b: 4 Packs rows and `Columns` columns, whose sums stay in registers.
template <int Packs, int Columns>
inline void add_product_tile(const product_view& c, const product_view& a, const product_view& b, std::size_t depth) {
  numbers4 sums[Columns][Packs] = {};
  for (std::size_t p = 0; p < depth; ++p) {
    const double *const left = a.data + p * a.column, *const right = b.data + p * b.row;
#pragma GCC unroll 4
    for (int j = 0; j < Columns; ++j) {
      const double x = right[static_cast<std::size_t>(j) * b.column];
      const numbers4 factor = {x, x, x, x};
#pragma GCC unroll 3
      for (int i = 0; i < Packs; ++i) sums[j][i] += *reinterpret_cast<const numbers4*>(left + 4 * i) * factor;
    }
  }
  for (int j = 0; j < Columns; ++j) {
    for (int i = 0; i < Packs; ++i) {
      *reinterpret_cast<numbers4*>(c.data + static_cast<std::size_t>(j) * c.column + 4 * i) += sums[j][i];
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

/// c += a b for `rows` x `columns` sums over `depth`. Precondition: rows of a and c are neighbours in memory.
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

/// sum += sum_n counts_n rows_(ids_n) of rows of `columns` numbers.
template <int Packs, class Id>
inline void add_counted_packs(const Id* ids, const std::uint32_t* counts, std::size_t size, const double* rows,
                              std::size_t columns, double* sum) {
  numbers4 sums[Packs] = {};
  for (std::size_t n = 0; n < size; ++n) {
    const double x = counts[n];
    const numbers4 factor = {x, x, x, x};
    const double* const row = rows + static_cast<std::size_t>(ids[n]) * columns;
#pragma GCC unroll 4
    for (int i = 0; i < Packs; ++i) sums[i] += *reinterpret_cast<const numbers4*>(row + 4 * i) * factor;
  }
  for (int i = 0; i < Packs; ++i) *reinterpret_cast<numbers4*>(sum + 4 * i) += sums[i];
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

}  // namespace dplda::detail::DPLDA_ISA
