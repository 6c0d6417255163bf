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
#include <dplda/inference/spectral/detail/blocked.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The cell of words v <= w among those on and above the diagonal of a symmetric matrix, row after row.
std::uint64_t pair_cell(std::uint64_t v, std::uint64_t w, std::uint64_t words);

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
double triple_weight(std::size_t a, std::size_t b, std::size_t c);

/// The moments m1, m2 and m3 (moments.hpp) of one unit: the means over those of its documents that have at least three
/// tokens. Entries of symmetric arrays are stored once, multiplied by the square root of their number of occurrences,
/// so that the l2 norm of a contribution is the Frobenius norm of the array.
class unit_moments {
 public:
  /// A unit contributes its first documents up to this many pairs of words, and a document's pairs are those of its
  /// first words. This bounds the memory that one unit needs.
  static constexpr std::size_t most_pairs = std::size_t{1} << 22, most_words = 2048;

  /// Looks at the documents of a unit.
  void look_at(const corpus& docs, std::span<const std::size_t> documents);

  /// m1: a value for each of words(), which may repeat.
  void first();

  /// m2: a value for each of cells(), which ascend.
  void pairs(std::size_t words);

  /// m3(B, B, B) for a matrix B of one row per word: a value for each cell (for_each_triple).
  void triples(const tall_matrix& basis);

  std::span<const std::uint32_t> cells() const { return words_; }
  std::span<const double> values() const { return values_; }

  double norm() const;

 private:
  static std::uint32_t cell(word_id v, word_id w, std::size_t words);

  // y, D2 (a <= b) and D3 of a document.
  void project(const document& doc, const tall_matrix& basis);

  std::vector<document> documents_;
  double share_ = 0;
  std::vector<std::pair<std::uint32_t, double>> entries_;
  std::vector<std::uint32_t> words_;
  std::vector<double> values_, sum_, square_, cubes_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/unit_moments.ipp>
#endif

#endif
