// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_CORPUS_PRODUCTS_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_CORPUS_PRODUCTS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Scales a row of a matrix.
void scale_row(tall_matrix& matrix, std::size_t row, double factor);

/// Products with X, the counts of a corpus (documents x words), and with its transpose, in time O(entries * columns).
/// Documents of fewer tokens than `least` count as empty. The same bits for every number of threads: one thread makes
/// each row of a product, in one order.
class corpus_products {
 public:
  corpus_products(const corpus& docs, std::uint64_t least, std::size_t threads);

  std::size_t words() const noexcept { return docs_.words(); }
  const corpus& docs() const noexcept { return docs_; }
  /// Tokens of each document; 0: counts as empty.
  const std::vector<double>& lengths() const noexcept { return lengths_; }

  /// X matrix. Precondition: one row per word.
  tall_matrix project(const tall_matrix& matrix) const;
  /// X' rows. Precondition: one row per document.
  tall_matrix gather(const tall_matrix& rows) const;

  /// sum_d weight(l_d) x_d over the documents that do not count as empty, l_d being the length.
  template <class Weight>
  Eigen::VectorXd by_word(const Weight& weight) const {
    std::vector<double> weights(lengths_.size(), 0);
    for (std::size_t d = 0; d < weights.size(); ++d) {
      if (lengths_[d] > 0) weights[d] = weight(lengths_[d]);
    }
    Eigen::VectorXd sums(static_cast<Eigen::Index>(words()));
    for (std::size_t v = 0; v < words(); ++v) {
      double sum = 0;
      for (std::size_t e = begin_[v]; e < begin_[v + 1]; ++e) sum += counts_[e] * weights[documents_[e]];
      sums[static_cast<Eigen::Index>(v)] = sum;
    }
    return sums;
  }

  /// Documents with the word.
  std::size_t documents_with(word_id word) const { return begin_[word + 1] - begin_[word]; }

 private:
  static constexpr std::size_t grain = 256;

  corpus docs_;
  std::size_t threads_;
  std::vector<double> lengths_;
  std::vector<std::size_t> begin_;  // of each word's entries, which stand side by side
  std::vector<std::size_t> documents_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/corpus_products.ipp>
#endif

#endif
