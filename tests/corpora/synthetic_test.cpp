// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>

#include <dplda/core/statistics.hpp>

#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

using dplda::length_law;
using dplda::seeded_random;
using dplda::synthetic_lda;
using dplda_tests::tokens_of;

TEST_CASE("A synthetic corpus has the requested sizes", "[corpora][synthetic]") {
  const auto data =
      synthetic_lda({.documents = 50, .words = 30, .topics = 4, .users = 7, .keep_theta = true}, seeded_random(1));
  CHECK(data.docs.size() == 50);
  CHECK(data.docs.words() == 30);
  CHECK(data.docs.users() == 7);
  CHECK(data.model.topics() == 4);
  CHECK(data.model.vocab() == data.docs.vocab());
  CHECK(data.model.alpha() == Eigen::VectorXd::Constant(4, 0.1));
  REQUIRE(data.theta.rows() == 50);
  REQUIRE(data.theta.cols() == 4);
  for (Eigen::Index d = 0; d < 50; ++d) CHECK(data.theta.row(d).sum() == Catch::Approx(1));
  CHECK(data.outliers.empty());
}

TEST_CASE("A synthetic corpus repeats with its seed, and a longer one begins with it", "[corpora][synthetic]") {
  const auto a = synthetic_lda({.documents = 20, .words = 50}, seeded_random(3));
  const auto b = synthetic_lda({.documents = 30, .words = 50}, seeded_random(3));
  const auto c = synthetic_lda({.documents = 20, .words = 50}, seeded_random(4));
  CHECK(a.model.phi() == b.model.phi());
  CHECK(tokens_of(a.docs) == tokens_of(b.docs.slice(0, 20)));
  CHECK(tokens_of(a.docs) != tokens_of(c.docs));
  CHECK(a.theta.size() == 0);
}

TEST_CASE("Lengths follow their distribution", "[corpora][synthetic]") {
  const auto lengths = [](length_law law, double mean, double spread) {
    const auto data = synthetic_lda(
        {.documents = 4000, .words = 10, .topics = 1, .mean_length = mean, .length = law, .length_spread = spread},
        seeded_random(5));
    double sum = 0, squares = 0;
    for (std::size_t d = 0; d < data.docs.size(); ++d) {
      const double length = static_cast<double>(data.docs[d].length());
      sum += length;
      squares += length * length;
    }
    const double average = sum / 4000;
    return std::pair(average, squares / 4000 - average * average);
  };
  CHECK(lengths(length_law::fixed, 12.4, 0) == std::pair(12.0, 0.0));
  const auto [poisson_mean, poisson_variance] = lengths(length_law::poisson, 30, 0);
  CHECK(poisson_mean == Catch::Approx(30).margin(0.35));  // 4 standard errors
  CHECK(poisson_variance == Catch::Approx(30).epsilon(0.1));
  const auto [normal_mean, normal_variance] = lengths(length_law::log_normal, 30, 0.5);
  CHECK(normal_mean == Catch::Approx(30).margin(1.1));
  CHECK(std::sqrt(normal_variance) == Catch::Approx(30 * std::sqrt(std::exp(0.25) - 1)).epsilon(0.1));
}

TEST_CASE("No document is empty, however short the mean", "[corpora][synthetic]") {
  const auto law = GENERATE(length_law::fixed, length_law::poisson, length_law::log_normal);
  const auto data =
      synthetic_lda({.documents = 200, .words = 5, .topics = 2, .mean_length = 0.1, .length = law}, seeded_random(1));
  CHECK(dplda::statistics(data.docs).empty_documents == 0);
}

TEST_CASE("The tokens of a document follow its theta and the topics", "[corpora][synthetic]") {
  const auto data = synthetic_lda({.documents = 3,
                                   .words = 8,
                                   .topics = 3,
                                   .alpha = 1,
                                   .mean_length = 100000,
                                   .length = length_law::fixed,
                                   .keep_theta = true},
                                  seeded_random(6));
  for (std::size_t d = 0; d < 3; ++d) {
    const Eigen::VectorXd expected =
        data.model.phi().transpose() * data.theta.row(static_cast<Eigen::Index>(d)).transpose();
    Eigen::VectorXd found = Eigen::VectorXd::Zero(8);
    for (std::size_t n = 0; n < data.docs[d].size(); ++n) {
      found[static_cast<Eigen::Index>(data.docs[d].words[n])] = data.docs[d].counts[n] / 100000.0;
    }
    CHECK((found - expected).cwiseAbs().maxCoeff() < 0.007);  // 4 standard errors
  }
}

TEST_CASE("Topics differ, and over many topics word frequencies follow Zipf's law", "[corpora][synthetic]") {
  const auto data =
      synthetic_lda({.documents = 0, .words = 200, .topics = 2000, .topic_concentration = 0.5}, seeded_random(7));
  const Eigen::VectorXd mean = data.model.phi().colwise().mean();
  // The mean of 100 times rarer words is about 100 times smaller; normalising flattens the top a little.
  const double head = mean.head(2).sum() / 1.5, tail = mean.segment(99, 100).sum() / (std::log(199.0 / 99.0));
  CHECK(head / tail == Catch::Approx(1).epsilon(0.25));
  CHECK((data.model.phi().row(0) - data.model.phi().row(1)).cwiseAbs().sum() > 0.5);
}

TEST_CASE("Without a Zipf exponent topics are symmetric Dirichlet draws", "[corpora][synthetic]") {
  const auto data = synthetic_lda(
      {.documents = 0, .words = 5, .topics = 20000, .topic_concentration = 0.3, .zipf_exponent = 0}, seeded_random(8));
  for (Eigen::Index v = 0; v < 5; ++v) {
    const auto column = data.model.phi().col(v).array();
    CHECK(column.mean() == Catch::Approx(0.2).margin(0.008));
    CHECK((column - 0.2).square().mean() == Catch::Approx(0.2 * 0.8 / (5 * 0.3 + 1)).epsilon(0.05));
  }
}

TEST_CASE("Outliers consist only of the rarest tenth of the words", "[corpora][synthetic]") {
  const auto data =
      synthetic_lda({.documents = 1000, .words = 95, .outliers = 0.1, .keep_theta = true}, seeded_random(9));
  CHECK(data.outliers.size() > 60);
  CHECK(data.outliers.size() < 140);
  CHECK(std::is_sorted(data.outliers.begin(), data.outliers.end()));
  for (const std::size_t d : data.outliers) {
    CHECK(data.docs[d].words.front() >= 85);
    CHECK(data.theta.row(static_cast<Eigen::Index>(d)).isZero(0));
  }
  CHECK(synthetic_lda({.documents = 20, .words = 1, .topics = 1, .outliers = 1}, seeded_random(1)).outliers.size() ==
        20);
}

TEST_CASE("Documents per user are even or heavy-tailed, as requested", "[corpora][synthetic]") {
  dplda::synthetic_options options{.documents = 5000, .words = 5, .topics = 1, .mean_length = 1, .users = 50};
  const auto most = [](const dplda::corpus& docs) {
    const auto counts = dplda::documents_per_user(docs);
    return *std::max_element(counts.begin(), counts.end());
  };
  CHECK(most(synthetic_lda(options, seeded_random(1)).docs) < 140);
  options.user_zipf_exponent = 1;  // user 0 owns 1 / H_50 = 22 percent
  CHECK(most(synthetic_lda(options, seeded_random(1)).docs) == Catch::Approx(1111).margin(120));
}

TEST_CASE("Options out of range are refused", "[corpora][synthetic]") {
  const auto refused = [](const dplda::synthetic_options& options) {
    CHECK_THROWS_AS(synthetic_lda(options, seeded_random(1)), std::invalid_argument);
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  refused({.words = 0});
  refused({.topics = 0});
  for (const double bad : {-1.0, nan, infinity}) {
    refused({.alpha = bad});
    refused({.topic_concentration = bad});
    refused({.zipf_exponent = bad});
    refused({.mean_length = bad});
    refused({.length_spread = bad});
    refused({.user_zipf_exponent = bad});
    refused({.outliers = bad});
  }
  refused({.alpha = 0});
  refused({.mean_length = 0});
  refused({.outliers = 1.5});
}

TEST_CASE("Extreme options make no NaN", "[corpora][synthetic]") {
  const auto data = synthetic_lda({.documents = 20,
                                   .words = 100,
                                   .topics = 50,
                                   .alpha = 1e-4,
                                   .topic_concentration = 1e-4,
                                   .zipf_exponent = 5,
                                   .mean_length = 3},
                                  seeded_random(2));
  CHECK(data.docs.tokens() >= 20);
  CHECK(data.model.phi().allFinite());
}
