// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_DOCUMENT_KERNELS_HPP
#define DPLDA_INFERENCE_DETAIL_DOCUMENT_KERNELS_HPP

// The inner loops of variational inference for one document. They read the document's own copy of its words' rows, so a
// document's result is a function of that document and the topics alone, bit for bit, whatever else is in the corpus.

#include <dplda/core/detail/aligned_buffer.hpp>
#include <dplda/core/vector_math.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace dplda::detail {

/// Numbers of Real that are worked on at once; rows of topics and lists of words are padded to multiples of it.
template <class Real>
inline constexpr std::size_t lanes = 32 / sizeof(Real);

template <class Real>
constexpr std::size_t padded(std::size_t n) {
  return (n + lanes<Real> - 1) / lanes<Real> * lanes<Real>;
}

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

/// What the kernel updates. ratios_n = count_n / sum_k weights_k row_nk, so that a token of word n is in topic k with
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

}  // namespace dplda::detail

#define DPLDA_KERNELS <dplda/inference/detail/document_kernels.inl>
#include <dplda/core/detail/for_each_isa.hpp>

#endif
