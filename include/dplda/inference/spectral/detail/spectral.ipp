// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_SPECTRAL_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_SPECTRAL_IPP

// Bodies of inference/spectral/spectral.hpp.

#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/moments.hpp>
#include <dplda/inference/spectral/spectral.hpp>

#include <cstddef>

namespace dplda::inline v0_1 {

template <class Real>
spectral_state<Real>::spectral_state(double alpha0, vocabulary_ptr vocab, Eigen::VectorXd first, eigenpairs second,
                                     symmetric_tensor third, tensor_decomposition decomposition)
    : alpha0_(alpha0),
      vocab_(std::move(vocab)),
      first_(std::move(first)),
      second_(std::move(second)),
      third_(std::move(third)),
      decomposition_(std::move(decomposition)) {}

template <class Real>
topic_model<Real> spectral<Real>::fit(const corpus& docs, random_source& random, const observer& watch) const {
  return fit_state(docs, random, watch).model();
}

template <class Real>
spectral_state<Real> spectral<Real>::fit_state(const corpus& docs, random_source& random, const observer& watch) const {
  detail::require_one_process("spectral", random);
  const auto done = [&](std::size_t step) {
    if (watch) watch({step, 4});
  };
  const spectral_moments moments(docs, options_.alpha0, options_.products, 0, options_.threads);
  detail::require(options_.topics <= docs.words(), "spectral", "topics", options_.topics,
                  detail::text("must be at most the vocabulary's size, ", docs.words()));
  const random_source source = random.fork();
  const std::size_t threads = thread_count(options_.threads);
  done(1);
  eigenpairs second = top_eigenpairs(
      [&](const detail::tall_matrix& x) { return moments.second(x); }, docs.words(), options_.topics, source,
      {.tolerance = options_.eigen_tolerance, .iterations = options_.eigen_iterations, .threads = threads});
  const detail::tall_matrix whitening = whitening_matrix(second);
  done(2);
  symmetric_tensor third = moments.third(whitening);
  done(3);
  tensor_decomposition decomposition = decompose(third, source, options_.tensor, threads);
  done(4);
  return {options_.alpha0,   docs.vocab(),     moments.first(),
          std::move(second), std::move(third), std::move(decomposition)};
}

}  // namespace dplda::inline v0_1

#endif
