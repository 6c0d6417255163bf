// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_AUDIT_AUDITED_SPECTRAL_HPP
#define DPLDA_TESTS_AUDIT_AUDITED_SPECTRAL_HPP

// Attacks on private_spectral, and on a broken one.
//
// private_spectral releases only its topics. Nearly all of the budget goes to the statistic that is attacked: word
// frequencies, pairs of words or triples. One topic is then a function of it. If words are attacked, the public number
// of units is wrong, so that the learner divides by what it sees, and w0 is rare, so that this division removes little
// of the canary. Otherwise documents have both words and are long, so that they look as from one topic, whatever the
// basis. If triples are attacked, there are so many documents that the clip norm is found in spite of the noise. Their
// triples are shorter than the canary's, which are clipped.

#include <dplda/accounting/gaussian.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>

#include "self_audit.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace dplda_tests {

enum class attacked_moment { words, pairs, triples };

struct spectral_setup {
  std::string name;
  attacked_moment moment = attacked_moment::words;
  double first_share = 0.96;
  double third_share = 0.02;
  double histogram_share = 0.02;
  dplda::moment_clipping clipping = dplda::moment_clipping::none;
};

inline neighbouring_corpora spectral_corpora(attacked_moment moment, const dplda::budget& total) {
  const double z = dplda::gaussian_multiplier(total.epsilon, total.delta);
  const auto few = static_cast<std::size_t>(5 * z + 1), many = static_cast<std::size_t>(40 * z + 8);
  switch (moment) {
    case attacked_moment::words:
      return {few, many, 3};
    case attacked_moment::pairs:
      return {0, 0, 40, many, 2};
    default:
      return {0, 0, 40, 5 * many, 2};
  }
}

/// Corpora are made for the budget `total`, whatever budget the learner is planned for.
inline audit_case spectral_case(const spectral_setup& setup, const dplda::budget& total, const dplda::budget& planned) {
  const auto docs = std::make_shared<const neighbouring_corpora>(spectral_corpora(setup.moment, total));
  const bool words = setup.moment == attacked_moment::words, triples = setup.moment == attacked_moment::triples;
  const auto learner = std::make_shared<const dplda::private_spectral>(
      dplda::private_spectral_options{.topics = 1,
                                      .units = words ? 8 : docs->without.size(),
                                      .words = 2,
                                      .clipping = setup.clipping,
                                      .first_share = setup.first_share,
                                      .histogram_share = setup.histogram_share,
                                      .third_share = setup.third_share,
                                      .fit_iterations = 100,
                                      .threads = 1},
      planned);
  const scored_run run = [=](bool with, dplda::random_source& random) {
    return learner->fit((*docs)[with], random).value().phi()(0, 0);
  };
  return {.learner = setup.name,
          .flaw = "",
          .claim = learner->guarantee(),
          .spent = learner->plan().ledger,
          .run = run,
          .threshold = pilot_threshold(run, 1000, 77),
          .most_runs = triples ? 30000u : 120000u};
}

inline const spectral_setup spectral_triples{.name = "private_spectral, its triples",
                                             .moment = attacked_moment::triples,
                                             .first_share = 0.03,
                                             .third_share = 0.9,
                                             .histogram_share = 0.01,
                                             .clipping = dplda::moment_clipping::chosen};

/// The third moment's clip norm is twice the one that its noise allows: half the noise multiplier, in a plan that
/// leaves all other noise unchanged.
inline audit_case double_clip_case(const dplda::budget& total) {
  const audit_case honest = spectral_case(spectral_triples, total, total);
  dplda::ledger drawn;
  for (dplda::ledger::entry entry : honest.spent.entries()) {
    if (entry.event.label == "triples of topics") std::get<dplda::gaussian_noise>(entry.event.noise).multiplier /= 2;
    drawn.record(entry.event, entry.count);
  }
  spectral_setup setup = spectral_triples;
  const double costs = 1 + 3 * setup.third_share;  // costs are as 1/z^2
  setup.first_share /= costs;
  setup.histogram_share /= costs;
  setup.third_share *= 4 / costs;
  audit_case broken =
      spectral_case(setup, total, {dplda::price(drawn, total.delta, honest.claim.accountant).epsilon, total.delta});
  broken.flaw = "third moment's clip norm doubled";
  broken.claim = honest.claim;
  broken.drawn = std::exchange(broken.spent, honest.spent);
  return broken;
}

}  // namespace dplda_tests

#endif
