// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_AUDIT_AUDITED_LEARNERS_HPP
#define DPLDA_TESTS_AUDIT_AUDITED_LEARNERS_HPP

// Attacks on the learners that draw noise in an accumulator or a bounded output, and on broken ones.

#include <dplda/accounting/gaussian.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/gibbs/private_token_gibbs.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/output_perturbation/topic_dp.hpp>
#include <dplda/published/park_svi.hpp>

#include "audited_spectral.hpp"
#include "self_audit.hpp"
#include "support/stopped.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace dplda_tests {

// ---------------------------------------------------------------------------------------------------------------------
// private_svi and private_gibbs. All units except the canary have only w1, so the cells of w0 are 0 without the canary.
// With it, they hold 1 in each table that it takes part in. If it replaces another unit, w1 also has 1 less.
// The attacker reads the states, which consist of releases.

struct topics_setup {
  std::string name;
  std::size_t steps = 1;
  double rate = 1;
  std::size_t topics = 1;
  dplda::privacy_unit unit = dplda::privacy_unit::document;
  dplda::neighbours relation = dplda::neighbours::add_remove;
  bool touched_cells_only = false;  ///< broken: no noise where there is nothing to hide
};

constexpr std::size_t units_beside_canary = 3;

/// The corpus with the canary, or without. A user has two documents.
inline dplda::corpus topics_corpus(const topics_setup& setup, bool with) {
  const bool replaced = setup.relation == dplda::neighbours::replace && !with;
  const std::size_t of_w1 = units_beside_canary + replaced, each = setup.unit == dplda::privacy_unit::user ? 2 : 1;
  dplda::corpus_builder builder;
  add_documents_of(builder, 1, of_w1 * each, 4);
  add_documents_of(builder, 0, with ? each : 0, 4);
  if (each > 1) {
    std::vector<dplda::user_id> users(builder.size());
    for (std::size_t d = 0; d < users.size(); ++d) users[d] = static_cast<dplda::user_id>(d / each);
    builder.set_users(users, builder.size() / each);
  }
  return made_up(builder, 2);
}

/// The log likelihood ratio of one release, if the canary is part of it with this probability and is then in one of the
/// topics. If it replaces another unit, the release is of a sample of fixed size, with only w1 except for the canary.
/// Cells that are exactly 0, which noise never leaves, show that nobody has w0. `cells`: 2 words for each topic.
inline double log_ratio(const Eigen::MatrixXd& cells, double noise, double rate, const topics_setup& setup) {
  if ((cells.col(0).array() == 0).all()) return -1e3;
  double ratio = 0;
  for (Eigen::Index k = 0; k < cells.rows(); ++k) {
    double from_middle = cells(k, 0) - 0.5;
    if (setup.relation == dplda::neighbours::replace)
      from_middle += rate * static_cast<double>(units_beside_canary + 1) - 0.5 - cells(k, 1);
    ratio += std::exp(std::min(from_middle / (noise * noise), 700.0)) / static_cast<double>(cells.rows());
  }
  return std::log1p(rate * (ratio - 1));
}

/// The released cells under the flaw: cells of words that no document has are empty.
inline Eigen::MatrixXd touched_cells(Eigen::MatrixXd cells, const dplda::corpus& docs) {
  std::vector<bool> touched(docs.words(), false);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (const dplda::word_id word : docs[d].words) touched[word] = true;
  }
  for (Eigen::Index v = 0; v < cells.cols(); ++v) {
    if (!touched[static_cast<std::size_t>(v)]) cells.col(v).setZero();
  }
  return cells;
}

template <class Learner>
double score_topics(const Learner& learner, const topics_setup& setup, const dplda::corpus& docs,
                    dplda::random_source& random) {
  const dplda::private_topics_plan& plan = learner.plan();
  dplda::private_topics_state state = learner.start(docs, random);
  const auto ratio = [&](const Eigen::MatrixXd& cells, double noise, double rate) {
    return log_ratio(setup.touched_cells_only ? touched_cells(cells, docs) : cells, noise, rate, setup);
  };
  const dplda::private_topics_state::parts first = state.get();
  double score = ratio(first.background.transpose(), first.background_noise, 1) +
                 ratio(first.weighted_background.transpose(), first.weighted_noise, 1);
  const double noise = plan.table.noise();
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(first.phi.rows(), first.phi.cols());
  while (state.steps() < plan.steps) {
    stopped([&] { learner.resume(state, docs, random, at_once); });
    // The running mean gives the share 2 / (t + 1) to table t.
    const Eigen::MatrixXd next = state.table();
    score += ratio((mean + (next - mean) * (static_cast<double>(state.steps()) + 1) / 2) * plan.rate, noise, plan.rate);
    mean = next;
  }
  return score;
}

template <class Learner>
audit_case topics_case(const topics_setup& setup, const dplda::budget& total) {
  const auto learner = std::make_shared<const Learner>(typename Learner::options_type{.topics = setup.topics,
                                                                                      .units = units_beside_canary + 1,
                                                                                      .words = 2,
                                                                                      .unit = setup.unit,
                                                                                      .relation = setup.relation,
                                                                                      .steps = setup.steps,
                                                                                      .rate = setup.rate,
                                                                                      .background_share = 0.3,
                                                                                      .threads = 1},
                                                       total);
  const auto with = std::make_shared<const dplda::corpus>(topics_corpus(setup, true)),
             without = std::make_shared<const dplda::corpus>(topics_corpus(setup, false));
  return {
      .learner = setup.name,
      .flaw = setup.touched_cells_only ? "noise on touched cells only" : "",
      .claim = learner->guarantee(),
      .spent = learner->plan().ledger,
      .run = [=](bool in,
                 dplda::random_source& random) { return score_topics(*learner, setup, in ? *with : *without, random); },
      .threshold = setup.touched_cells_only ? -500.0 : 0.0,
      .most_runs = setup.steps == 1 ? 600000u : 150000u,
      .one_release = !setup.touched_cells_only && setup.steps == 1 && setup.topics == 1};
}

// ---------------------------------------------------------------------------------------------------------------------
// The gain by public topics, the release of private_svi that decides whether they are used. All units except the canary
// have one word, so that their gain is 0. The canary has w0 and w1, which nobody else has and which are together in one
// public topic, so that its gain is the largest, 1. The others are many, so that no noise makes w0 and w1 seem frequent.

inline audit_case gain_case(const dplda::budget& total) {
  using dplda::private_svi;
  constexpr std::size_t others = 39;
  const auto planned = [](const dplda::budget& whole) {
    return std::make_shared<const private_svi>(
        private_svi::options_type{
            .topics = 2,
            .units = others + 1,
            .words = 3,
            .steps = 1,
            .background_share = 0.3,
            .public_topics = dplda::declare_public(make_model({{0.49, 0.49, 0.02}, {0.01, 0.01, 0.98}})),
            .threads = 1},
        whole);
  };
  // The whole plan costs so much more than its release of the gain that this release alone costs `total`.
  const auto first = planned(total);
  const double scale =
      dplda::gaussian_multiplier(total.epsilon, total.delta) / first->plan().gain->options().noise_multiplier;
  const double whole = dplda::price(dplda::with_noise_scaled(first->plan().ledger, scale), total.delta).epsilon;
  const auto learner = planned({whole, total.delta});
  const auto make = [](bool canary) {
    dplda::corpus_builder builder;
    add_documents_of(builder, 2, others, 4);
    if (canary) {
      builder.add(0);
      builder.add(1);
      builder.end_document();
    }
    return std::make_shared<const dplda::corpus>(made_up(builder, 3));
  };
  dplda::ledger spent;
  spent.record(learner->plan().gain->event());
  return {.learner = "private_svi, its gain by public topics",
          .flaw = "",
          .claim = dplda::price(spent, total.delta),
          .spent = spent,
          .run = [=, with = make(true), without = make(false)](
                     bool in,
                     dplda::random_source& random) { return learner->start(in ? *with : *without, random).get().gain; },
          .threshold = 0.5 / learner->plan().gain->noise(),
          .most_runs = 60000};  // each solves a document
}

// ---------------------------------------------------------------------------------------------------------------------
// Park et al. as published, with the printed sensitivity N/D: a real learner that adds the noise for the whole corpus
// to a minibatch. One step of a tenth of the documents; the canary replaces another document. The claim is the paper's.

inline audit_case park_case(const dplda::budget& total) {
  using namespace dplda::published;
  park_svi_options options{.topics = 1,
                           .documents = 40,
                           .batch = 4,
                           .steps = 1,
                           .length_cap = 4,
                           .tau0 = 0,
                           .sensitivity = park_sensitivity::literal,
                           .threads = 1};
  const auto learner = std::make_shared<const park_svi>(options, total);
  options.sensitivity = park_sensitivity::batch;
  const auto make = [](bool canary) {
    dplda::corpus_builder builder;
    add_documents_of(builder, 1, canary ? 39 : 40, 4);
    add_documents_of(builder, 0, canary ? 1 : 0, 4);
    return std::make_shared<const dplda::corpus>(made_up(builder, 2));
  };
  return {.learner = "published::park_svi, 1 step of a tenth",
          .flaw = "N/D for N/S",
          .claim = learner->guarantee(),
          .spent = park_svi(options, total).plan().ledger,
          .run =
              [=, with = make(true), without = make(false)](bool in, dplda::random_source& random) {
                return learner->fit(in ? *with : *without, random).value().phi()(0, 0);
              },
          .threshold = 0.25,
          .least_runs = 150000};
}

// ---------------------------------------------------------------------------------------------------------------------
// private_token_gibbs. One document of three tokens w1; the canary is one token w0 in it.

inline audit_case token_case(const dplda::budget& total) {
  const auto learner = std::make_shared<const dplda::private_token_gibbs>(
      dplda::private_token_gibbs_options{
          .topics = 1, .documents = 1, .words = 2, .tokens = 4, .sweeps = 1, .threads = 1},
      total);
  const auto document = [](std::uint32_t canary) {
    dplda::corpus_builder builder;
    if (canary > 0) builder.add(0, canary);
    builder.add(1, 3);
    builder.end_document();
    return made_up(builder, 2);
  };
  const auto with = std::make_shared<const dplda::corpus>(document(1)),
             without = std::make_shared<const dplda::corpus>(document(0));
  return {.learner = "private_token_gibbs, 1 sweep",
          .flaw = "",
          .claim = learner->guarantee(),
          .spent = learner->plan().ledger,
          .run =
              [=](bool in, dplda::random_source& random) {
                dplda::private_token_gibbs_state state = learner->start(random);
                learner->resume(state, in ? *with : *without, random);
                const std::vector<double>& cells = state.tables();  // of w0, w1 and the document
                return cells[0] - 0.5 + cells[2] - 3.5;
              },
          .one_release = true};
}

// ---------------------------------------------------------------------------------------------------------------------
// topic_dp promises its epsilon whatever the learner does. This learner is the worst case.

struct telltale_learner {
  dplda::topic_model<> fit(const dplda::corpus& docs, dplda::random_source&) const {
    bool there = false;
    for (std::size_t d = 0; d < docs.size(); ++d) there = there || (!docs[d].empty() && docs[d].words[0] == 0);
    dplda::topic_model<>::matrix phi(1, 2);
    phi << (there ? 1 : 0), (there ? 0 : 1);
    return dplda::topic_model<>(phi, docs.vocab());
  }
};

inline audit_case output_case(dplda::output_noise noise, dplda::privacy_unit unit, const dplda::budget& total) {
  const bool gaussian = noise == dplda::output_noise::gaussian, users = unit == dplda::privacy_unit::user;
  const auto learner =
      std::make_shared<const dplda::topic_dp>(dplda::topic_dp_options{.topics = 1,
                                                                      .words = 2,
                                                                      .unit = unit,
                                                                      .relation = dplda::neighbours::add_remove,
                                                                      .noise = noise,
                                                                      .threads = 1},
                                              total);
  const topics_setup setup{.name = "", .unit = unit};
  const auto with = std::make_shared<const dplda::corpus>(topics_corpus(setup, true)),
             without = std::make_shared<const dplda::corpus>(topics_corpus(setup, false));
  return {.learner = users      ? "topic_dp, for users"
                     : gaussian ? "topic_dp"
                                : "topic_dp, Laplace noise",
          .flaw = "",
          .claim = learner->guarantee(),
          .spent = learner->plan().ledger,
          .run =
              [=](bool in, dplda::random_source& random) {
                return learner->fit(telltale_learner(), in ? *with : *without, random).value().phi()(0, 0);
              },
          // Two cells hide half of what one would: Laplace noise shows its epsilon where the probability is 1.
          .threshold = gaussian ? 0.5 : 1 - 1e-12,
          .least_runs = gaussian ? 0u : 250000u,
          .one_release = gaussian};
}

/// All learners of this file, without flaws.
inline std::vector<case_maker> learner_cases() {
  using dplda::private_gibbs;
  using dplda::private_svi;
  const auto svi = [](const topics_setup& setup) {
    return [=](const dplda::budget& b) { return topics_case<private_svi>(setup, b); };
  };
  const auto gibbs = [](const topics_setup& setup) {
    return [=](const dplda::budget& b) { return topics_case<private_gibbs>(setup, b); };
  };
  const auto spectral = [](const spectral_setup& setup) {
    return [=](const dplda::budget& b) { return spectral_case(setup, b, b); };
  };
  const auto output = [](dplda::output_noise noise, dplda::privacy_unit unit) {
    return [=](const dplda::budget& b) { return output_case(noise, unit, b); };
  };
  return {
      svi({.name = "private_svi, 1 step"}),
      svi({.name = "private_svi, 3 steps", .steps = 3}),
      svi({.name = "private_svi, 2 steps of a quarter", .steps = 2, .rate = 0.25}),
      svi({.name = "private_svi, 2 topics", .topics = 2}),
      svi({.name = "private_svi, for users", .unit = dplda::privacy_unit::user}),
      svi({.name = "private_svi, by replacing", .relation = dplda::neighbours::replace}),
      svi({.name = "private_svi, by replacing, 2 steps of a quarter",
           .steps = 2,
           .rate = 0.25,
           .relation = dplda::neighbours::replace}),
      gain_case,
      gibbs({.name = "private_gibbs, 1 step"}),
      gibbs({.name = "private_gibbs, 3 steps of a quarter", .steps = 3, .rate = 0.25}),
      gibbs({.name = "private_gibbs, for users", .unit = dplda::privacy_unit::user}),
      token_case,
      spectral({.name = "private_spectral, its words"}),
      spectral({.name = "private_spectral, its pairs", .moment = attacked_moment::pairs, .first_share = 0.02}),
      spectral(spectral_triples),
      spectral(
          {.name = "private_spectral, clips chosen", .first_share = 0.8, .clipping = dplda::moment_clipping::chosen}),
      output(dplda::output_noise::gaussian, dplda::privacy_unit::document),
      output(dplda::output_noise::gaussian, dplda::privacy_unit::user),
      output(dplda::output_noise::laplace, dplda::privacy_unit::document)};
}

/// Learners with flaws other than a wrong noise scale.
inline std::vector<case_maker> broken_learner_cases() {
  return {[](const dplda::budget& b) {
            return topics_case<dplda::private_svi>({.name = "private_svi, 1 step", .touched_cells_only = true}, b);
          },
          park_case};
}

}  // namespace dplda_tests

#endif
