// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/gamma_functions.hpp>
#include <dplda/inference/prior.hpp>

#include <limits>

#include "support/catch.hpp"

using dplda::dirichlet_prior;

TEST_CASE("a prior is one number for all components or one for each", "[prior]") {
  CHECK(dirichlet_prior(0.5).expand(3, "f", "alpha") == Eigen::VectorXd::Constant(3, 0.5));
  Eigen::VectorXd three(3);
  three << 1, 2, 3;
  CHECK(dirichlet_prior({1, 2, 3}).expand(3, "f", "alpha") == three);
  CHECK_THROWS_WITH(dirichlet_prior({1, 2, 3}).expand(4, "svi", "alpha"),
                    "dplda::svi: size of alpha is 3, but must be 1 or 4");
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(dirichlet_prior(bad).expand(2, "svi", "alpha"), std::invalid_argument);
  }
}

TEST_CASE("fit_dirichlet inverts the expected logarithms", "[prior]") {
  for (const double scale : {0.01, 0.1, 1.0, 50.0}) {
    Eigen::VectorXd a(4);
    a << 0.3, 1.0, 0.7, 2.5;
    a *= scale;
    Eigen::VectorXd mean_log(4);
    for (int k = 0; k < 4; ++k) mean_log[k] = dplda::detail::digamma(a[k]) - dplda::detail::digamma(a.sum());
    for (const double start : {0.01, 0.5, 20.0}) {
      const Eigen::VectorXd fitted = dplda::detail::fit_dirichlet(mean_log, Eigen::VectorXd::Constant(4, start));
      CHECK((fitted - a).cwiseAbs().maxCoeff() < 1e-6 * a.maxCoeff());
    }
  }
}

TEST_CASE("fit_symmetric_dirichlet inverts the expected logarithm", "[prior]") {
  for (const double a : {0.001, 0.05, 1.0, 30.0}) {
    const double mean_log = dplda::detail::digamma(a) - dplda::detail::digamma(500 * a);
    for (const double start : {0.01, 0.5, 5.0}) {
      CHECK(dplda::detail::fit_symmetric_dirichlet(mean_log, 500, start) == Catch::Approx(a).epsilon(1e-6));
    }
  }
}
