// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_PLAN_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_PLAN_HPP

// What private_topics (private_topics.hpp, where its claim stands) is told and what it plans.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/mechanisms/accumulator.hpp>

#include <cstddef>
#include <cstdint>

namespace dplda {

/// How topics are to be learned. Public sizes come first; the zeros below are chosen by the planner from them and the
/// budget. Document is what the method needs to know about documents.
template <class Document>
struct private_topics_options {
  std::size_t topics = 20;
  /// The public number of units (documents or users), or a guess of it: a wrong guess costs utility, not privacy. Under
  /// add_remove it must not be counted in the data.
  std::uint64_t units = 0;
  /// The size of the vocabulary, which must be public or released.
  std::size_t words = 0;
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  /// Releases of the topic table. 0: 30.
  std::size_t steps = 0;
  /// The share of the units in each step. 0: all units, at most 100,000 in a step.
  double rate = 0;
  /// The norm of a unit's contribution, in tokens. Nearly every document reaches 1, so that each speaks equally loud;
  /// more would make long documents louder, and the noise with them.
  double clip = 1;
  /// The share of the budget for the words' background distribution. 0: a tenth, and more where there is too little text
  /// to learn topics from.
  double background_share = 0;
  /// Counts of a word with background probability p are multiplied by (p * words + 0.05)^-word_weight before the noise
  /// comes, as rare words need less of it.
  double word_weight = 0.3;
  /// A unit's n tokens of one word count as n^repetition.
  double repetition = 0.5;
  /// The prior of a document's topic proportions.
  double alpha = 0.05;
  Document document = {};
  /// What else is spent on the same data from the same budget: on a statistic of your own, on the vocabulary, on topics
  /// to start from. The plan pays for it, and the release's ledger begins with it.
  dplda::ledger before = {};
  dplda::accountant accountant = accountant::best;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// What a private fit will do and cost, decided before a document is read.
struct private_topics_plan {
  std::size_t steps;
  double rate;
  double background_share;
  double expected_batch;           ///< units in a step
  accumulator_options background;  ///< the release of the words' background distribution
  accumulator_options table;       ///< the release of each step
  /// The mean of a cell of the topic table over the noise that is left on it after averaging over the steps, if units
  /// have 50 tokens of different words. pipeline/forecast.hpp says what may be expected of it.
  double signal_to_noise;
  double noise_left;  ///< the standard deviation of the noise on a cell of the topic table after averaging, over clip
  dplda::ledger ledger;
  dplda::guarantee guarantee;
};

}  // namespace dplda

#endif
