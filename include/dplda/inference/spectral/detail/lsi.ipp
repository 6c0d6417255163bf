// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_LSI_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_LSI_IPP

// Bodies of inference/spectral/lsi.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/detail/corpus_products.hpp>
#include <dplda/inference/spectral/eigenpairs.hpp>
#include <dplda/inference/spectral/lsi.hpp>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

DPLDA_INLINE lsi::lsi(lsi_options options) : options_(options) {
  const lsi_options& o = options_;
  detail::require(o.topics >= 1 && o.topics <= 10'000, "lsi", "topics", o.topics, "must lie in [1, 10000]");
  detail::require(o.eigen_tolerance > 0 && o.eigen_tolerance < 1, "lsi", "eigen_tolerance", o.eigen_tolerance,
                  "must lie in (0, 1)");
  detail::require(o.eigen_iterations >= 1, "lsi", "eigen_iterations", o.eigen_iterations, "must be at least 1");
}

DPLDA_INLINE topic_model<> lsi::fit(const corpus& docs, random_source& random, const observer& watch) const {
  return fit_state(docs, random, watch).model();
}

DPLDA_INLINE lsi_state lsi::fit_state(const corpus& docs, random_source& random, const observer& watch) const {
  detail::require(!docs.empty(), "lsi", "number of documents", docs.size(), "must be at least 1");
  detail::require(options_.topics <= docs.words(), "lsi", "topics", options_.topics,
                  detail::text("must be at most the vocabulary's size, ", docs.words()));
  detail::require_one_process("lsi", random);
  const random_source source = random.fork();
  const std::size_t threads = thread_count(options_.threads);
  const detail::corpus_products counts(docs, 1, threads);

  // The matrix is diag(of_document) * counts * diag(of_word).
  std::vector<double> of_word(docs.words(), 1.0), of_document(docs.size(), 1.0);
  if (options_.weights == lsi_weights::tf_idf) {
    const auto all = static_cast<double>(docs.size());
    for (word_id w = 0; w < docs.words(); ++w) {
      const auto with = static_cast<double>(counts.documents_with(w));
      of_word[w] = with > 0 ? std::log(all / with) : 0;
    }
    for (std::size_t d = 0; d < docs.size(); ++d) {
      double square = 0;
      for (std::size_t n = 0; n < docs[d].size(); ++n) {
        const double entry = docs[d].counts[n] * of_word[docs[d].words[n]];
        square += entry * entry;
      }
      of_document[d] = square > 0 ? 1 / std::sqrt(square) : 0;
    }
  }
  const auto square = [&](const detail::tall_matrix& x) {
    detail::tall_matrix scaled = x;
    for (std::size_t w = 0; w < of_word.size(); ++w) detail::scale_row(scaled, w, of_word[w]);
    detail::tall_matrix rows = counts.project(scaled);
    for (std::size_t d = 0; d < of_document.size(); ++d) {
      detail::scale_row(rows, d, of_document[d] * of_document[d]);
    }
    detail::tall_matrix result = counts.gather(rows);
    for (std::size_t w = 0; w < of_word.size(); ++w) detail::scale_row(result, w, of_word[w]);
    return result;
  };
  eigenpairs found = top_eigenpairs(
      square, docs.words(), options_.topics, source,
      {.tolerance = options_.eigen_tolerance, .iterations = options_.eigen_iterations, .threads = threads});
  if (watch) watch({1, 1});
  return {found.values.cwiseMax(0).cwiseSqrt(), std::move(found.vectors), docs.vocab()};
}

DPLDA_INLINE topic_model<> lsi_state::model() const {
  Eigen::MatrixXd phi = directions.cwiseAbs2().transpose();
  const Eigen::VectorXd sums = phi.rowwise().sum();  // 1 but for rounding
  phi.array().colwise() /= sums.array();
  return topic_model<>(std::move(phi), vocab);
}

}  // namespace dplda::inline v0_1

#endif
