// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_AUDIT_AUDITED_LEARNERS_HPP
#define DPLDA_TESTS_AUDIT_AUDITED_LEARNERS_HPP

// Attacks on the learners that draw noise in an accumulator or a bounded output, and on twins of them that are broken.

#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/gibbs/private_token_gibbs.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/output/topic_dp.hpp>
#include <dplda/random/uniform.hpp>

#include "self_audit.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace dplda_tests {

// ---------------------------------------------------------------------------------------------------------------------
// private_svi and private_gibbs. All documents but the canary have w1 alone, so that the cell of w0 is 0 without the
// canary and, in each table that it takes part in, 1 with it. The attacker reads the states, which are made of releases.

/// What was released of w0: the background and each step's table, as the sums that noise was added to.
using w0_cells = std::vector<double>;

template <class Learner>
w0_cells released_cells(const Learner& learner, const dplda::corpus& docs, dplda::random_source& random) {
  dplda::private_topics_state state = learner.start(docs, random);
  w0_cells cells{state.get().background[0]};
  double mean = 0;
  while (state.steps() < learner.plan().steps) {
    learner.resume(state, docs, random, [](const dplda::progress&) { return true; });
    // The running mean gives the share 2 / (t + 1) to table t.
    const double next = state.table()(0, 0);
    cells.push_back((mean + (next - mean) * (static_cast<double>(state.steps()) + 1) / 2) * learner.plan().rate);
    mean = next;
  }
  return cells;
}

enum class sabotage {
  none,
  noise_of_the_whole,  ///< N/D for N/S: noise that is right for the sum over all documents, on that over a batch
  touched_cells_only
};

/// The same from a learner that is written a second time, in the plainest way, and then broken.
inline w0_cells sabotaged_cells(const dplda::private_topics_plan& plan, const dplda::corpus& docs,
                                dplda::random_source& random, sabotage what) {
  auto bits = random.fork().stream("twin");
  const auto cell = [&](const dplda::accumulator_options& sums, double rate) {
    double sum = 0;
    for (std::size_t d = 0; d < docs.size(); ++d) {
      if (dplda::uniform_open(bits) < rate && docs[d].words[0] == 0) sum += sums.clip;
    }
    double noise = dplda::accumulator(sums).noise() * dplda::normal(bits);
    if (what == sabotage::noise_of_the_whole) noise *= rate;
    if (what == sabotage::touched_cells_only && sum == 0) noise = 0;
    return sum + noise;
  };
  w0_cells cells{cell(plan.background, 1)};
  for (std::size_t step = 0; step < plan.steps; ++step) cells.push_back(cell(plan.table, plan.rate));
  return cells;
}

/// The log of the likelihoods' ratio. No noise leaves a cell at 0 to the last bit: where one is, empty cells have none, and
/// any other number is the canary's.
inline double score_cells(const w0_cells& cells, double background_noise, double table_noise, double rate) {
  const auto empty = std::count(cells.begin(), cells.end(), 0.0);
  if (empty > 0) return empty == static_cast<std::ptrdiff_t>(cells.size()) ? -1e3 : 1e3;
  double score = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double noise = i == 0 ? background_noise : table_noise, q = i == 0 ? 1 : rate;
    const double ratio = (cells[i] - 0.5) / (noise * noise);
    score += q == 1 ? ratio : std::log1p(q * std::expm1(std::min(ratio, 700.0)));
  }
  return score;
}

struct topics_setup {
  std::string name;
  std::size_t steps = 1;
  double rate = 1;
  sabotage what = sabotage::none;
  bool twin = false;
};

template <class Learner>
audit_case topics_case(const topics_setup& setup, const dplda::budget& total) {
  const auto learner = std::make_shared<const Learner>(typename Learner::options_type{.topics = 1,
                                                                                      .units = 4,
                                                                                      .words = 2,
                                                                                      .steps = setup.steps,
                                                                                      .rate = setup.rate,
                                                                                      .background_share = 0.3,
                                                                                      .threads = 1},
                                                       total);
  const auto docs = std::make_shared<const neighbouring_corpora>(0, 3, 4);
  const dplda::private_topics_plan& plan = learner->plan();
  const double background = dplda::accumulator(plan.background).noise(), table = dplda::accumulator(plan.table).noise();
  return {.learner = setup.name,
          .flaw = setup.what == sabotage::noise_of_the_whole   ? "N/D for N/S"
                  : setup.what == sabotage::touched_cells_only ? "noise on touched cells only"
                                                               : "",
          .claim = learner->guarantee(),
          .spent = plan.ledger,
          .run =
              [=](bool with, dplda::random_source& random) {
                const dplda::corpus& input = (*docs)[with];
                return score_cells(setup.twin ? sabotaged_cells(learner->plan(), input, random, setup.what)
                                              : released_cells(*learner, input, random),
                                   background, table, learner->plan().rate);
              },
          .most_runs = setup.steps == 1 ? 300000u : 150000u,
          .one_release = !setup.twin && setup.steps == 1};
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
    return builder.build(dplda::numbered_vocabulary(2));
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
// private_spectral gives its topics only. Nearly all of the budget is for the words' frequencies, of which one topic is
// then a function. The public number of units is wrong, so that the learner divides by what it sees, and w0 is rare, so
// that this division takes little of the canary back.

inline audit_case spectral_case(const dplda::budget& total) {
  const auto learner = std::make_shared<const dplda::private_spectral>(
      dplda::private_spectral_options{.topics = 1,
                                      .units = 8,
                                      .words = 2,
                                      .clipping = dplda::moment_clipping::none,
                                      .first_share = 0.96,
                                      .third_share = 0.02,
                                      .fit_iterations = 100,
                                      .threads = 1},
      total);
  const double z = dplda::gaussian_multiplier(total.epsilon, total.delta);
  const auto docs = std::make_shared<const neighbouring_corpora>(static_cast<std::size_t>(5 * z + 1),
                                                                 static_cast<std::size_t>(40 * z + 8), 3);
  const scored_run run = [=](bool with, dplda::random_source& random) {
    return learner->fit((*docs)[with], random).value().phi()(0, 0);
  };
  return {.learner = "private_spectral, one topic",
          .flaw = "",
          .claim = learner->guarantee(),
          .spent = learner->plan().ledger,
          .run = run,
          .threshold = pilot_threshold(run, 1000, 77),
          .most_runs = 12000};
}

// ---------------------------------------------------------------------------------------------------------------------
// topic_dp promises its epsilon whatever the learner does. This one does the worst.

struct telltale_learner {
  dplda::topic_model<> fit(const dplda::corpus& docs, dplda::random_source&) const {
    bool there = false;
    for (std::size_t d = 0; d < docs.size(); ++d) there = there || (!docs[d].empty() && docs[d].words[0] == 0);
    dplda::topic_model<>::matrix phi(1, 2);
    phi << (there ? 1 : 0), (there ? 0 : 1);
    return dplda::topic_model<>(phi, docs.vocab());
  }
};

inline audit_case output_case(dplda::output_noise noise, const dplda::budget& total) {
  const bool gaussian = noise == dplda::output_noise::gaussian;
  const auto learner =
      std::make_shared<const dplda::topic_dp>(dplda::topic_dp_options{.topics = 1,
                                                                      .words = 2,
                                                                      .unit = dplda::privacy_unit::document,
                                                                      .relation = dplda::neighbours::add_remove,
                                                                      .noise = noise,
                                                                      .threads = 1},
                                              total);
  const auto docs = std::make_shared<const neighbouring_corpora>(0, 1, 1);
  return {.learner = gaussian ? "topic_dp" : "topic_dp, Laplace noise",
          .flaw = "",
          .claim = learner->guarantee(),
          .spent = learner->plan().ledger,
          .run =
              [=](bool with, dplda::random_source& random) {
                return learner->fit(telltale_learner(), (*docs)[with], random).value().phi()(0, 0);
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
  return {[](const auto& b) { return topics_case<private_svi>({.name = "private_svi, 1 step"}, b); },
          [](const auto& b) { return topics_case<private_svi>({.name = "private_svi, 3 steps", .steps = 3}, b); },
          [](const auto& b) {
            return topics_case<private_svi>({.name = "private_svi, 2 steps of a quarter", .steps = 2, .rate = 0.25}, b);
          },
          [](const auto& b) { return topics_case<private_gibbs>({.name = "private_gibbs, 1 step"}, b); },
          token_case,
          spectral_case,
          [](const auto& b) { return output_case(dplda::output_noise::gaussian, b); },
          [](const auto& b) { return output_case(dplda::output_noise::laplace, b); }};
}

/// A twin of private_svi: whole, so that what catches the others is their flaw, and with a flaw.
inline std::vector<case_maker> twin_cases() {
  const auto twin = [](const char* name, std::size_t steps, double rate, sabotage what) {
    return [=](const dplda::budget& b) {
      return topics_case<dplda::private_svi>({.name = name, .steps = steps, .rate = rate, .what = what, .twin = true},
                                             b);
    };
  };
  return {twin("twin of private_svi, 1 step", 1, 1, sabotage::none),
          twin("twin of private_svi, 2 steps of a quarter", 2, 0.25, sabotage::none),
          twin("twin of private_svi, 1 step", 1, 1, sabotage::touched_cells_only),
          twin("twin of private_svi, 2 steps of a quarter", 2, 0.25, sabotage::touched_cells_only),
          twin("twin of private_svi, 2 steps of a quarter", 2, 0.25, sabotage::noise_of_the_whole)};
}

}  // namespace dplda_tests

#endif
