// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/composition.hpp>
#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/published.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "accounting/reference.hpp"
#include "support/catch.hpp"

using dplda::budget;
using dplda::published::park_chain;
using dplda::published::park_composition;
using dplda::published::sub_lda_divergence;
using dplda::published::sub_lda_sum;
using dplda_tests::reference_records;

TEST_CASE("Park et al.: noise of the concentrated chain at the settings of their experiments") {
  struct row {
    double epsilon;
    std::uint64_t batch;
    double multiplier;
  };
  // 400 000 documents, 160 000 seen, delta 1e-4, delta_iter 1e-6.
  for (const row& r :
       {row{0.5, 10, 0.955}, row{0.5, 100, 1.214}, row{0.5, 400, 1.447}, row{1, 10, 0.850}, row{1, 20, 0.902},
        row{1, 50, 0.981}, row{1, 100, 1.050}, row{1, 200, 1.129}, row{1, 400, 1.219}}) {
    CAPTURE(r.epsilon, r.batch);
    const auto step = park_chain({r.epsilon, 1e-4}, 160000 / r.batch, static_cast<double>(r.batch) / 400000, 1e-6,
                                 park_composition::zcdp);
    CHECK(step.multiplier == Catch::Approx(r.multiplier).margin(6e-4));
    // Why the chain is no proof: the textbook multiplier is used far outside its range.
    CHECK(step.iteration.epsilon > 3.6);
    CHECK(step.iteration.epsilon < 6.3);
  }
}

TEST_CASE("Park et al.: each chain leads back to the total budget") {
  for (const double epsilon : {0.1, 0.5, 1.0, 4.0}) {
    for (const std::uint64_t steps : {std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{16000}}) {
      CAPTURE(epsilon, steps);
      const budget total{epsilon, 1e-4};
      const double rate = 0.4 / static_cast<double>(steps);
      double last = 1e300;
      for (const park_composition composition :
           {park_composition::linear, park_composition::advanced, park_composition::zcdp}) {
        const auto [amplified, iteration, multiplier] = park_chain(total, steps, rate, 1e-6, composition);
        CHECK(amplified.epsilon == Catch::Approx(std::log1p(rate * std::expm1(iteration.epsilon))).epsilon(1e-12));
        CHECK(amplified.delta == Catch::Approx(rate * 1e-6).epsilon(1e-14));
        CHECK(multiplier == Catch::Approx(std::sqrt(2 * std::log(1.25e6)) / iteration.epsilon).epsilon(1e-12));
        const auto j = static_cast<double>(steps);
        if (composition == park_composition::linear) {
          CHECK(dplda::linear_composition(amplified, steps).epsilon == Catch::Approx(epsilon).epsilon(1e-12));
        } else if (composition == park_composition::advanced) {
          CHECK(dplda::advanced_composition_epsilon(amplified, steps, 1e-4, dplda::advanced_mean::dwork_roth) ==
                Catch::Approx(epsilon).epsilon(1e-8));
        } else {
          const double tau = 2 * std::log(1.25 / amplified.delta) / (amplified.epsilon * amplified.epsilon);
          const double rho = j / (2 * tau);
          CHECK(rho + 2 * std::sqrt(rho * std::log(1e4)) == Catch::Approx(epsilon).epsilon(1e-12));
        }
        // Over many steps zCDP needs less noise than advanced composition, and that less than linear.
        if (steps > 1000) CHECK(multiplier < last);
        last = multiplier;
      }
    }
  }
}

TEST_CASE("Park et al.: the claim can fall below the truth") {
  // One step on everything, delta_total far below delta_iter: the textbook noise for a claimed epsilon is too small.
  const double rate = 1e-3;
  const auto step = park_chain({0.06, 1e-12}, 1, rate, 1e-6, park_composition::zcdp);
  CHECK(step.multiplier < dplda::gaussian_multiplier(step.iteration.epsilon, 1e-12 / rate));
  CHECK_THROWS_AS(park_chain({1, 1e-4}, 100000, 0.01, 1e-6, park_composition::linear), std::invalid_argument);
  CHECK_THROWS_AS(park_chain({1, 1e-4}, 100000, 0.01, 1e-6, park_composition::advanced), std::invalid_argument);
  CHECK_THROWS_AS(park_chain({0, 1e-4}, 10, 0.01, 1e-6, park_composition::zcdp), std::invalid_argument);
  CHECK_THROWS_AS(park_chain({1, 0}, 10, 0.01, 1e-6, park_composition::zcdp), std::invalid_argument);
  CHECK_THROWS_AS(park_chain({1, 1e-4}, 0, 0.01, 1e-6, park_composition::zcdp), std::invalid_argument);
  CHECK_THROWS_AS(park_chain({1, 1e-4}, 10, 0, 1e-6, park_composition::zcdp), std::invalid_argument);
  CHECK_THROWS_AS(park_chain({1, 1e-4}, 10, 0.01, 1, park_composition::zcdp), std::invalid_argument);
}

TEST_CASE("SUB-LDA: both readings of Table 3") {
  struct row {
    double gamma, printed, equation, table, general, laplace, iterations, total;
  };
  // alpha = 14, epsilon(alpha) = 2: Gaussian variance 3.5, Laplace scale 0.4877.
  const auto gaussian = [](double l) { return l / 7; };
  const auto laplace = [](double l) {
    const double b = 0.4877;
    return std::log(l / (2 * l - 1) * std::exp((l - 1) / b) + (l - 1) / (2 * l - 1) * std::exp(-l / b)) / (l - 1);
  };
  CHECK(laplace(14) == Catch::Approx(2).margin(1e-3));
  for (const row& r :
       {row{0.1, 0.05, 0.0465, 0.0464, 0.099, 0.353, 92, 4.27}, row{0.3, 0.73, 0.7719, 0.7313, 0.856, 0.987, 83, 64.1},
        row{0.5, 1.18, 1.2809, 1.1882, 1.365, 1.384, 70, 89.7}, row{0.7, 1.48, 1.6273, 1.4752, 1.712, 1.674, 66, 107.4},
        row{0.9, 1.63, 1.8895, 1.6366, 1.974, 1.902, 61, 115.3}}) {
    CAPTURE(r.gamma);
    const double equation = sub_lda_divergence(14, r.gamma, gaussian);
    const double table = sub_lda_divergence(14, r.gamma, gaussian, sub_lda_sum::table);
    CHECK(equation == Catch::Approx(r.equation).margin(6e-5));
    CHECK(table == Catch::Approx(r.table).margin(6e-5));
    CHECK(table == Catch::Approx(r.printed).margin(0.01));
    CHECK(sub_lda_divergence(14, r.gamma, gaussian, sub_lda_sum::equation, 3) == Catch::Approx(r.general).margin(6e-4));
    CHECK(sub_lda_divergence(14, r.gamma, laplace) == Catch::Approx(r.laplace).margin(6e-4));
    CHECK(r.iterations * equation == Catch::Approx(r.total).margin(0.06));
  }
  CHECK(sub_lda_divergence(14, 1, gaussian) == Catch::Approx(2).epsilon(1e-14));
  CHECK(std::abs(sub_lda_divergence(14, 0, gaussian)) < 1e-15);
  CHECK_THROWS_AS(sub_lda_divergence(1, 0.5, gaussian), std::invalid_argument);
  CHECK_THROWS_AS(sub_lda_divergence(14, 1.5, gaussian), std::invalid_argument);
}

TEST_CASE("SUB-LDA: Lemma 4.1 is false, I(gamma) only grows") {
  const auto gaussian = [](double l) { return l / 7; };
  double last = 0;
  for (int i = 1; i <= 100; ++i) {
    const double gamma = 0.01 * i, value = gamma * std::exp(13 * sub_lda_divergence(14, gamma, gaussian));
    CHECK(value > last);
    last = value;
  }
}

TEST_CASE("SUB-LDA: divergences are those of the Poisson-sampled Gaussian mechanism") {
  int compared = 0;
  for (const auto& record : reference_records("sgm_rdp")) {
    const double alpha = record.param("alpha"), sigma = record.param("sigma"), q = record.param("q");
    if (alpha != std::floor(alpha) || alpha > 64 || record.expected("rdp") < 1e-3) continue;
    CAPTURE(record.id());
    const auto base = [&](double l) { return l / (2 * sigma * sigma); };
    CHECK(sub_lda_divergence(static_cast<std::uint64_t>(alpha), q, base) ==
          Catch::Approx(record.expected("rdp")).epsilon(1e-9));
    ++compared;
  }
  CHECK(compared > 10);
}

TEST_CASE("TopicDP: sample sizes by the Lambert W function") {
  struct row {
    double gamma, rho;
    std::uint64_t h;
  };
  for (const row& r :
       {row{0.02, 0.001417, 9498}, row{0.05, 0.004183, 1305}, row{0.07, 0.006284, 625}, row{0.10, 0.009745, 285},
        row{0.12, 0.012237, 190}, row{0.17, 0.019057, 87}, row{0.22, 0.026672, 49}}) {
    CAPTURE(r.gamma);
    const auto samples = dplda::published::topicdp_sample_sizes(r.gamma);
    CHECK(samples.rho == Catch::Approx(r.rho).margin(6e-7));
    CHECK(samples.h == r.h);
    CHECK(samples.k == r.h);
  }
  for (int i = 1; i < 1000; ++i) {
    const auto samples = dplda::published::topicdp_sample_sizes(0.001 * i);
    CHECK(samples.k == samples.h);
    CHECK(samples.rho < 0.001 * i);
    const double w = std::log(samples.rho) - 0.5;  // its defining equation, on the branch below -1
    CHECK(w < -1);
    CHECK(w * std::exp(w) == Catch::Approx(-0.001 * i / (2 * std::exp(0.5))).epsilon(1e-13));
  }
  CHECK_THROWS_AS(dplda::published::topicdp_sample_sizes(0), std::invalid_argument);
  CHECK_THROWS_AS(dplda::published::topicdp_sample_sizes(1), std::invalid_argument);
}

TEST_CASE("TopicDP: the route over order 2 agrees with the reference figures") {
  for (const auto& record : reference_records("topicdp_eps_R")) {
    CAPTURE(record.id());
    const double alpha = record.param("alpha"), epsilon = record.param("eps"), delta = record.param("delta");
    const budget total{epsilon, delta};
    CHECK(record.agrees("gamma_lower_bound", dplda::published::topicdp_divergence(total, alpha)));
    CHECK(record.agrees("gamma_branch2", dplda::rdp_budget(alpha, epsilon, delta, dplda::rdp_conversion::branch2)));
    CHECK(record.agrees("gamma_exact", dplda::rdp_budget(alpha, epsilon, delta, dplda::rdp_conversion::exact)));
    const double improved = dplda::rdp_budget(alpha, epsilon, delta, dplda::rdp_conversion::improved);
    if (record.expected("gamma_branch1") > 0) {
      CHECK(record.agrees("gamma_branch1", improved));
    } else {
      CHECK(improved == 0);
    }
  }
  struct row {
    double epsilon, multiplier, analytic;
  };
  for (const row& r : {row{1, 53.9, 3.19}, row{3, 16.2, 1.22}, row{5, 5.87, 0.80}, row{10, 0.68, 0.455}}) {
    CAPTURE(r.epsilon);
    CHECK(dplda::published::topicdp_multiplier({r.epsilon, 1e-4}) == Catch::Approx(r.multiplier).epsilon(0.004));
    CHECK(dplda::gaussian_multiplier(r.epsilon, 1e-4) == Catch::Approx(r.analytic).margin(0.005));
  }
}
