// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DOCUMENT_KERNELS_HPP
#define DPLDA_INFERENCE_DOCUMENT_KERNELS_HPP

// The inner loops of variational inference for one document. They read the document's own copy of its words' rows, so a
// document's result is a function of that document and the topics alone, bit for bit, whatever else is in the corpus.

#include <dplda/core/detail/aligned_buffer.hpp>
#include <dplda/core/detail/pack.hpp>
#include <dplda/core/vector_math.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace dplda::inline v0_1::detail {

/// How a document's topic weights follow from gamma.
enum class weight_rule {
  expected_log,  ///< exp(digamma(gamma_k)): variational inference, theta ~ Dirichlet(gamma)
  expected       ///< gamma_k: expectation maximisation, theta = gamma / sum(gamma)
};

/// A document for the kernel. A padding word has count 0 and a row of ones, a padding topic alpha 1 and 0 in every row.
template <class Real>
struct document_problem {
  const Real* rows;    ///< words x stride: a word's (relative) probability under each topic
  const Real* counts;  ///< words
  const Real* rest;    ///< words: what topics outside this problem add to weights . row
  const Real* alpha;   ///< stride
  std::size_t words;   ///< padded
  std::size_t stride;  ///< topics, padded
  weight_rule rule;
};

/// What the kernel updates. ratios_n = count_n / sum_k weights_k row_nk, so a token of word n is in topic k with
/// probability weights_k row_nk ratios_n / count_n.
template <class Real>
struct document_answer {
  Real* gamma;    ///< stride
  Real* weights;  ///< 2 stride; the second half is work space
  Real* ratios;   ///< words
};

/// One (document, word) pair of a batch.
template <class Real>
struct word_entry {
  std::uint32_t document;
  Real ratio;
};

}  // namespace dplda::inline v0_1::detail

#define DPLDA_KERNELS <dplda/inference/detail/document_kernels.inl>
#include <dplda/core/detail/for_each_isa.hpp>

namespace dplda::inline v0_1::detail {

/// One update of gamma, with the weights and ratios that it follows from. Returns the sum of its |changes|.
template <class Real>
Real update_document(const document_problem<Real>& problem, const document_answer<Real>& answer) {
  return wide_isa_runs() ? wide_isa::update_document(problem, answer) : own_isa::update_document(problem, answer);
}

/// dots_n = weights . row_n
template <class Real>
void dot_rows(const document_problem<Real>& problem, const Real* weights, Real* dots) {
  wide_isa_runs() ? wide_isa::dot_rows(problem, weights, dots) : own_isa::dot_rows(problem, weights, dots);
}

/// row_k = exp(digamma(lambda_k)) inverse_k, scaled so that the largest is 1: a document's posterior does not depend on
/// the scale of a word's row, and for small lambda the unscaled row would underflow as a whole. Where inverse_k is 0
/// (padding), row_k is 0; so is a float below 1e-30. `factors` is work space; lambda and factors may be the same array.
template <class Real>
void expected_row(const Real* lambda, const Real* inverse, Real* row, Real* factors, std::size_t stride) {
  wide_isa_runs() ? wide_isa::expected_row(lambda, inverse, row, factors, stride)
                  : own_isa::expected_row(lambda, inverse, row, factors, stride);
}

/// target_k += scale row_k sum_i ratios[i] weights(documents[i], k): what a batch adds to one word's statistic.
template <class Real>
void add_word_statistic(const word_entry<Real>* entries, std::size_t count, const Real* weights,
                        std::size_t weights_stride, const Real* row, Real scale, Real* target, std::size_t stride) {
  wide_isa_runs() ? wide_isa::add_word_statistic(entries, count, weights, weights_stride, row, scale, target, stride)
                  : own_isa::add_word_statistic(entries, count, weights, weights_stride, row, scale, target, stride);
}

}  // namespace dplda::inline v0_1::detail

#endif
