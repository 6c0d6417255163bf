// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_UNIT_MOMENTS_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_UNIT_MOMENTS_HPP

// Claim (purity): first(), pairs() and triples() return functions of the documents that look_at() was given, in their
//   order, and of the number of words or the basis, bit for bit. They do not depend on any other unit, nor on what this
//   object read before.
// Preconditions: the documents' words lie in the vocabulary, and the basis has a row for each. Floating point is IEEE 754
//   without -ffast-math, which the library refuses; a compiler that fuses products and sums does so in all rounds of a
//   loop alike.
// Argument: look_at() replaces documents and share; each moment clears or assigns all that it then adds to (words_,
//   values_, entries_, sum_, square_, and cubes_ for each document). Loops run over the unit's own documents in a fixed
//   order, in memory of their own and never across units, and a sum is over one cell's terms in the order of the
//   documents, which no vector instruction changes, whatever the alignment. Where entries of one cell meet they are sorted
//   stably. No norm is promised: the accumulator enforces that on integers.
// Test: tests/inference/private_spectral_test.cpp (moments against their definition, grey-box audits).

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The cell of words v <= w among those on and above the diagonal of a symmetric matrix, row after row.
inline std::uint64_t pair_cell(std::uint64_t v, std::uint64_t w, std::uint64_t words) {
  return v * words - v * (v + 1) / 2 + w;
}

/// The number of cells on and above the diagonal.
inline std::uint64_t pair_cells(std::uint64_t words) { return words * (words + 1) / 2; }

/// Cells of a symmetric k x k x k tensor with a <= b <= c.
inline std::size_t triple_cells(std::size_t k) { return k * (k + 1) * (k + 2) / 6; }

/// Calls visit(cell, a, b, c) for all a <= b <= c.
template <class Visit>
void for_each_triple(std::size_t k, const Visit& visit) {
  std::size_t cell = 0;
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a; b < k; ++b) {
      for (std::size_t c = b; c < k; ++c) visit(cell++, a, b, c);
    }
  }
}

/// The square root of the number of entries of a symmetric tensor that the entry (a, b, c), a <= b <= c, stands for.
inline double triple_weight(std::size_t a, std::size_t b, std::size_t c) {
  if (a == c) return 1;
  return a == b || b == c ? 1.7320508075688772 : 2.4494897427831781;
}

/// The moments m1, m2 and m3 (moments.hpp) of one unit: the means over those of its documents that have at least three
/// tokens. Entries of symmetric arrays are stored once, multiplied by the square root of their number of occurrences,
/// so that the l2 norm of a contribution is the Frobenius norm of the array.
class unit_moments {
 public:
  /// A unit contributes its first documents up to this many pairs of words, and a document's pairs are those of its
  /// first words. This bounds the memory that one unit needs.
  static constexpr std::size_t most_pairs = std::size_t{1} << 22, most_words = 2048;

  /// Looks at the documents of a unit.
  void look_at(const corpus& docs, std::span<const std::size_t> documents) {
    documents_.clear();
    std::size_t pairs = 0;
    for (const std::size_t d : documents) {
      const document doc = docs[d];
      if (doc.length() < 3) continue;
      const std::size_t size = std::min(doc.size(), most_words);
      pairs += size * (size + 1) / 2;
      if (pairs > most_pairs) break;
      documents_.push_back(doc);
    }
    share_ = documents_.empty() ? 0 : 1 / static_cast<double>(documents_.size());
  }

  /// m1: a value for each of words(), which may repeat.
  void first() {
    words_.clear();
    values_.clear();
    for (const document& doc : documents_) {
      const double factor = share_ / static_cast<double>(doc.length());
      words_.insert(words_.end(), doc.words.begin(), doc.words.end());
      for (const std::uint32_t count : doc.counts) values_.push_back(factor * count);
    }
  }

  /// m2: a value for each of cells(), which ascend.
  void pairs(std::size_t words) {
    entries_.clear();
    for (const document& doc : documents_) {
      const auto length = static_cast<double>(doc.length());
      const double factor = share_ / (length * (length - 1)), twice = factor * 1.4142135623730951;
      const std::size_t size = std::min(doc.size(), most_words);
      for (std::size_t i = 0; i < size; ++i) {
        const double x = doc.counts[i];
        if (x > 1) entries_.emplace_back(cell(doc.words[i], doc.words[i], words), factor * x * (x - 1));
        for (std::size_t j = i + 1; j < size; ++j)
          entries_.emplace_back(cell(doc.words[i], doc.words[j], words), twice * x * doc.counts[j]);
      }
    }
    const auto by_cell = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(entries_.begin(), entries_.end(), by_cell))
      detail::stable_sort(entries_.begin(), entries_.end(), by_cell);
    words_.clear();
    values_.clear();
    for (const auto& [where, value] : entries_) {
      if (!words_.empty() && words_.back() == where) {
        values_.back() += value;
      } else {
        words_.push_back(where);
        values_.push_back(value);
      }
    }
  }

  /// m3(B, B, B) for a matrix B of one row per word: a value for each cell (for_each_triple).
  void triples(const tall_matrix& basis) {
    const auto k = static_cast<std::size_t>(basis.cols());
    values_.assign(triple_cells(k), 0.0);
    cubes_.resize(values_.size());
    for (const document& doc : documents_) {
      project(doc, basis);
      const auto length = static_cast<double>(doc.length());
      const double factor = share_ / (length * (length - 1) * (length - 2));
      // y^(3) - S(D2, y) + 2 D3 with y = B'x, D2 = sum_v x_v b_v b_v', D3 = sum_v x_v b_v^(3).
      for_each_triple(k, [&](std::size_t at, std::size_t a, std::size_t b, std::size_t c) {
        const double mixed = square_[a * k + b] * sum_[c] + square_[a * k + c] * sum_[b] + square_[b * k + c] * sum_[a];
        values_[at] += factor * (sum_[a] * sum_[b] * sum_[c] - mixed + 2 * cubes_[at]);
      });
    }
    for_each_triple(
        k, [&](std::size_t at, std::size_t a, std::size_t b, std::size_t c) { values_[at] *= triple_weight(a, b, c); });
  }

  std::span<const std::uint32_t> cells() const { return words_; }
  std::span<const double> values() const { return values_; }

  double norm() const {
    double sum = 0;
    for (const double value : values_) sum += value * value;
    return std::sqrt(sum);
  }

 private:
  static std::uint32_t cell(word_id v, word_id w, std::size_t words) {
    return static_cast<std::uint32_t>(pair_cell(std::min(v, w), std::max(v, w), words));
  }

  // y, D2 (a <= b) and D3 of a document.
  void project(const document& doc, const tall_matrix& basis) {
    const auto k = static_cast<std::size_t>(basis.cols());
    sum_.assign(k, 0.0);
    square_.assign(k * k, 0.0);
    std::fill(cubes_.begin(), cubes_.end(), 0.0);
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const double* row = basis.data() + doc.words[n] * k;
      const double x = doc.counts[n];
      double* cube = cubes_.data();
      for (std::size_t a = 0; a < k; ++a) {
        const double xa = x * row[a];
        sum_[a] += xa;
        for (std::size_t b = a; b < k; ++b) {
          const double xab = xa * row[b];
          square_[a * k + b] += xab;
          for (std::size_t c = b; c < k; ++c) *cube++ += xab * row[c];
        }
      }
    }
  }

  std::vector<document> documents_;
  double share_ = 0;
  std::vector<std::pair<std::uint32_t, double>> entries_;
  std::vector<std::uint32_t> words_;
  std::vector<double> values_, sum_, square_, cubes_;
};

}  // namespace dplda::inline v0_1::detail

#endif
