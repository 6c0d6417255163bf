// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/spectral/spectral.hpp>
#include <dplda/published/decarolis_spectral.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

// Statistical tests use suite_level (tests/support/statistics.hpp): 1e-12 each.

using dplda::corpus;
using dplda::moment_products;
using dplda::seeded_random;
using dplda::published::decarolis_options;
using dplda::published::decarolis_result;
using dplda::published::decarolis_spectral;
using dplda::published::gap_sensitivity;
using dplda::published::gaussian_formula;
using dplda::published::second_moment_releases;
using dplda_tests::chi_square_p_value;
using dplda_tests::make_corpus;
using dplda_tests::refusal;
using dplda_tests::suite_level;

namespace {

Catch::Approx close(double value) { return Catch::Approx(value).epsilon(1e-9); }

corpus figure_two(std::size_t documents) {
  return dplda::synthetic_lda({.documents = documents,
                               .words = 50,
                               .topics = 5,
                               .alpha = 0.2,
                               .topic_concentration = 0.1,
                               .zipf_exponent = 0,
                               .mean_length = 100},
                              seeded_random(1))
      .docs;
}

corpus copies(const std::vector<std::pair<std::size_t, std::vector<dplda::word_id>>>& kinds, std::size_t words) {
  std::vector<std::vector<dplda::word_id>> docs;
  for (const auto& [count, doc] : kinds) docs.insert(docs.end(), count, doc);
  return make_corpus(docs, words);
}

decarolis_result fit(const corpus& docs, decarolis_options options, const dplda::budget& total, std::uint64_t seed) {
  options.documents = docs.size();
  auto random = seeded_random(seed);
  return decarolis_spectral(options, total).fit(docs, random);
}

dplda::spectral_state<> without_noise(const corpus& docs, std::size_t topics, double alpha0) {
  auto random = seeded_random(3);
  return dplda::spectral<>({.topics = topics, .alpha0 = alpha0, .products = moment_products::plug_in, .threads = 1})
      .fit_state(docs, random);
}

// Whether a sum of squares of standard normal values can be one of so many, and could not if noise were off by `wrong`.
void check_scale(double squares, std::size_t count, double wrong) {
  CHECK(chi_square_p_value(squares, count) > suite_level);
  CHECK(chi_square_p_value(squares * wrong * wrong, count) < suite_level);
  CHECK(chi_square_p_value(squares / (wrong * wrong), count) < suite_level);
}

// The eigenvalue of the whitened tensor from which alpha follows.
double eigenvalue_of(double alpha, double alpha0) {
  return 2 * std::sqrt(alpha0 * (alpha0 + 1)) / ((alpha0 + 2) * std::sqrt(alpha));
}

double multiplier_of(const dplda::ledger::entry& entry) {
  return std::get<dplda::gaussian_noise>(entry.event.noise).multiplier;
}

}  // namespace

TEST_CASE("noise of the configurations follows the paper's formulas", "[decarolis_spectral]") {
  const std::uint64_t n = 10'000;
  const dplda::budget total{1.2, 1.2e-5};
  const auto plan = [&](decarolis_options options) {
    options.topics = 5;
    options.documents = n;
    return decarolis_spectral(options, total).plan();
  };
  // sqrt(2 ln(1.25/delta))/epsilon by hand.
  const double classic_third = std::sqrt(2 * std::log(1.25 / 4e-6)) / 0.4,
               classic_half = std::sqrt(2 * std::log(1.25 / 6e-6)) / 0.6;
  CHECK(classic_third == close(12.575949143));
  // alpha0 = 1: a = 1/2, b = c = 1/3.
  const double delta2 = 4e-4, delta3 = (8 + 2.0 / 3 * 1e-8) * 1e-4;

  SECTION("configuration 1") {
    const auto printed = plan({.configuration = 1});
    CHECK(printed.delta2 == close(delta2));
    CHECK(printed.delta3 == close(delta3));
    CHECK(printed.second_noise == close(classic_third * delta2));
    CHECK(printed.third_noise == close(classic_third * delta3));
    CHECK(printed.sigma_k.scale == 0);
    CHECK(printed.multiplier == 0);
    // Two releases of M2 and one of M3; noise over the Frobenius sensitivities sqrt(3)/N.
    REQUIRE(printed.ledger.entries().size() == 3);
    CHECK(multiplier_of(printed.ledger.entries()[0]) == close(classic_third * 4 / std::sqrt(3.0)));
    CHECK(multiplier_of(printed.ledger.entries()[1]) == Catch::Approx(classic_third * 8 / std::sqrt(3.0)));
    CHECK(printed.ledger.entries()[2] == printed.ledger.entries()[0]);

    const auto once = plan({.configuration = 1, .releases = second_moment_releases::once});
    CHECK(once.second_noise == close(classic_half * delta2));
    CHECK(once.third_noise == close(classic_half * delta3));
    CHECK(once.ledger.entries().size() == 2);

    const double l = std::log(1 / 4e-6), lemma_8 = (std::sqrt(0.4 + l) + std::sqrt(l)) / (std::sqrt(2.0) * 0.4);
    CHECK(plan({.configuration = 1, .formula = gaussian_formula::lemma_8}).second_noise == close(lemma_8 * delta2));
    // a = 1/11, b = 1/21, c = 2/231.
    const auto small = plan({.configuration = 1, .alpha0 = 0.1});
    CHECK(small.second_noise == close(classic_third * (2 + 4.0 / 11) * 1e-4));
    CHECK(small.third_noise == Catch::Approx(classic_third * (2 + 12.0 / 21 + 12.0 / 231) * 1e-4).epsilon(1e-7));
  }
  SECTION("configuration 2") {
    const auto two = plan({.configuration = 2});
    CHECK(two.edge == dplda::budget{0.6, 6e-6});
    CHECK(two.part == dplda::budget{0.3, 3e-6});
    CHECK(two.second_noise == close(classic_half * delta2));
    CHECK(two.third_noise == 0);
    CHECK(two.sigma_k.scale == close(delta2 / 0.3));
    CHECK(two.sigma_k.margin == close(delta2 / 0.3 * std::log(1 / 6e-6)));
    CHECK(two.multiplier == close(std::sqrt(2 * std::log(1.25 / 3e-6)) / 0.3));
    CHECK(two.gap.scale == 0);
    CHECK(plan({.configuration = 2, .gap = gap_sensitivity::lemma_9}).sigma_k.scale == close(2e-4 / 0.3));
  }
  SECTION("configuration 3") {
    const auto three = plan({.configuration = 3});
    CHECK(three.part.epsilon == close(0.2));
    CHECK(three.part.delta == close(2e-6));
    CHECK(three.second_noise == close(classic_half * delta2));
    CHECK(three.sigma_k.scale == close(delta2 / 0.2));
    CHECK(three.gap.scale == close(delta3 / 0.2));
    CHECK(three.gap.margin == close(delta3 / 0.2 * std::log(1 / 4e-6)));
    CHECK(three.multiplier == close(std::sqrt(2 * std::log(1.25 / 2e-6)) / 0.2));
    const auto lemma = plan({.configuration = 3, .gap = gap_sensitivity::lemma_9});
    CHECK(lemma.gap.scale == close(2e-4 / 0.2));
    CHECK(lemma.sigma_k.scale == close(2e-4 / 0.2));
  }
  SECTION("configuration 4") {
    const auto four = plan({.configuration = 4});
    CHECK(four.edge == total);
    CHECK(four.part.epsilon == close(0.4));
    CHECK(four.second_noise == 0);
    CHECK(four.sigma_k.scale == close(delta2 / 0.4));
    CHECK(four.gap.margin == close(delta3 / 0.4 * std::log(1 / 8e-6)));
    CHECK(four.multiplier == close(classic_third));
    const double l = std::log(1 / 4e-6);
    CHECK(plan({.configuration = 4, .formula = gaussian_formula::lemma_8}).multiplier ==
          close((std::sqrt(0.4 + l) + std::sqrt(l)) / (std::sqrt(2.0) * 0.4)));
  }
}

TEST_CASE("the gap is a quarter of the smallest distance", "[decarolis_spectral]") {
  using dplda::published::eigenvalue_gap;
  CHECK(eigenvalue_gap(Eigen::Vector3d(9, 5, 3)) == 0.5);
  CHECK(eigenvalue_gap(Eigen::Vector3d(9, 5, 1)) == 0.25);  // to 0
  CHECK(eigenvalue_gap(Eigen::Vector3d(5, 5, 3)) == 0);
  CHECK(eigenvalue_gap(Eigen::VectorXd::Constant(1, 2.0)) == 0.5);
}

TEST_CASE("noise on a symmetric matrix", "[decarolis_spectral]") {
  const std::size_t size = 131;
  std::vector<double> cells(size * size), again(size * size);
  const auto source = seeded_random(4);
  dplda::detail::fill_symmetric_noise(cells, size, 0.3, source, "test", 1);
  double diagonal = 0, rest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    diagonal += std::pow(cells[i * size + i] / 0.3, 2);
    for (std::size_t j = 0; j < i; ++j) {
      REQUIRE(cells[i * size + j] == cells[j * size + i]);
      rest += 2 * std::pow(cells[i * size + j] / 0.3, 2);
    }
  }
  check_scale(diagonal, size, 2);
  check_scale(rest, size * (size - 1) / 2, 1.1);
  for (const std::size_t threads : {2u, 3u}) {
    dplda::detail::fill_symmetric_noise(again, size, 0.3, source, "test", threads);
    CHECK(again == cells);
  }
  dplda::detail::fill_symmetric_noise(again, size, 0.3, source, "other", 1);
  CHECK(again != cells);
}

TEST_CASE("whitened noise has the distribution of noise on all cells", "[decarolis_spectral]") {
  // E in 4 x 4 x 4, symmetrised and whitened by W = U L^-1/2, beside the same law drawn in 3 x 3 x 3: entries are
  // independent, with standard deviations that are known.
  const std::size_t draws = 20'000;
  const Eigen::Vector3d lengths(0.5, 2, 3);
  auto bits = seeded_random(5).stream("test");
  Eigen::MatrixXd w(4, 4);
  for (Eigen::Index i = 0; i < w.size(); ++i) w.data()[i] = dplda::normal(bits);
  w = dplda::detail::orthonormal_columns(w);
  for (Eigen::Index a = 0; a < 3; ++a) w.col(a) /= std::sqrt(lengths[a]);
  const std::array<std::array<std::size_t, 3>, 10> at{
      {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 1}, {0, 1, 2}, {0, 2, 2}, {1, 1, 1}, {1, 1, 2}, {1, 2, 2}, {2, 2, 2}}};
  const std::array<double, 10> orders{1, 3, 3, 3, 6, 3, 1, 3, 3, 1};
  const double sigma = 0.7;
  std::size_t misplaced = 0;
  std::array<std::array<std::array<double, 10>, 10>, 2> sums{};
  for (std::size_t draw = 0; draw < draws; ++draw) {
    std::array<std::array<double, 10>, 2> values{};
    std::size_t seen = 0;
    dplda::detail::add_whitened_noise(std::span<const double>(lengths.data(), 3), sigma, bits,
                                      [&](std::size_t a, std::size_t b, std::size_t c, double value) {
                                        misplaced += at[seen] == std::array<std::size_t, 3>{a, b, c} ? 0u : 1u;
                                        values[0][seen++] = value;
                                      });
    misplaced += seen == 10 ? 0u : 1u;
    std::array<double, 64> e;
    for (double& x : e) x = sigma * dplda::normal(bits);
    for (std::size_t entry = 0; entry < 10; ++entry) {
      const auto [a, b, c] = at[entry];
      const std::array<std::array<std::size_t, 3>, 6> permuted{
          {{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}}};
      double sum = 0;
      for (const auto& p : permuted) {
        for (std::size_t i = 0; i < 64; ++i) {
          sum += e[i] * w(static_cast<Eigen::Index>(i / 16), static_cast<Eigen::Index>(p[0])) *
                 w(static_cast<Eigen::Index>(i / 4 % 4), static_cast<Eigen::Index>(p[1])) *
                 w(static_cast<Eigen::Index>(i % 4), static_cast<Eigen::Index>(p[2])) / 6;
        }
      }
      values[1][entry] = sum;
    }
    for (std::size_t way = 0; way < 2; ++way) {
      for (std::size_t i = 0; i < 10; ++i) {
        for (std::size_t j = 0; j < 10; ++j) sums[way][i][j] += values[way][i] * values[way][j];
      }
    }
  }
  CHECK(misplaced == 0);
  const auto deviation = [&](std::size_t i) {
    double product = orders[i];
    for (const std::size_t a : at[i]) product *= lengths[static_cast<Eigen::Index>(a)];
    return sigma / std::sqrt(product);
  };
  for (std::size_t way = 0; way < 2; ++way) {
    for (std::size_t i = 0; i < 10; ++i) {
      CAPTURE(way, i);
      check_scale(sums[way][i][i] / (deviation(i) * deviation(i)), draws, 1.05);
      for (std::size_t j = 0; j < i; ++j) {
        const double z = sums[way][i][j] / (deviation(i) * deviation(j)) / std::sqrt(static_cast<double>(draws));
        CHECK(dplda_tests::normal_p_value(z) > suite_level);
      }
    }
  }
}

TEST_CASE("noise of a fit has the planned scale", "[decarolis_spectral]") {
  // What can be seen of the noise in the released model, to first order: epsilon is so large that there is no more.
  const dplda::budget total{1e7, 1e-5};
  const std::size_t fits = 1500;

  SECTION("configurations 1 and 2: the eigenvalue and the words of one topic") {
    // One word in all documents: M2 = l e e' and M3 = lambda l^3/2 e (x) e (x) e, with l = 1/2 and lambda = sqrt(8)/3.
    // alpha tells lambda, if it lies above that value, so that half of the fits count. Noise (E_10, E_20)/l turns the
    // topic from its word to the two others, where both are positive, in a quarter of the fits.
    const corpus docs = copies({{100, {0, 0, 0}}}, 3);
    const double lambda = std::sqrt(8.0) / 3;
    for (const unsigned configuration : {1u, 2u}) {
      CAPTURE(configuration);
      double squares = 0, turns = 0;
      std::size_t count = 0, turned = 0;
      const decarolis_options options{.configuration = configuration, .topics = 1, .documents = 100, .threads = 1};
      const decarolis_spectral learner(options, total);
      const auto& plan = learner.plan();
      for (std::uint64_t seed = 0; seed < fits; ++seed) {
        auto random = seeded_random(seed);
        const auto result = learner.fit(docs, random);
        REQUIRE(result.topics);
        const auto& phi = result.topics->value().phi();
        if (phi(0, 1) > 0 && phi(0, 2) > 0) {
          ++turned;
          turns += (phi(0, 1) * phi(0, 1) + phi(0, 2) * phi(0, 2)) / (2 * plan.second_noise * plan.second_noise);
        }
        const double alpha = result.topics->value().alpha()[0];
        if (alpha == 1) continue;
        ++count;
        // Noise on M3, and in configuration 1 also that on l, by which it is whitened.
        const double deviation = configuration == 1
                                     ? std::hypot(plan.third_noise * std::sqrt(8.0), 3 * lambda * plan.second_noise)
                                     : plan.multiplier * result.sensitivity;
        squares += std::pow((eigenvalue_of(alpha, 1) - lambda) / deviation, 2);
      }
      CHECK(dplda_tests::binomial_p_value(count, fits, 0.5) > suite_level);
      check_scale(squares, count, 1.25);
      CHECK(dplda_tests::binomial_p_value(turned, fits, 0.25) > suite_level);
      check_scale(turns, 2 * turned, 1.25);
    }
  }
  SECTION("configuration 3: the topics of two words") {
    const std::vector<dplda::word_id> one{0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, two{0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
    const corpus docs = copies({{50, one}, {30, two}}, 2);
    const auto exact = without_noise(docs, 2, 0.01);
    const Eigen::MatrixXd phi = exact.model().phi();
    REQUIRE(phi.minCoeff() > 0.1);
    // topic = x/(x_0 + x_1), x = U L^1/2 v; noise on v moves its first entry by gradient'v.
    Eigen::MatrixXd back = exact.second().vectors;
    for (Eigen::Index j = 0; j < 2; ++j) back.col(j) *= std::sqrt(exact.second().values[j]);
    std::array<double, 2> sizes{};
    for (Eigen::Index i = 0; i < 2; ++i) {
      double total_size = 0, square = 0;
      for (Eigen::Index j = 0; j < 2; ++j) {
        total_size += (back(0, j) + back(1, j)) * exact.decomposition().vectors(j, i);
        square += std::pow(back(0, j) - phi(i, 0) * (back(0, j) + back(1, j)), 2);
      }
      sizes[static_cast<std::size_t>(i)] = std::sqrt(square) / std::abs(total_size);
    }
    double squares = 0;
    const decarolis_options options{.configuration = 3, .topics = 2, .documents = 80, .alpha0 = 0.01, .threads = 1};
    const decarolis_spectral learner(options, total);
    const auto& plan = learner.plan();
    for (std::uint64_t seed = 0; seed < fits; ++seed) {
      auto random = seeded_random(seed);
      const auto result = learner.fit(docs, random);
      REQUIRE(result.topics);
      for (Eigen::Index i = 0; i < 2; ++i) {
        const double moved = result.topics->value().phi()(i, 0) - phi(i, 0);
        squares += std::pow(moved / (plan.multiplier * result.sensitivity * sizes[static_cast<std::size_t>(i)]), 2);
      }
    }
    check_scale(squares, 2 * fits, 1.2);
  }
  SECTION("configuration 4: one topic of three words, and the bounds of Procedure 1") {
    const corpus docs = copies({{60, {0, 0, 0, 1, 1, 2}}}, 3);
    const auto exact = without_noise(docs, 1, 1);
    const Eigen::MatrixXd phi = exact.model().phi();
    REQUIRE(phi.minCoeff() > 0.1);
    double squares = 0, sigma = 0, gap = 0;
    const decarolis_options options{.configuration = 4, .topics = 1, .documents = 60, .threads = 1};
    const decarolis_spectral learner(options, total);
    const auto& plan = learner.plan();
    const double sigma_k = exact.second().values[0], gamma_s = exact.decomposition().values[0] / 4;
    for (std::uint64_t seed = 0; seed < fits; ++seed) {
      auto random = seeded_random(seed);
      const auto result = learner.fit(docs, random);
      REQUIRE(result.topics);
      // The projection takes what the noise adds to the sum.
      squares += (result.topics->value().phi() - phi).squaredNorm() / std::pow(plan.multiplier * result.sensitivity, 2);
      // The size of a Laplace value is half a chi-square of 2 degrees.
      sigma += 2 * std::abs(result.sigma_k - sigma_k + plan.sigma_k.margin) / plan.sigma_k.scale;
      gap += 2 * std::abs(result.gap - gamma_s + plan.gap.margin) / plan.gap.scale;
      const double by_hand = plan.delta3 * std::sqrt(sigma_k) / (result.gap * std::pow(result.sigma_k, 1.5));
      REQUIRE(result.sensitivity == Catch::Approx(by_hand).epsilon(1e-6));
    }
    check_scale(squares, 2 * fits, 1.2);
    check_scale(sigma, 2 * fits, 1.2);
    check_scale(gap, 2 * fits, 1.2);
  }
}

TEST_CASE("sensitivities are computed from the private bounds", "[decarolis_spectral]") {
  const corpus docs = figure_two(2000);
  const dplda::budget total{1e6, 1e-5};
  const double delta3 = dplda::m3_l1_sensitivity(1, 2000);
  const auto two = fit(docs, {.configuration = 2}, total, 1), three = fit(docs, {.configuration = 3}, total, 1);
  REQUIRE(two.topics);
  CHECK(two.sensitivity == close(delta3 * std::pow(5 / two.sigma_k, 1.5)));
  CHECK(two.gap == 0);
  REQUIRE(three.topics);
  CHECK(three.sensitivity == close(delta3 * 25 / (three.gap * std::pow(three.sigma_k, 1.5))));
}

TEST_CASE("a failed propose-test-release releases nothing", "[decarolis_spectral]") {
  SECTION("the k-th eigenvalue") {
    const corpus docs = figure_two(300);
    for (const unsigned configuration : {2u, 3u, 4u}) {
      const auto result = fit(docs, {.configuration = configuration}, {0.5, 1e-5}, 1);
      CHECK(!result.topics);
      CHECK(result.sigma_k == 0);
      CHECK(result.sensitivity == 0);
      CHECK(result.reason.find("no release: the private lower bound of the k-th eigenvalue") == 0);
      // The test is paid for.
      REQUIRE(result.ledger.entries().size() == 1);
      CHECK(std::holds_alternative<dplda::laplace_noise>(result.ledger.entries()[0].event.noise));
      CHECK(result.ledger.seeded());
    }
    // Configuration 1 has no such test.
    CHECK(fit(docs, {.configuration = 1}, {0.5, 1e-5}, 1).topics);
  }
  SECTION("the gap") {
    // Two topics that are alike but for the word have equal eigenvalues.
    const corpus docs = copies({{500, {0, 0, 0}}, {500, {1, 1, 1}}}, 2);
    for (const unsigned configuration : {3u, 4u}) {
      const auto result = fit(docs, {.configuration = configuration, .topics = 2, .alpha0 = 0.1}, {2, 1e-5}, 1);
      CHECK(!result.topics);
      CHECK(result.sigma_k > 0.3);
      CHECK(result.gap == 0);
      CHECK(result.reason.find("no release: the private lower bound of the gap") == 0);
      CHECK(result.ledger.entries().size() == 2);
    }
    CHECK(fit(docs, {.configuration = 2, .topics = 2, .alpha0 = 0.1}, {2, 1e-5}, 1).topics);
  }
  SECTION("fewer directions than topics") {
    // The second eigenvalue is 0; however large epsilon is, nothing is divided by it.
    const corpus docs = copies({{50, {0, 0, 0}}}, 2);
    for (const unsigned configuration : {2u, 3u, 4u}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CHECK(!fit(docs, {.configuration = configuration, .topics = 2}, {1e9, 0.9}, seed).topics);
      }
    }
    std::size_t refused = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto result = fit(docs, {.configuration = 1, .topics = 2}, {100, 1e-5}, seed);
      if (result.topics) continue;
      ++refused;
      CHECK(result.reason == "no release: the noisy second moment has fewer than 2 positive eigenvalues");
      CHECK(!result.ledger.empty());
    }
    CHECK(refused > 5);
    CHECK(refused < 40);
  }
}

TEST_CASE("with negligible noise the configurations are spectral LDA", "[decarolis_spectral]") {
  const corpus docs = figure_two(3000);
  const auto exact = without_noise(docs, 5, 1);
  const dplda::budget total{1e13, 1e-5};
  for (const unsigned configuration : {1u, 2u, 3u, 4u}) {
    CAPTURE(configuration);
    const auto result = fit(docs, {.configuration = configuration}, total, 2);
    REQUIRE(result.topics);
    CHECK(result.reason.empty());
    const auto& model = result.topics->value();
    CHECK((model.phi() - exact.model().phi()).cwiseAbs().maxCoeff() < 1e-5);
    if (configuration < 3) {
      CHECK((model.alpha() - exact.model().alpha()).cwiseAbs().maxCoeff() < 1e-5);
    } else {
      CHECK((model.alpha().array() - 0.2).abs().maxCoeff() < 1e-12);
    }
  }
  const auto once = fit(docs, {.configuration = 1, .releases = second_moment_releases::once}, total, 2);
  REQUIRE(once.topics);
  CHECK((once.topics->value().phi() - exact.model().phi()).cwiseAbs().maxCoeff() < 1e-5);
}

TEST_CASE("configuration 1 reveals nothing about documents that are too short", "[decarolis_spectral]") {
  // Whether any document has three tokens depends on the data, and no exception may reveal it.
  const corpus docs = make_corpus({{0, 1}, {}, {2}, {0}, {1, 1}}, 4);
  dplda::random_source random = seeded_random(1);
  const auto result =
      decarolis_spectral({.configuration = 1, .topics = 2, .documents = 5}, {.epsilon = 1, .delta = 1e-5})
          .fit(docs, random);
  CHECK(result.ledger.entries().size() >= 1);
}

TEST_CASE("the number of threads changes no bit of the configurations", "[decarolis_spectral]") {
  const corpus docs = dplda::synthetic_lda({.documents = 800, .words = 300, .topics = 4}, seeded_random(2)).docs;
  for (const unsigned configuration : {1u, 2u, 3u, 4u}) {
    // With fewer steps of the eigensolver, of which noise asks for many.
    decarolis_options options{.configuration = configuration, .topics = 3, .alpha0 = 0.4, .eigen_iterations = 20};
    const dplda::budget total{configuration == 1 ? 1 : 1e5, 1e-5};
    options.threads = 1;
    const auto one = fit(docs, options, total, 9);
    REQUIRE(one.topics);
    for (const std::size_t threads : {2u, 5u}) {
      options.threads = threads;
      const auto many = fit(docs, options, total, 9);
      REQUIRE(many.topics);
      CHECK(many.topics->value().phi() == one.topics->value().phi());
      CHECK(many.sigma_k == one.sigma_k);
    }
    CHECK(fit(docs, options, total, 10).topics->value().phi() != one.topics->value().phi());
  }
}

TEST_CASE("the claims of the configurations are labelled as_published", "[decarolis_spectral]") {
  const dplda::budget total{1, 1e-5};
  for (const unsigned configuration : {1u, 2u, 3u, 4u}) {
    CAPTURE(configuration);
    const decarolis_spectral learner({.configuration = configuration, .documents = 5000}, total);
    const auto& claim = learner.guarantee();
    CHECK(claim.epsilon == 1);
    CHECK(claim.delta == 1e-5);
    CHECK(claim.basis == dplda::basis::as_published);
    CHECK(claim.unit == dplda::privacy_unit::document);
    CHECK(claim.relation == dplda::neighbours::replace);
    std::ostringstream text;
    text << claim;
    CHECK(text.str().find("is claimed, not proven") != std::string::npos);
    const auto says = [&](const char* what) { return claim.caveat.find(what) != std::string::npos; };
    CHECK(says("floating-point") == (configuration == 1));
    CHECK(says("whitening matrix") == (configuration > 1));
    CHECK(says("sensitivity of the third moment does not bound") == (configuration > 2));
    const decarolis_spectral lemma({.configuration = configuration, .documents = 5000, .gap = gap_sensitivity::lemma_9},
                                   total);
    CHECK((lemma.guarantee().caveat.find("Lemma 9") != std::string::npos) == (configuration > 2));
    CHECK(says("each of 5") == (configuration > 2));
    CHECK(says("an eigenvalue that gets no noise") == (configuration == 4));
    CHECK(says("nothing is proven") == (configuration > 1));
    CHECK(!says("epsilon below 1") == (configuration < 4));
    // In configuration 1 the l1 norm is charged where the l2 norm is enough.
    CHECK(std::isfinite(learner.plan().cost.epsilon) == (configuration == 1));
    if (configuration == 1) {
      CHECK(learner.plan().cost.epsilon < 0.5);
      CHECK(learner.plan().cost.basis == dplda::basis::as_published);
    }
  }
  const corpus docs = figure_two(400);
  for (const unsigned configuration : {1u, 2u, 3u, 4u}) {
    const auto result = fit(docs, {.configuration = configuration}, {1e9, 1e-5}, 1);
    REQUIRE(result.topics);
    CHECK(result.topics->guarantee().seeded);
    CHECK(result.topics->guarantee().basis == dplda::basis::as_published);
    const decarolis_spectral learner({.configuration = configuration, .documents = 400}, {1e9, 1e-5});
    // The ledger of a fit is that of the plan.
    const auto planned = learner.plan().ledger.entries(), spent = result.topics->ledger().entries();
    CHECK(std::vector(planned.begin(), planned.end()) == std::vector(spent.begin(), spent.end()));
  }
}

TEST_CASE("the configurations refuse options out of range and name them", "[decarolis_spectral]") {
  const dplda::budget total{1, 1e-5};
  const auto refused = [&](const decarolis_options& options, const dplda::budget& of) {
    return refusal([&] { decarolis_spectral(options, of); });
  };
  const std::string name = "dplda::published::decarolis_spectral: ";
  CHECK(refused({.configuration = 0, .documents = 5}, total) == name + "configuration is 0, but must lie in [1, 4]");
  CHECK(refused({.configuration = 5, .documents = 5}, total) == name + "configuration is 5, but must lie in [1, 4]");
  CHECK(refused({}, total) == name + "documents is 0, but must be the public number of documents");
  CHECK(refused({.topics = 0, .documents = 5}, total) == name + "topics is 0, but must lie in [1, 1000]");
  CHECK(refused({.documents = 5, .alpha0 = 0}, total) == name + "alpha0 is 0, but must be positive and finite");
  CHECK(refused({.documents = 5}, {0, 1e-5}) == name + "epsilon is 0, but must be positive and finite");
  CHECK(refused({.documents = 5}, {1, 0}) == name + "delta is 0, but must lie in (0, 1)");
  CHECK(!refused({.documents = 5, .tensor = {.restarts = 0}}, total).empty());
  CHECK(!refused({.documents = 5, .eigen_tolerance = 0}, total).empty());
  CHECK(!refused({.documents = 5, .eigen_iterations = 0}, total).empty());
  auto random = seeded_random(1);
  const decarolis_spectral learner({.documents = 5}, total);
  CHECK(refusal([&] {
          learner.fit(make_corpus({{0, 1, 2}}, 9), random);
        }) == "dplda::published::decarolis_spectral::fit: number of documents is 1, but must be the planned 5");
  CHECK(refusal([&] {
          learner.fit(make_corpus({{0, 1, 2}, {}, {}, {}, {}}, 3), random);
        }) ==
        "dplda::published::decarolis_spectral::fit: size of the vocabulary is 3, but must be at least the number of "
        "topics, 5");
}
