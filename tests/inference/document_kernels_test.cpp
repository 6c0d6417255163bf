// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/document_kernels.hpp>

#include <boost/math/special_functions/digamma.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

using dplda::detail::document_answer;
using dplda::detail::document_problem;
using dplda::detail::lanes;
using dplda::detail::weight_rule;
namespace own_isa = dplda::detail::own_isa;

namespace {

template <class Real>
std::vector<Real> spread(std::size_t n, double low, double high, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<double> position(low, high);
  std::vector<Real> x(n);
  for (Real& value : x) value = static_cast<Real>(position(bits));
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("an update of a document follows the formulas, for every number of packs", "[document_kernels]",
                   float, double) {
  const double tolerance = 200 * static_cast<double>(std::numeric_limits<TestType>::epsilon());
  for (std::size_t packs = 1; packs <= 7; ++packs) {
    CAPTURE(packs);
    const std::size_t stride = packs * lanes<TestType>, words = 3 * lanes<TestType>;
    const auto rows = spread<TestType>(words * stride, 0.001, 1, 1), counts = spread<TestType>(words, 1, 5, 2);
    const auto rest = spread<TestType>(words, 0, 1, 3), alpha = spread<TestType>(stride, 0.05, 1, 4);
    const auto before = spread<TestType>(stride, 0.2, 9, 5);
    const document_problem<TestType> problem{
        rows.data(), counts.data(), rest.data(), alpha.data(), words, stride, weight_rule::expected_log};

    std::vector<double> weights(stride), sums(stride, 0.0), ratios(words);
    for (std::size_t k = 0; k < stride; ++k)
      weights[k] = std::exp(boost::math::digamma(static_cast<double>(before[k])));
    for (std::size_t n = 0; n < words; ++n) {
      double norm = static_cast<double>(rest[n]);
      for (std::size_t k = 0; k < stride; ++k) norm += weights[k] * static_cast<double>(rows[n * stride + k]);
      ratios[n] = static_cast<double>(counts[n]) / norm;
      for (std::size_t k = 0; k < stride; ++k) sums[k] += ratios[n] * static_cast<double>(rows[n * stride + k]);
    }
    double moved = 0;
    for (std::size_t k = 0; k < stride; ++k) {
      sums[k] = static_cast<double>(alpha[k]) + weights[k] * sums[k];
      moved += std::abs(sums[k] - static_cast<double>(before[k]));
    }

    for (const bool own : {true, false}) {
      CAPTURE(own);
      std::vector<TestType> gamma = before, t(2 * stride), r(words), dots(words);
      const document_answer<TestType> answer{gamma.data(), t.data(), r.data()};
      const TestType change = own ? own_isa::update_document(problem, answer) : update_document(problem, answer);
      CHECK(static_cast<double>(change) == Catch::Approx(moved).epsilon(tolerance));
      for (std::size_t k = 0; k < stride; ++k) {
        CHECK(static_cast<double>(gamma[k]) == Catch::Approx(sums[k]).epsilon(tolerance));
        CHECK(static_cast<double>(t[k]) == Catch::Approx(weights[k]).epsilon(tolerance));
      }
      own ? own_isa::dot_rows(problem, t.data(), dots.data()) : dot_rows(problem, t.data(), dots.data());
      for (std::size_t n = 0; n < words; ++n) {
        CHECK(static_cast<double>(r[n]) == Catch::Approx(ratios[n]).epsilon(tolerance));
        const double norm = static_cast<double>(counts[n]) / ratios[n];
        CHECK(static_cast<double>(rest[n] + dots[n]) == Catch::Approx(norm).epsilon(tolerance));
      }
    }
  }
}

TEST_CASE("a row of floats matches the one of doubles, without subnormal products", "[document_kernels]") {
  // Small lambda: the relative probabilities go down to where floats underflow.
  constexpr std::size_t stride = 64;
  std::vector<double> lambda(stride), inverse(stride), row(stride), factors(stride);
  std::vector<float> lambda_float(stride), inverse_float(stride), row_float(stride), factors_float(stride);
  for (std::size_t k = 0; k < stride; ++k) {
    lambda_float[k] = 0.0105f * std::pow(1.15f, static_cast<float>(k));
    inverse_float[k] = k + 3 < stride ? 1e-3f : 0.0f;
    lambda[k] = static_cast<double>(lambda_float[k]);
    inverse[k] = static_cast<double>(inverse_float[k]);
  }
  dplda::detail::expected_row(lambda.data(), inverse.data(), row.data(), factors.data(), stride);
  dplda::detail::expected_row(lambda_float.data(), inverse_float.data(), row_float.data(), factors_float.data(),
                              stride);
  std::size_t flushed = 0;
  for (std::size_t k = 0; k < stride; ++k) {
    CAPTURE(k, row[k]);
    if (row_float[k] == 0) {
      CHECK(row[k] < 1.01e-30);
      flushed += row[k] > 0;
    } else {
      CHECK(row_float[k] >= 1e-30f);
      CHECK(static_cast<double>(row_float[k]) == Catch::Approx(row[k]).epsilon(1e-4));
    }
  }
  CHECK(flushed > 0);
  CHECK(*std::max_element(row.begin(), row.end()) == 1);
  CHECK(*std::max_element(row_float.begin(), row_float.end()) == 1);
}
