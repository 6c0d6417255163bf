// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_PARK_SVI_HPP
#define DPLDA_PUBLISHED_PARK_SVI_HPP

// Formulas, arguments, options and limits: inference/svi/README.md

// Private variational inference as Park, Foulds, Chaudhuri and Welling published it (Private topic modeling, 2016), for
// reproduction and comparison. For topics to be used, take private_svi.
//
// Claim: the paper's: fit() returns something with the (epsilon, delta) of the budget; guarantee() says so and has
//   basis::as_published. Ours, which is proven: a fit spends exactly what its ledger says. That is plan().ledger if the
//   fit is not stopped, and its price is plan().cost.
// Why the paper's claim is not a proof:
//   - Exchanging a document moves the batch's sum by up to sqrt(2) N in the l2 norm, not by N: equation (4) drops the
//     second document. (N bounds the norm of one document: its N tokens, each spread over the topics.)
//   - Equation (3), the textbook Gaussian mechanism, holds only for epsilon_iter < 1; at the paper's settings
//     epsilon_iter is 4 to 6.
//   - Under zCDP, equation (5) treats the amplified step as Gaussian noise of the variance that would give the same
//     (epsilon', delta'). It is not, and (epsilon', delta') does not imply zCDP.
//   At the paper's settings the claimed epsilon is nevertheless not too small. It may be too small for few steps and a
//   delta far below delta_iter. plan().cost shows it.
//   - `literal` sensitivity: equation (4) divides by the number D of all documents, while algorithm 1 adds the noise to
//     a mean over S of them. Taken literally, that is D/S times too little noise, and no privacy at all.
// Preconditions of the ledger: options, vocabulary and number of documents are public; nobody sees anything of the run
//   but the release and the observer's step numbers.
// Argument for the ledger: a document is cut to N tokens by its own randomness, named by its id
//   (detail/length_cap.hpp). For every outcome of that, corpora that differ in one document still differ in one
//   document, and a mixture of pairs is not further apart than the pairs are. After that, only the accumulator reads
//   documents (mechanisms/accumulator.hpp). Its contributions are functions of a document and of earlier releases
//   (detail/topic_statistics.hpp), on uniform subsets (mechanisms/fixed_size_sampler.hpp) of fixed size and number. The
//   rest is post-processing.
// Test: tests/published/park_svi_test.cpp.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/published.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/core/vector_math.hpp>
#include <dplda/inference/private_topics/detail/topic_statistics.hpp>
#include <dplda/inference/svi/detail/document_solver.hpp>
#include <dplda/inference/svi/detail/variational_method.hpp>
#include <dplda/mechanisms/detail/premises.hpp>
#include <dplda/mechanisms/fixed_size_sampler.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/published/detail/length_cap.hpp>
#include <dplda/random/continuous.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::published {

/// The divisor that turns the bound N on a document into the sensitivity of a minibatch's mean.
enum class park_sensitivity {
  batch,   ///< the number of documents in the minibatch: correct
  literal  ///< the number of all documents, as equation (4) is printed: for reproduction only, not private
};

/// The settings of the paper's algorithm 1. Defaults are those of the paper, and of its code where the paper is silent.
struct park_svi_options {
  std::size_t topics = 100;
  std::uint64_t documents = 0;     ///< D, which must be public
  std::uint64_t batch = 100;       ///< S, documents a step
  std::uint64_t steps = 1600;      ///< J
  std::uint64_t length_cap = 500;  ///< N: longer documents keep this many tokens, chosen at random
  double alpha = 0;                ///< prior of a document's topic proportions; 0: 1 / topics
  double eta = 0;                  ///< prior of a topic's words; 0: 1 / topics
  double tau0 = 1024;              ///< step t = 1, 2, ... moves by rho_t = (tau0 + t)^-kappa
  double kappa = 0.7;
  double delta_iter = 1e-6;  ///< free in the paper
  park_composition composition = park_composition::zcdp;
  park_sensitivity sensitivity = park_sensitivity::batch;
  std::size_t document_iterations = 100;  ///< at most this many updates of a document's posterior
  double document_tolerance = 1e-3;       ///< a document is done when its gamma moves by less than this per topic
  std::size_t threads = 0;                ///< 0: as many as the machine runs at once; never changes the result
};

/// What a fit will do, what the paper claims for it and what it really costs, decided before a document is read.
struct park_svi_plan {
  park_step step;              ///< equations (5), (6) and (3)
  double noise;                ///< the standard deviation of the noise on each cell of a minibatch's sum, in tokens
  dplda::ledger ledger;        ///< what a fit does
  dplda::guarantee guarantee;  ///< the paper's claim
  dplda::guarantee cost;       ///< the ledger's price at the same delta, by the best accountant: proven
};

/// Park et al., algorithm 1.
///
///   dplda::published::park_svi learner({.documents = docs.size()}, {.epsilon = 1, .delta = 1e-4});
///   std::cout << learner.guarantee() << '\n' << learner.plan().cost << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
class park_svi {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of range, if the composition cannot meet the budget (see
  /// park_chain), or if the noise is less or more than an accumulator can add.
  park_svi(park_svi_options options, const budget& total) : options_(std::move(options)) {
    complete();
    const auto all = static_cast<double>(options_.documents), batch = static_cast<double>(options_.batch);
    plan_.step = park_chain(total, options_.steps, batch / all, options_.delta_iter, options_.composition);
    detail::require(plan_.step.multiplier >= 0x1p-20, "published::park_svi", "epsilon", total.epsilon,
                    "must be smaller: at this value a step needs no noise");
    plan_.noise = plan_.step.multiplier * static_cast<double>(options_.length_cap);
    if (options_.sensitivity == park_sensitivity::literal) plan_.noise *= batch / all;
    plan_.ledger.record(table(1).event(), options_.steps);
    plan_.guarantee = {.epsilon = total.epsilon,
                       .delta = total.delta,
                       .unit = privacy_unit::document,
                       .relation = neighbours::replace,
                       .accountant = rule(),
                       .basis = basis::as_published,
                       .caveat = caveat()};
    plan_.cost = price(plan_.ledger, total.delta);
  }

  /// The options, with the defaults that depend on others filled in.
  const park_svi_options& options() const noexcept { return options_; }
  const park_svi_plan& plan() const noexcept { return plan_; }
  /// The paper's claim.
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// Learns topics: the posterior mean of the last lambda. The observer sees only step numbers. If it stops the fit,
  /// fit throws fit_stopped.
  /// Throws std::invalid_argument if there are not options().documents documents, if two of them have the same id, or
  /// if the vocabulary is empty or not public (declare_public).
  release<topic_model<>> fit(const corpus& docs, random_source& random, const observer& watch = {}) const {
    const char* const function = "published::park_svi::fit";
    detail::require_one_process(function, random);
    detail::require(docs.size() == options_.documents, function, "number of documents", docs.size(),
                    detail::text("must be the planned ", options_.documents));
    detail::require(docs.words() > 0, function, "vocabulary", "empty", "must have at least 1 word");
    detail::require_public_words(function, *docs.vocab());
    const corpus capped = detail::cap_lengths(docs, options_.length_cap, random.fork());
    const privacy_units units(capped, privacy_unit::document);
    const fixed_size_sampler sampler(options_.batch, options_.documents);
    const std::size_t threads = thread_count(options_.threads);
    const auto topics = static_cast<Eigen::Index>(options_.topics), words = static_cast<Eigen::Index>(docs.words());
    const Eigen::VectorXd alpha = Eigen::VectorXd::Constant(topics, options_.alpha);
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(words);
    detail::topic_statistics<detail::variational_method> statistics(
        alpha, {options_.document_iterations, options_.document_tolerance}, detail::repeated_words(docs.words(), 1),
        threads);
    std::vector<accumulator> sums;
    for (std::size_t i = 0; i < threads; ++i) sums.emplace_back(table(docs.words()));
    Eigen::MatrixXd lambda = random_lambda(words, random), table(topics, words);
    const double share = static_cast<double>(options_.documents) / static_cast<double>(options_.batch);
    dplda::ledger spent;
    for (std::uint64_t t = 1; t <= options_.steps; ++t) {
      statistics.use(expected_topics(lambda), random);
      unit_batch batch = sampler.draw(units, random);
      statistics.add(capped, units, batch.positions(), ones, sums);
      sums.front().publish(std::move(batch), random, spent, std::span<double>(table.data(), sums.front().cells()),
                           threads);
      const double rho = std::pow(options_.tau0 + static_cast<double>(t), -options_.kappa);
      lambda.array() = (1 - rho) * lambda.array() + rho * (options_.eta + share * table.array().max(0.0));
      detail::tell(watch, {static_cast<std::size_t>(t), static_cast<std::size_t>(options_.steps)});
    }
    lambda.array().colwise() /= lambda.rowwise().sum().array().eval();
    return release<topic_model<>>(topic_model<>(std::move(lambda), docs.vocab(), alpha), plan_.guarantee, spent);
  }

 private:
  void complete() {
    const char* const function = "published::park_svi";
    park_svi_options& o = options_;
    detail::require(o.topics >= 1 && o.topics <= 1'000'000, function, "topics", o.topics, "must lie in [1, 1000000]");
    if (o.alpha == 0) o.alpha = 1 / static_cast<double>(o.topics);
    if (o.eta == 0) o.eta = 1 / static_cast<double>(o.topics);
    detail::require(o.documents >= 1, function, "documents", o.documents, "must be the public number of documents");
    detail::require(o.batch >= 1 && o.batch <= o.documents, function, "batch", o.batch,
                    detail::text("must lie in [1, ", o.documents, "], the number of documents"));
    detail::require(o.steps >= 1, function, "steps", o.steps, "must be at least 1");
    detail::require(o.length_cap >= 1 && o.length_cap <= 1'000'000'000, function, "length_cap", o.length_cap,
                    "must lie in [1, 1000000000]");
    detail::require(o.alpha > 0 && std::isfinite(o.alpha), function, "alpha", o.alpha, "must be positive and finite");
    detail::require(o.eta > 0 && o.eta <= 1e6, function, "eta", o.eta, "must lie in (0, 1000000]");
    detail::require(o.tau0 >= 0 && std::isfinite(o.tau0), function, "tau0", o.tau0, "must be finite and not negative");
    detail::require(o.kappa > 0.5 && o.kappa <= 1, function, "kappa", o.kappa,
                    "must lie in (0.5, 1], or the steps do not converge");
    detail::require(o.document_iterations >= 1, function, "document_iterations", o.document_iterations,
                    "must be at least 1");
    detail::require(o.document_tolerance >= 0 && std::isfinite(o.document_tolerance), function, "document_tolerance",
                    o.document_tolerance, "must be finite and not negative");
  }

  accountant rule() const {
    if (options_.composition == park_composition::linear) return accountant::linear;
    return options_.composition == park_composition::advanced ? accountant::advanced : accountant::zcdp;
  }

  std::string caveat() const {
    const double times = static_cast<double>(options_.documents) / static_cast<double>(options_.batch);
    if (options_.sensitivity == park_sensitivity::literal && times > 1) {
      return detail::text("this is not private and serves reproduction only: the noise on a minibatch is scaled ",
                          "for the whole corpus, which is ", times, " times too little.");
    }
    std::string reasons = "exchanging a document moves a sum by up to sqrt(2) times the assumed sensitivity";
    if (plan_.step.iteration.epsilon >= 1)
      reasons += ", the noise of a step follows a theorem that holds only for epsilon below 1";
    if (options_.composition == park_composition::zcdp)
      reasons += ", and zCDP is claimed for sampled steps, which do not satisfy it";
    return reasons + "; the price of the ledger is proven.";
  }

  // No document's norm exceeds the cap, so the accumulator's clipping changes nothing (up to a part in a million, if a
  // document is one word of one topic). Its multiplier is the noise divided by the true sensitivity, sqrt(2) N.
  accumulator_plan table(std::size_t words) const {
    const auto cap = static_cast<double>(options_.length_cap);
    return accumulator_plan({.rows = words,
                             .row_size = options_.topics,
                             .clip = cap,
                             .noise_multiplier = plan_.noise / (0x1.6a09e667f3bcdp0 * cap),
                             .unit = privacy_unit::document,
                             .relation = neighbours::replace,
                             .sampling = fixed_size_sample{options_.batch, options_.documents},
                             .max_units = options_.batch,
                             .label = "topic table"});
  }

  // Gamma(100, 1/100) everywhere, as in the paper's code.
  Eigen::MatrixXd random_lambda(Eigen::Index words, random_source& random) const {
    const random_source source = random.fork();
    Eigen::MatrixXd lambda(static_cast<Eigen::Index>(options_.topics), words);
    for (Eigen::Index v = 0; v < words; ++v) {
      chacha20 bits = source.stream("park_svi.start", static_cast<std::uint64_t>(v));
      for (Eigen::Index k = 0; k < lambda.rows(); ++k) lambda(k, v) = std::exp(log_gamma_variate(bits, 100)) / 100;
    }
    return lambda;
  }

  // exp(E[log beta]), floored: a word that underflows in all topics belongs to each of them equally.
  static Eigen::MatrixXd expected_topics(const Eigen::MatrixXd& lambda) {
    Eigen::MatrixXd beta(lambda.rows(), lambda.cols());
    Eigen::VectorXd totals = lambda.rowwise().sum();
    const auto exp_digamma = [](const auto& x, auto& y) {
      const auto size = static_cast<std::size_t>(x.size());
      vector_exp_digamma<double>(std::span(x.data(), size), std::span(y.data(), size));
    };
    exp_digamma(lambda, beta);
    exp_digamma(totals, totals);
    constexpr double least = std::numeric_limits<double>::min();
    beta.array().colwise() /= totals.array().max(least);
    return beta.cwiseMax(least);
  }

  park_svi_options options_;
  park_svi_plan plan_{};
};

}  // namespace dplda::inline v0_1::published

#endif
