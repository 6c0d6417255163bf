// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/learner.hpp>
#include <dplda/inference/spectral/lsi.hpp>

#include <Eigen/SVD>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

using dplda::corpus;
using dplda::lsi;
using dplda::lsi_state;
using dplda::lsi_weights;
using dplda::seeded_random;
using dplda_tests::make_corpus;
using dplda_tests::refusal;

static_assert(dplda::TopicLearner<lsi>);

namespace {

// The weighted matrix by its definition.
Eigen::MatrixXd dense(const corpus& docs, lsi_weights weights) {
  const auto rows = static_cast<Eigen::Index>(docs.size()), columns = static_cast<Eigen::Index>(docs.words());
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(rows, columns);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (std::size_t n = 0; n < docs[d].size(); ++n) {
      x(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(docs[d].words[n])) = docs[d].counts[n];
    }
  }
  if (weights == lsi_weights::counts) return x;
  for (Eigen::Index w = 0; w < columns; ++w) {
    const auto with = static_cast<double>((x.col(w).array() > 0).count());
    x.col(w) *= with > 0 ? std::log(static_cast<double>(rows) / with) : 0;
  }
  for (Eigen::Index d = 0; d < rows; ++d) {
    if (x.row(d).norm() > 0) x.row(d) /= x.row(d).norm();
  }
  return x;
}

corpus synthetic() {
  auto random = seeded_random(3);
  return dplda::synthetic_lda({.documents = 120, .words = 90, .topics = 6, .mean_length = 30}, random).docs;
}

}  // namespace

TEST_CASE("lsi is the dense singular value decomposition", "[lsi]") {
  for (const lsi_weights weights : {lsi_weights::tf_idf, lsi_weights::counts}) {
    for (const corpus& docs : {synthetic(), make_corpus({{0, 0, 1}, {1, 2, 2, 3}, {}, {3, 0, 1}, {4, 4, 4, 2}}, 6)}) {
      auto random = seeded_random(1);
      const std::size_t topics = 4;
      const lsi_state found =
          lsi({.topics = topics, .weights = weights, .eigen_tolerance = 1e-13}).fit_state(docs, random);
      const Eigen::JacobiSVD<Eigen::MatrixXd> exact(dense(docs, weights), Eigen::ComputeThinV);
      for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(topics); ++k) {
        CAPTURE(k, static_cast<int>(weights));
        CHECK(found.singular_values[k] == Catch::Approx(exact.singularValues()[k]).epsilon(1e-10));
        const double cosine = found.directions.col(k).dot(exact.matrixV().col(k));
        CHECK(std::abs(cosine) == Catch::Approx(1).epsilon(1e-9));
        Eigen::Index largest = 0;
        found.directions.col(k).cwiseAbs().maxCoeff(&largest);
        CHECK(found.directions(largest, k) > 0);
      }
      const auto model = found.model();
      CHECK(model.topics() == topics);
      CHECK((model.phi() - found.directions.cwiseAbs2().transpose()).cwiseAbs().maxCoeff() < 1e-12);
      CHECK(model.alpha().size() == 0);
    }
  }
}

TEST_CASE("lsi: same seed, same bits, for every number of threads", "[lsi]") {
  std::vector<Eigen::MatrixXd> found;
  for (const std::size_t threads : {1u, 2u, 5u}) {
    auto random = seeded_random(1);
    found.push_back(lsi({.topics = 5, .threads = threads}).fit(synthetic(), random).phi());
  }
  CHECK(found[0] == found[1]);
  CHECK(found[0] == found[2]);
}

TEST_CASE("lsi: corpora and settings at the edge", "[lsi]") {
  auto random = seeded_random(1);
  // Of rank 1: the further directions have singular value 0 and are still distributions.
  const lsi_state flat =
      lsi({.topics = 3, .weights = lsi_weights::counts}).fit_state(make_corpus({{0, 1}, {0, 1}}, 4), random);
  CHECK(flat.singular_values[0] == Catch::Approx(2));
  CHECK(flat.singular_values[1] < 1e-7);
  CHECK(flat.model().topics() == 3);
  // A word of all documents has tf-idf weight 0.
  const lsi_state common = lsi({.topics = 1}).fit_state(make_corpus({{0, 1}, {0, 2}, {0, 1, 1}}, 3), random);
  CHECK(std::abs(common.directions(0, 0)) < 1e-9);
  CHECK(refusal([] { lsi({.topics = 0}); }).find("topics") != std::string::npos);
  CHECK(refusal([] { lsi({.eigen_tolerance = 0}); }).find("eigen_tolerance") != std::string::npos);
  CHECK_THROWS_AS(lsi({.topics = 7}).fit(make_corpus({{0}}, 6), random), std::invalid_argument);
  CHECK_THROWS_AS(lsi({.topics = 1}).fit(make_corpus({}, 6), random), std::invalid_argument);
}
