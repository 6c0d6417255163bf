// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_DECAROLIS_SPECTRAL_PLAN_HPP
#define DPLDA_PUBLISHED_DECAROLIS_SPECTRAL_PLAN_HPP

// Options, plan and result of published::decarolis_spectral. decarolis_spectral.hpp states the claim and why it is not
// a proof.

#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/spectral/moments.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/mechanisms/release.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace dplda::inline v0_1::published {

/// The standard deviation of Gaussian noise divided by the sensitivity.
enum class gaussian_formula {
  table_1,  ///< sqrt(tau) = sqrt(2 ln(1.25/delta))/epsilon, in Table 1 and Procedure 1
  lemma_8   ///< (sqrt(epsilon + ln(1/delta)) + sqrt(ln(1/delta)))/(sqrt(2) epsilon), in Lemma 8
};

/// The sensitivities of sigma_k and gamma_s, on which the paper disagrees with itself.
enum class gap_sensitivity {
  procedure_1,  ///< Delta_2 and Delta_3, as printed in Procedure 1
  lemma_9       ///< 2/N for both, as derived in Lemma 9
};

/// How often configuration 1 releases M2.
enum class second_moment_releases {
  as_printed,  ///< twice: for the whitening matrix (edge e2) and for its inverse (e5)
  once         ///< for both; the paper's third share of the budget goes to the other two
};

/// Throws std::invalid_argument unless epsilon > 0 and 0 < delta < 1.
inline double gaussian_formula_multiplier(gaussian_formula formula, const budget& share) {
  const double classic = classic_gaussian_multiplier(share.epsilon, share.delta, basis::as_published);
  if (formula == gaussian_formula::table_1) return classic;
  const double l = -std::log(share.delta);
  return (std::sqrt(share.epsilon + l) + std::sqrt(l)) / (std::sqrt(2.0) * share.epsilon);
}

/// gamma_s: a quarter of the smallest distance between successive eigenvalues of the whitened tensor, largest first.
/// The distance of the last one from 0 counts too.
inline double eigenvalue_gap(const Eigen::VectorXd& values) {
  double gap = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    gap = std::min(gap, (values[i] - (i + 1 < values.size() ? values[i + 1] : 0)) / 4);
  }
  return gap;
}

/// Settings of the four configurations.
struct decarolis_options {
  unsigned configuration = 1;   ///< 1 to 4, as in Table 1
  std::size_t topics = 5;       ///< k
  std::uint64_t documents = 0;  ///< N, which must be public; documents of fewer than three tokens count too
  double alpha0 = 1;            ///< sum of the Dirichlet parameters of a document's topic proportions
  second_moment_releases releases = second_moment_releases::as_printed;  ///< for configuration 1
  gaussian_formula formula = gaussian_formula::table_1;
  gap_sensitivity gap = gap_sensitivity::procedure_1;  ///< for configurations 2 to 4
  moment_products products = moment_products::plug_in;
  tensor_options tensor = {};
  double eigen_tolerance = 1e-9;
  std::size_t eigen_iterations = 500;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// Procedure 1, lines 1-2 and 4-5: a private value is the measured one plus Laplace noise of this scale minus `margin`.
struct lower_bound_release {
  double scale = 0;   ///< sensitivity/epsilon; 0: nothing is released
  double margin = 0;  ///< scale log(1/(2 delta))
};

/// What a fit will do and what the paper claims for it, decided before a document is read. A value is 0 if the
/// configuration has no such noise.
struct decarolis_plan {
  double delta2 = 0;              ///< Delta_2, the l1 sensitivity of M2
  double delta3 = 0;              ///< Delta_3, the l1 sensitivity of M3
  budget edge{};                  ///< what each edge may spend: equal shares
  budget part{};                  ///< what each release of an edge may spend, if Procedure 1 has more than one
  double second_noise = 0;        ///< standard deviation on each cell of M2 (configurations 1 to 3)
  double third_noise = 0;         ///< standard deviation on each cell of M3 (configuration 1)
  double multiplier = 0;          ///< standard deviation divided by the sensitivity of Procedure 1 (2 to 4)
  lower_bound_release sigma_k{};  ///< of M2's k-th eigenvalue (2 to 4)
  lower_bound_release gap{};      ///< of gamma_s (3 and 4)
  dplda::ledger ledger{};         ///< what a fit spends if it returns topics
  dplda::guarantee guarantee{};   ///< the paper's claim
  dplda::guarantee cost{};        ///< the ledger's price at the same delta; infinite for configurations 2 to 4
};

/// Topics, or why there are none. The paper's claim covers all fields.
struct decarolis_result {
  std::optional<release<topic_model<>>> topics;  ///< empty: no release
  std::string reason{};                          ///< why there is no release; empty if there is one
  double sigma_k = 0;                            ///< the private lower bound (configurations 2 to 4)
  double gap = 0;                                ///< the private lower bound (3 and 4)
  double sensitivity = 0;                        ///< what follows from them by Theorem 5, 6 or 7
  dplda::ledger ledger{};                        ///< what was spent, even if there is no release
};

}  // namespace dplda::inline v0_1::published

#endif
