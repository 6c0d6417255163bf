// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_SAME_ARITHMETIC_HPP
#define DPLDA_INFERENCE_DETAIL_SAME_ARITHMETIC_HPP

// Claim: processes that compute differently do not fit together, as far as the computations below tell.
// Why: a document's contribution must be a function of that document and of released values alone (accumulator.hpp).
//   Which process has a document depends on the other documents. So a contribution must not depend on the process, but
//   processors with and without AVX2, or two versions of the C library, round differently.
// Preconditions: all processes run the same program.
// Argument: the kernels of documents, which choose their instructions at run time, and the C library's functions are
//   called with fixed arguments; processes compare a hash of all bits that come out.
// Test: tests/distributed/fits_test.cpp

#include <dplda/core/errors.hpp>
#include <dplda/distributed/process_group.hpp>
#include <dplda/inference/document_kernels.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace dplda::inline v0_1::detail {

/// A hash of results of the arithmetic that contributions are made with.
class arithmetic_fingerprint {
 public:
  arithmetic_fingerprint() {
    add_kernels<float>();
    add_kernels<double>();
    for (int i = 1; i <= 100; ++i) {
      const double x = 0.37 * i;
      for (const double y : {std::exp(-x), std::log(x), std::log1p(x), std::expm1(-x), std::pow(x, 0.3), std::lgamma(x),
                             std::cos(x), std::erfc(x / 10)})
        add(y);
    }
  }

  std::uint64_t value() const { return hash_; }

 private:
  template <class Real>
  void add(Real x) {
    hash_ = (hash_ ^ std::bit_cast<std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>>(x)) *
            0x100000001b3u;
  }

  // Some updates of made-up documents.
  template <class Real>
  void add_kernels() {
    constexpr std::size_t topics = 24, words = 32;
    const std::size_t stride = padded<Real>(topics);
    aligned_buffer<Real> rows, counts, rest, alpha, gamma, weights, ratios;
    for (aligned_buffer<Real>* const one : {&alpha, &gamma, &weights}) one->ensure(2 * stride);
    for (aligned_buffer<Real>* const one : {&counts, &rest, &ratios}) one->ensure(words);
    rows.ensure(words * stride);
    std::uint64_t state = 1;
    const auto next = [&] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<Real>(1 + (state >> 44)) / static_cast<Real>(1 << 20);
    };
    for (const weight_rule rule : {weight_rule::expected_log, weight_rule::expected}) {
      std::generate_n(rows.data(), words * stride, next);
      std::generate_n(counts.data(), words, next);
      std::generate_n(rest.data(), words, next);
      std::fill_n(alpha.data(), stride, static_cast<Real>(0.05));
      std::fill_n(gamma.data(), stride, static_cast<Real>(1));
      const document_problem<Real> problem{rows.data(), counts.data(), rest.data(), alpha.data(), words, stride, rule};
      const document_answer<Real> answer{gamma.data(), weights.data(), ratios.data()};
      for (int i = 0; i < 5; ++i) add(update_document(problem, answer));
      for (std::size_t k = 0; k < stride; ++k) add(gamma.data()[k]);
      for (std::size_t n = 0; n < words; ++n) add(ratios.data()[n]);
    }
  }

  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

/// Throws std::invalid_argument in all processes, if two of them have different fingerprints.
inline void require_same_arithmetic(const char* function, const process_group& processes,
                                    std::uint64_t own = arithmetic_fingerprint().value()) {
  if (processes.alone()) return;
  const std::vector<std::uint64_t> all = processes.gather(own);
  const auto other = std::ranges::find_if(all, [&](std::uint64_t each) { return each != all.front(); });
  require(other == all.end(), function, "the arithmetic of process", other - all.begin(),
          "must be that of process 0: run all on processors of one kind, with one C library");
}

}  // namespace dplda::inline v0_1::detail

#endif
