// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_DECAROLIS_SPECTRAL_HPP
#define DPLDA_PUBLISHED_DECAROLIS_SPECTRAL_HPP

// Formulas, arguments, options and limits: inference/spectral/README.md

// Private spectral LDA as DeCarolis, Ram, Esmaeili, Wang and Huang published it (An end-to-end differentially private
// latent Dirichlet allocation using a spectral algorithm, 2020): the four configurations of its Table 1, for
// reproduction and comparison. For topics to be used, take private_spectral.
//
// Claim: the paper's: fit() returns something with the (epsilon, delta) of the budget; guarantee() says so and has
//   basis::as_published. Ours, for configuration 1 and in exact arithmetic: a fit spends what its ledger says,
//   plan().ledger, and plan().cost is the price of that. For configurations 2 to 4 the ledger of a fit that returns
//   topics holds an event to which no accountant gives a finite epsilon.
// Why the paper's claim is not a proof:
//   - Noise is added to floating-point numbers, not integers, and their last digits may reveal what the noise hides.
//   - The variance tau = 2 ln(1.25/delta)/epsilon^2 is enough only for epsilon < 1 (Lemma 8's formula always is).
//   - Theorem 5 bounds how far the whitened tensor moves through M3, but not how far it moves through the whitening
//     matrix W, which is discontinuous where eigenvalues of M2 meet. The theorem gives an order only; we use it as a
//     number because there is no other.
//   - Exchanging a document moves gamma_s by about sigma_k^-3/2/N. That is far more than the 2/N of Lemma 9 and the
//     Delta_3 of Procedure 1. (It moves sigma_k by no more than either says.) Theorems 6 and 7 rest on gamma_s, which
//     is 0 if the alpha_i are equal.
//   - Theorems 6 and 7 are about one vector, but k vectors are released with the noise of one.
//   - Configuration 4: sigma_1 of M2 scales the noise but gets no noise itself.
// Why its use is limited: in configurations 2 and 3 the eigenvectors are in the coordinates of M2 without noise, but
//   the noisy M2 maps them back to words. In configuration 1 as printed, another noisy M2 than theirs maps them back.
// Preconditions of the ledger: options, vocabulary and number of documents are public.
// Argument for configuration 1: M2 and M3 are released by Gaussian noise on all their cells, with the sensitivities of
//   sensitivity.hpp. Whitened noise on M3 is noise on the whitened tensor (published/detail/moment_noise.hpp). The rest
//   is post-processing.
// Test: tests/published/decarolis_spectral_test.cpp.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/spectral/eigenpairs.hpp>
#include <dplda/inference/spectral/moments.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/inference/spectral/recovery.hpp>
#include <dplda/inference/spectral/sensitivity.hpp>
#include <dplda/inference/spectral/tensor.hpp>
#include <dplda/mechanisms/detail/premises.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/published/decarolis_spectral_plan.hpp>
#include <dplda/published/detail/moment_noise.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::published {

/// DeCarolis et al., Table 1 and Procedure 1.
///
///   dplda::published::decarolis_spectral learner({.configuration = 2, .topics = 20, .documents = docs.size()},
///                                                {.epsilon = 1, .delta = 1e-5});
///   auto random = dplda::secure_random();
///   const auto result = learner.fit(docs, random);
///   if (!result.topics) std::cout << result.reason << '\n';
///
/// An edge with Procedure 1 divides its share of the budget equally among sigma_k, gamma_s and the noise itself.
/// Symmetric arrays get noise on all cells, which is then symmetrised. Configurations 3 and 4 release no alpha: it is
/// alpha0/k.
class decarolis_spectral {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of its range, epsilon is not positive and finite, or delta is
  /// not in (0, 1).
  decarolis_spectral(decarolis_options options, const budget& total) : options_(std::move(options)) {
    check_options();
    detail::require(total.epsilon > 0 && std::isfinite(total.epsilon), name, "epsilon", total.epsilon,
                    "must be positive and finite");
    detail::require(total.delta > 0 && total.delta < 1, name, "delta", total.delta, "must lie in (0, 1)");
    const auto n = static_cast<std::size_t>(options_.documents);
    const unsigned configuration = options_.configuration;
    plan_.delta2 = m2_l1_sensitivity(options_.alpha0, n);
    plan_.delta3 = m3_l1_sensitivity(options_.alpha0, n);
    const bool once = options_.releases == second_moment_releases::once;
    const double edges = configuration == 1 ? (once ? 2 : 3) : configuration == 4 ? 1 : 2;
    const double parts = configuration == 1 ? 1 : configuration == 2 ? 2 : 3;
    plan_.edge = {total.epsilon / edges, total.delta / edges};
    plan_.part = {plan_.edge.epsilon / parts, plan_.edge.delta / parts};
    const double edge_multiplier = gaussian_formula_multiplier(options_.formula, plan_.edge);
    if (configuration != 4) plan_.second_noise = edge_multiplier * plan_.delta2;
    if (configuration == 1) plan_.third_noise = edge_multiplier * plan_.delta3;
    if (configuration != 1) {
      const bool lemma = options_.gap == gap_sensitivity::lemma_9;
      const double lemma_9 = 2 / static_cast<double>(n);
      plan_.multiplier = gaussian_formula_multiplier(options_.formula, plan_.part);
      plan_.sigma_k = lower_bound(lemma ? lemma_9 : plan_.delta2);
      if (configuration != 2) plan_.gap = lower_bound(lemma ? lemma_9 : plan_.delta3);
    }
    const double alpha0 = options_.alpha0;
    true_ = {plan_.second_noise / m2_frobenius_sensitivity(alpha0, n),
             plan_.third_noise / m3_frobenius_sensitivity(alpha0, n),
             plan_.sigma_k.scale / m2_operator_sensitivity(alpha0, n)};
    plan_.ledger = whole_ledger();
    plan_.guarantee = {.epsilon = total.epsilon,
                       .delta = total.delta,
                       .unit = privacy_unit::document,
                       .relation = neighbours::replace,
                       .accountant = accountant::linear,
                       .basis = basis::as_published,
                       .caveat = caveat()};
    plan_.cost = price(plan_.ledger, total.delta);
    if (configuration == 1) {
      plan_.cost.basis = basis::as_published;
      plan_.cost.caveat = "it holds in exact arithmetic, but noise is added to floating-point numbers.";
    }
  }

  const decarolis_options& options() const noexcept { return options_; }
  const decarolis_plan& plan() const noexcept { return plan_; }
  /// The paper's claim.
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// Learns topics, or says why not: the private lower bound of sigma_k or gamma_s is 0 (a failed
  /// propose-test-release), or a noisy M2 has fewer than k positive eigenvalues. Configurations 1 to 3 need 8 words^2
  /// bytes.
  /// Throws std::invalid_argument if there are not options().documents documents, or if the vocabulary has fewer words than
  /// there are topics or is not public (declare_public).
  decarolis_result fit(const corpus& docs, random_source& random) const {
    detail::require_one_process(function, random);
    detail::require(docs.size() == options_.documents, function, "number of documents", docs.size(),
                    detail::text("must be the planned ", options_.documents));
    detail::require(options_.topics <= docs.words(), function, "size of the vocabulary", docs.words(),
                    detail::text("must be at least the number of topics, ", options_.topics));
    detail::require_public_words(function, *docs.vocab());
    const spectral_moments moments(docs, options_.alpha0, options_.products, docs.size(), options_.threads);
    const random_source source = random.fork();
    decarolis_result result;
    if (random.seeded()) result.ledger.mark_seeded();
    if (options_.configuration == 1) {
      perturb_moments(moments, docs.vocab(), source, result);
    } else {
      perturb_results(moments, docs.vocab(), source, result);
    }
    return result;
  }

 private:
  static constexpr const char* name = "published::decarolis_spectral";
  static constexpr const char* function = "published::decarolis_spectral::fit";

  void check_options() const {
    const decarolis_options& o = options_;
    detail::require(o.configuration >= 1 && o.configuration <= 4, name, "configuration", o.configuration,
                    "must lie in [1, 4]");
    detail::require(o.topics >= 1 && o.topics <= 1000, name, "topics", o.topics, "must lie in [1, 1000]");
    detail::require(o.documents >= 1, name, "documents", o.documents, "must be the public number of documents");
    detail::require_alpha0(o.alpha0, name);
    detail::validate(o.tensor, name);
    detail::require(o.eigen_tolerance > 0 && o.eigen_tolerance < 1, name, "eigen_tolerance", o.eigen_tolerance,
                    "must lie in (0, 1)");
    detail::require(o.eigen_iterations >= 1, name, "eigen_iterations", o.eigen_iterations, "must be at least 1");
  }

  // Never negative: for delta >= 1/2, a lower bound may fail so often that it need not subtract anything.
  lower_bound_release lower_bound(double sensitivity) const {
    const double scale = sensitivity / plan_.part.epsilon;
    return {scale, scale * std::max(0.0, -std::log(2 * plan_.part.delta))};
  }

  // Configuration 1: edges e2, e3 and, if as_printed, e5.
  void perturb_moments(const spectral_moments& moments, const vocabulary_ptr& vocab, const random_source& source,
                       decarolis_result& result) const {
    const eigenpairs second = noisy_second(moments, source, "decarolis.e2", result);
    if (!has_rank(second, result)) return;
    symmetric_tensor third = moments.third(whitening_matrix(second));
    chacha20 bits = source.stream("decarolis.e3");
    add_noise(third, second.values, plan_.third_noise, bits);
    result.ledger.record(third_event());
    const tensor_decomposition decomposition = decomposed(third, source);
    if (options_.releases == second_moment_releases::once) {
      give(to_topic_model(recover_parameters(options_.alpha0, second, decomposition), vocab), result);
      return;
    }
    const eigenpairs back = noisy_second(moments, source, "decarolis.e5", result);
    if (!has_rank(back, result)) return;
    give(to_topic_model(recover_parameters(options_.alpha0, back, decomposition), vocab), result);
  }

  // Configurations 2 to 4: Procedure 1 on e6, e7 or e9, and for 2 and 3 also e5.
  void perturb_results(const spectral_moments& moments, const vocabulary_ptr& vocab, const random_source& source,
                       decarolis_result& result) const {
    const double alpha0 = options_.alpha0;
    const std::size_t k = options_.topics;
    const auto topics = static_cast<Eigen::Index>(k);
    const eigenpairs second = top(moments, nullptr, source);
    result.sigma_k = bounded(second.values[topics - 1], plan_.sigma_k, source, "decarolis.sigma_k");
    result.ledger.record(sigma_event());
    // An eigenvalue <= 0 passes the test with probability at most delta_1, and the fit must not continue with it.
    if (!(result.sigma_k > 0 && second.values[topics - 1] > 1e-12 * second.values[0])) {
      result.sigma_k = 0;
      result.reason = failure("k-th eigenvalue of the second moment", plan_.sigma_k);
      return;
    }
    symmetric_tensor third = moments.third(whitening_matrix(second));
    if (options_.configuration == 2) {
      result.sensitivity = published_tensor_sensitivity(plan_.delta3, k, result.sigma_k);
      chacha20 bits = source.stream("decarolis.e6");
      add_noise(third, Eigen::VectorXd::Ones(topics), plan_.multiplier * result.sensitivity, bits);
      result.ledger.record(unbounded_event("whitened third moment"));
      const eigenpairs back = noisy_second(moments, source, "decarolis.e5", result);
      if (!has_rank(back, result)) return;
      give(to_topic_model(recover_parameters(alpha0, back, decomposed(third, source)), vocab), result);
      return;
    }
    tensor_decomposition decomposition = decomposed(third, source);
    result.gap = bounded(eigenvalue_gap(decomposition.values), plan_.gap, source, "decarolis.gap");
    result.ledger.record(unbounded_event("gap of eigenvalues"));
    if (!(result.gap > 0)) {
      result.reason = failure("gap of the whitened tensor's eigenvalues", plan_.gap);
      return;
    }
    // The eigenvalue if every alpha is alpha0/k.
    const double even = 2 * std::sqrt(static_cast<double>(k) * (alpha0 + 1)) / (alpha0 + 2);
    if (options_.configuration == 3) {
      result.sensitivity = published_eigenvector_sensitivity(plan_.delta3, k, result.sigma_k, result.gap);
      add_noise(decomposition.vectors, result.sensitivity, source.stream("decarolis.e7"));
      result.ledger.record(unbounded_event("eigenvectors"));
      decomposition.values.setConstant(even);
      const eigenpairs back = noisy_second(moments, source, "decarolis.e5", result);
      if (!has_rank(back, result)) return;
      give(to_topic_model(recover_parameters(alpha0, back, decomposition), vocab), result);
      return;
    }
    result.sensitivity = published_topic_sensitivity(plan_.delta3, k, second.values[0], result.sigma_k, result.gap);
    Eigen::MatrixXd phi = recover_parameters(alpha0, second, decomposition).topics;
    scale_rows(phi);
    add_noise(phi, result.sensitivity, source.stream("decarolis.e9"));
    result.ledger.record(unbounded_event("topics"));
    for (Eigen::Index i = 0; i < topics; ++i) {
      Eigen::VectorXd topic = phi.row(i);
      topic = project_to_simplex(topic);
      for (Eigen::Index v = 0; v < phi.cols(); ++v) phi(i, v) = topic[v];
    }
    give(topic_model<>(std::move(phi), vocab, Eigen::VectorXd::Constant(topics, alpha0 / static_cast<double>(k))),
         result);
  }

  /// The leading eigenpairs of M2, or of M2 + noise.
  eigenpairs top(const spectral_moments& moments, const detail::tall_matrix* noise, const random_source& source) const {
    const std::size_t threads = thread_count(options_.threads);
    const auto apply = [&](const detail::tall_matrix& x) {
      detail::tall_matrix image = moments.second(x);
      if (noise != nullptr) detail::add_product(image, *noise, x, threads);
      return image;
    };
    return top_eigenpairs(
        apply, moments.words(), options_.topics, source,
        {.tolerance = options_.eigen_tolerance, .iterations = options_.eigen_iterations, .threads = threads});
  }

  eigenpairs noisy_second(const spectral_moments& moments, const random_source& source, stream_purpose edge,
                          decarolis_result& result) const {
    const auto words = static_cast<Eigen::Index>(moments.words());
    detail::tall_matrix noise(words, words);
    detail::fill_symmetric_noise({noise.data(), static_cast<std::size_t>(noise.size())}, moments.words(),
                                 plan_.second_noise, source, edge, thread_count(options_.threads));
    result.ledger.record(second_event());
    return top(moments, &noise, source);
  }

  bool has_rank(const eigenpairs& second, decarolis_result& result) const {
    const Eigen::Index k = second.values.size();
    if (second.values[k - 1] > 1e-12 * second.values[0]) return true;
    result.reason = detail::text("no release: the noisy second moment has fewer than ", k, " positive eigenvalues");
    return false;
  }

  static double bounded(double value, const lower_bound_release& law, const random_source& source,
                        stream_purpose purpose) {
    chacha20 bits = source.stream(purpose);
    return std::max(0.0, value + detail::count_noise(true, law.scale).draw(bits, 1)[0] - law.margin);
  }

  static std::string failure(const char* what, const lower_bound_release& law) {
    return detail::text("no release: the private lower bound of the ", what,
                        " is 0, so no sensitivity can be stated; a value well above ", law.margin,
                        " is needed for this budget");
  }

  tensor_decomposition decomposed(const symmetric_tensor& third, const random_source& source) const {
    return decompose(third, source, options_.tensor, thread_count(options_.threads));
  }

  static void add_noise(symmetric_tensor& third, const Eigen::VectorXd& lengths, double sigma, chacha20& bits) {
    const std::span<const double> values(lengths.data(), static_cast<std::size_t>(lengths.size()));
    detail::add_whitened_noise(values, sigma, bits, [&](std::size_t a, std::size_t b, std::size_t c, double noise) {
      third.set(a, b, c, third(a, b, c) + noise);
    });
  }

  void add_noise(Eigen::MatrixXd& cells, double sensitivity, chacha20 bits) const {
    detail::count_noise law(false, plan_.multiplier * sensitivity);
    const auto noise = law.draw(bits, static_cast<std::size_t>(cells.size()));
    detail::add_scaled(1, noise.data(), cells.data(), cells.size());
  }

  // Scales each row with a positive sum to sum 1.
  static void scale_rows(Eigen::MatrixXd& phi) {
    for (Eigen::Index i = 0; i < phi.rows(); ++i) {
      double sum = 0;
      for (Eigen::Index v = 0; v < phi.cols(); ++v) sum += phi(i, v);
      if (!(sum > 0)) continue;
      for (Eigen::Index v = 0; v < phi.cols(); ++v) phi(i, v) /= sum;
    }
  }

  void give(topic_model<> model, decarolis_result& result) const {
    result.topics.emplace(std::move(model), plan_.guarantee, result.ledger);
  }

  privacy_event second_event() const { return event(gaussian_noise{true_.second}, "second moment"); }
  privacy_event third_event() const { return event(gaussian_noise{true_.third}, "third moment"); }
  privacy_event sigma_event() const {
    return event(laplace_noise{true_.sigma_k}, "k-th eigenvalue of the second moment");
  }
  static privacy_event unbounded_event(const std::string& what) {
    return event(nothing_proven, what + ", nothing proven");
  }
  static privacy_event event(mechanism noise, std::string label) {
    return {noise, all_units{}, privacy_unit::document, neighbours::replace, std::move(label)};
  }

  dplda::ledger whole_ledger() const {
    dplda::ledger book;
    const unsigned configuration = options_.configuration;
    if (configuration == 1) {
      book.record(second_event());
      book.record(third_event());
      if (options_.releases == second_moment_releases::as_printed) book.record(second_event());
      return book;
    }
    book.record(sigma_event());
    if (configuration > 2) book.record(unbounded_event("gap of eigenvalues"));
    book.record(unbounded_event(configuration == 2   ? "whitened third moment"
                                : configuration == 3 ? "eigenvectors"
                                                     : "topics"));
    if (configuration < 4) book.record(second_event());
    return book;
  }

  std::string caveat() const {
    std::string reasons;
    const unsigned configuration = options_.configuration;
    if (configuration == 1) {
      reasons = "noise is added to floating-point numbers, whose rounding may reveal what the noise hides";
    } else {
      reasons =
          "the sensitivity of the whitened tensor is an order of magnitude used as a number, and ignores that a "
          "document also moves the whitening matrix, without bound where eigenvalues meet";
    }
    if (configuration > 2) {
      reasons += options_.gap == gap_sensitivity::lemma_9
                     ? ", the sensitivity 2/N of the eigenvalues' gap (Lemma 9) is false"
                     : ", the sensitivity of the third moment does not bound that of the eigenvalues' gap";
      reasons +=
          ", and each of " + std::to_string(options_.topics) + " vectors gets the noise that would hide only one";
    }
    if (configuration == 4) reasons += ", and the noise is scaled by an eigenvalue that gets no noise";
    if (options_.formula == gaussian_formula::table_1 && plan_.edge.epsilon >= 1) {
      reasons += "; besides, the Gaussian noise follows a formula that holds only for epsilon below 1";
    }
    return reasons + (configuration == 1 ? "; in exact arithmetic, the price of the ledger is proven."
                                         : "; nothing is proven about it.");
  }

  // Noise divided by the true sensitivity.
  struct multipliers {
    double second, third, sigma_k;
  };

  decarolis_options options_;
  decarolis_plan plan_{};
  multipliers true_{};
};

}  // namespace dplda::inline v0_1::published

#endif
