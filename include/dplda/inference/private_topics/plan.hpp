// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_PLAN_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_PLAN_HPP

// Options and plan of private_topics. Its claim is in private_topics.hpp.

#include <dplda/accounting/ledger.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/earlier_topics.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/inference/public_text.hpp>
#include <dplda/mechanisms/accumulator_plan.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace dplda::inline v0_1 {

/// How the units of a step are chosen if a step reads only a share of them: by a coin for each unit and step; or by
/// rounds of steps, in each of which every unit is read once, in a secret step (mechanisms/allocation_sampler.hpp).
enum class batch_choice { coins, rounds };

/// How to learn topics. Public sizes come first; the planner replaces the zeros below, given the sizes and the budget.
/// Document holds the method's own options for documents.
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
  /// With `rounds`, one over the rate is rounded, the steps are rounded up to whole rounds, and a fit can be resumed
  /// from states between rounds only. Less noise than coins at the same rate, for add_remove only.
  batch_choice batches = batch_choice::coins;
  /// The clip norm of a unit's contribution, in tokens. Nearly every document reaches 1, so each has equal weight; a
  /// larger norm would give long documents more weight and add noise.
  double clip = 1;
  /// The share of the budget for the words' background distribution. 0: a tenth, and more if there is too little text
  /// to learn topics from.
  double background_share = 0;
  /// Counts of a word with background probability p are multiplied by (p * words + 0.05)^-word_weight before noise is
  /// added, because rare words need less of it.
  double word_weight = 0.3;
  /// A unit's n tokens of one word count as n^repetition.
  double repetition = 0.5;
  /// The prior of a document's topic proportions.
  double alpha = 0.05;
  Document document = {};
  /// Public texts (declare_public) whose word frequencies are known for free. They need not be about the same things.
  /// How much each is trusted follows from released values.
  std::vector<public_text> public_texts = {};
  /// Public topics (declare_public), as many as `topics`: where documents say little, the learned ones stay near them.
  /// Only which words belong together is taken from them, not how frequent words are. They should be of the same domain:
  /// if, as far as a noisy sum tells, they predict the documents no better than word frequencies do, they are not used.
  /// This check reads all units once, and takes about two hundredths of the budget for topics.
  std::optional<dplda::public_topics> public_topics = {};
  /// Topics of earlier documents to go on from, such as last month's (declare_disjoint): the fit starts from them and
  /// adds its counts to theirs, so that they become clearer from release to release, and their numbers stay. Its words
  /// are theirs, or theirs with others after them (further_words).
  std::optional<dplda::earlier_topics> earlier = {};
  /// How much of the earlier counts is kept, in (0, 1]: below 1, months count the less the longer ago they are.
  double memory = 1;
  /// What else is spent on the same data from the same budget: on a statistic of your own, on the vocabulary, on topics
  /// to start from. The plan pays for it, and the release's ledger begins with it.
  /// Fix all options before any of its results is seen.
  dplda::ledger before = {};
  dplda::accountant accountant = accountant::best;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// What a private fit will do and cost, decided before a document is read.
struct private_topics_plan {
  std::size_t steps;
  double rate;
  double background_share;
  double expected_batch;        ///< units in a step
  accumulator_plan background;  ///< the first release of the words' background distribution, with equal noise
  /// The second one, with less noise for words that were rare in the first. It has most of the background's share.
  accumulator_plan weighted_background;
  std::optional<accumulator_plan> gain;  ///< the release that decides whether public topics are used, if there are any
  accumulator_plan table;                ///< the release of each step
  /// The mean of a cell of the topic table divided by the noise that is left on it after averaging over the steps, if
  /// units have 50 tokens of different words, and if at most 25,000 words are used. pipeline/forecast.hpp says what to expect.
  double signal_to_noise;
  double noise_left;  ///< the noise on a cell of the topic table after averaging, as standard deviation over clip
  dplda::ledger ledger;
  dplda::guarantee guarantee;

  /// The same steps with the same noise and events for another number of words. Throws std::invalid_argument if words
  /// is 0.
  private_topics_plan for_words(std::size_t words) const;

  /// What will be done, in words.
  plan_figures figures() const;
};

namespace detail {

/// How many events stand for so many steps: one for each step, or for each round.
inline std::size_t events_of(std::size_t steps, const sampling& sample) {
  const auto* const rounds = std::get_if<random_allocation>(&sample);
  return rounds == nullptr ? steps : steps / static_cast<std::size_t>(rounds->batches);
}

/// How many of so many words a text is assumed to use: a dictionary as public list has many that it does not use.
inline double words_in_use(std::size_t words) { return std::min(static_cast<double>(words), 25000.0); }

/// Makes the plan: the share of the units in each step, the number of steps, and the least noise within the budget.
class topics_planner {
 public:
  template <class Document>
  topics_planner(const private_task& task, const private_topics_options<Document>& options, const budget& total)
      : task_(task),
        clip_(options.clip),
        steps_(options.steps > 0 ? options.steps : 30),
        rate_(options.rate > 0 ? options.rate : std::min(1.0, 1e5 / units())),
        batch_(rate_ * units()),
        checks_(options.public_topics.has_value()) {
    if (task.relation == neighbours::replace && rate_ < 1) {
      const auto size = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(batch_)));
      sampling_ = fixed_size_sample{size, task.units};
      batch_ = static_cast<double>(size);
      rate_ = batch_ / units();
    } else if (options.batches == batch_choice::rounds) {
      const auto round = static_cast<std::size_t>(std::llround(1 / rate_));
      steps_ = (steps_ + round - 1) / round * round;
      rate_ = 1 / static_cast<double>(round);
      batch_ = rate_ * units();
      if (round > 1) sampling_ = random_allocation{round};
    } else if (rate_ < 1) {
      sampling_ = poisson_sample{rate_};
    }
    share_ = options.background_share > 0 ? options.background_share : chosen_share(total);
  }

  /// Throws std::invalid_argument if the budget cannot be met, or if the sums would not fit their integers.
  private_topics_plan plan(const budget& total) const;

 private:
  double units() const { return static_cast<double>(task_.units); }

  // Noise multipliers add up as 1 / z^2, samples of rate q as q^2 / z^2: exactly if all units are read, and
  // approximately for a sample.
  double multiplier(double step_multiplier, double share) const;

  accumulator_options background(double step_multiplier, double part, const char* label) const;

  accumulator_options first_background(double step_multiplier) const;

  accumulator_options weighted_background(double step_multiplier) const;

  accumulator_options gain(double step_multiplier) const;

  accumulator_options table(double step_multiplier) const;

  dplda::ledger book(double step_multiplier) const;

  double noise_left(double step_multiplier) const;

  double signal_to_noise(double step_multiplier) const;

  double chosen_share(const budget& total) const;

  const private_task& task_;
  double clip_;
  std::size_t steps_;
  double rate_, batch_;
  bool checks_;  // there are public topics, and a release tells whether they are useful
  dplda::sampling sampling_ = all_units{};
  double share_ = 0;
};

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/plan.ipp>
#endif

#endif
