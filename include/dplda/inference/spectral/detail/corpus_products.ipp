// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_CORPUS_PRODUCTS_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_CORPUS_PRODUCTS_IPP

// Bodies of inference/spectral/detail/corpus_products.hpp.

#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/detail/corpus_products.hpp>

namespace dplda::inline v0_1::detail {

DPLDA_INLINE void scale_row(tall_matrix& matrix, std::size_t row, double factor) {
  scale(factor, matrix.data() + static_cast<Eigen::Index>(row) * matrix.cols(), matrix.cols());
}

DPLDA_INLINE corpus_products::corpus_products(const corpus& docs, std::uint64_t least, std::size_t threads)
    : docs_(docs), threads_(thread_count(threads)), lengths_(docs.size()), begin_(docs.words() + 1, 0) {
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const std::uint64_t length = docs[d].length();
    lengths_[d] = length >= least ? static_cast<double>(length) : 0;
    if (!(lengths_[d] > 0)) continue;
    for (const word_id word : docs[d].words) ++begin_[word + 1];
  }
  for (std::size_t v = 0; v < words(); ++v) begin_[v + 1] += begin_[v];
  documents_.resize(begin_.back());
  counts_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    if (!(lengths_[d] > 0)) continue;
    const document doc = docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const std::size_t place = next[doc.words[n]]++;
      documents_[place] = d;
      counts_[place] = doc.counts[n];
    }
  }
}

DPLDA_INLINE tall_matrix corpus_products::project(const tall_matrix& matrix) const {
  const Eigen::Index size = matrix.cols();
  tall_matrix rows = tall_matrix::Zero(static_cast<Eigen::Index>(docs_.size()), size);
  parallel_for(docs_.size(), grain, threads_, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t d = begin; d < end; ++d) {
      if (!(lengths_[d] > 0)) continue;
      const document doc = docs_[d];
      double* const row = rows.data() + static_cast<Eigen::Index>(d) * size;
      add_counted_rows(doc.words.data(), doc.counts.data(), doc.size(), matrix.data(), static_cast<std::size_t>(size),
                       row);
    }
  });
  return rows;
}

DPLDA_INLINE tall_matrix corpus_products::gather(const tall_matrix& rows) const {
  const Eigen::Index size = rows.cols();
  tall_matrix sums = tall_matrix::Zero(static_cast<Eigen::Index>(words()), size);
  parallel_for(words(), 64, threads_, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t v = begin; v < end; ++v) {
      double* const sum = sums.data() + static_cast<Eigen::Index>(v) * size;
      add_counted_rows(documents_.data() + begin_[v], counts_.data() + begin_[v], begin_[v + 1] - begin_[v],
                       rows.data(), static_cast<std::size_t>(size), sum);
    }
  });
  return sums;
}

}  // namespace dplda::inline v0_1::detail

#endif
