// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_PLAN_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_PLAN_IPP

// Bodies of inference/private_topics/plan.hpp.

#include <dplda/accounting/calibration.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/inference/private_topics/detail/noisy_topics.hpp>
#include <dplda/inference/private_topics/plan.hpp>

#include <string>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE private_topics_plan private_topics_plan::for_words(std::size_t words) const {
  const auto resize = [&](accumulator_options& sums) { sums.rows = words; };
  private_topics_plan other = *this;
  other.background = background.with(resize);
  other.weighted_background = weighted_background.with(resize);
  other.table = table.with(resize);
  other.signal_to_noise *= detail::words_in_use(table.options().rows) / detail::words_in_use(words);
  return other;
}

DPLDA_INLINE plan_figures private_topics_plan::figures() const {
  const std::string unit = detail::text(guarantee.unit);
  return {{"steps", std::to_string(steps)},
          {unit + "s in a step", rate == 1 ? "all"
                                 : detail::events_of(steps, table.options().sampling) < steps
                                     ? "each in one of " + significant(1 / rate) + " steps"
                                     : "each with probability " + significant(rate)},
          {"noise", significant(table.options().noise_multiplier) + " times what a " + unit +
                        " may contribute, on each number of each step's table"}};
}

namespace detail {

DPLDA_INLINE private_topics_plan topics_planner::plan(const budget& total) const {
  calibrated_noise chosen = task_.calibrated([&](double z) { return book(z); }, total);
  const double z = chosen.multiplier;
  return {.steps = steps_,
          .rate = rate_,
          .background_share = share_,
          .expected_batch = batch_,
          .background = accumulator_plan(first_background(z)),
          .weighted_background = accumulator_plan(weighted_background(z)),
          .gain = checks_ ? std::optional(accumulator_plan(gain(z))) : std::nullopt,
          .table = accumulator_plan(table(z)),
          .signal_to_noise = signal_to_noise(z),
          .noise_left = noise_left(z),
          .ledger = std::move(chosen.ledger),
          .guarantee = std::move(chosen.guarantee)};
}

// Of a release that has this share of the budget, where all steps together have 1 - share_.
DPLDA_INLINE double topics_planner::multiplier(double step_multiplier, double share) const {
  return step_multiplier / rate_ * std::sqrt((1 - share_) / (share * static_cast<double>(steps_)));
}

DPLDA_INLINE accumulator_options topics_planner::background(double step_multiplier, double part,
                                                            const char* label) const {
  return task_.sum(task_.words, 1, multiplier(step_multiplier, part * share_), label);
}

// A rough first look is enough to tell rare words from frequent ones.
DPLDA_INLINE accumulator_options topics_planner::first_background(double step_multiplier) const {
  return background(step_multiplier, 0.15, "background words");
}

DPLDA_INLINE accumulator_options topics_planner::weighted_background(double step_multiplier) const {
  return background(step_multiplier, 0.85, "background words, weighted");
}

DPLDA_INLINE accumulator_options topics_planner::gain(double step_multiplier) const {
  accumulator_options sums = task_.sum(1, 1, multiplier(step_multiplier, 0.02), "gain by public topics");
  sums.signs = value_signs::any;
  return sums;
}

DPLDA_INLINE accumulator_options topics_planner::table(double step_multiplier) const {
  accumulator_options sums = task_.sum(task_.words, task_.topics, step_multiplier, "topic table");
  sums.clip = clip_;
  sums.sampling = sampling_;
  return sums;
}

DPLDA_INLINE dplda::ledger topics_planner::book(double step_multiplier) const {
  dplda::ledger spent = task_.before;
  spent.record(first_background(step_multiplier).event());
  spent.record(weighted_background(step_multiplier).event());
  if (checks_) spent.record(gain(step_multiplier).event());
  spent.record(table(step_multiplier).event(), events_of(steps_, sampling_));
  return spent;
}

DPLDA_INLINE double topics_planner::noise_left(double step_multiplier) const {
  return step_multiplier / rate_ * noisy_topics::noise_left(static_cast<double>(steps_));
}

DPLDA_INLINE double topics_planner::signal_to_noise(double step_multiplier) const {
  const double cells = static_cast<double>(task_.topics) * words_in_use(task_.words);
  const double signal = units() * std::sqrt(50.0) / cells;
  return signal / noise_left(step_multiplier);
}

DPLDA_INLINE double topics_planner::chosen_share(const budget& total) const {
  if (!(total.delta > 0 && total.delta < 1 && total.epsilon > 0)) return 0.1;
  const double about =
      gaussian_multiplier(total.epsilon, total.delta) * rate_ * std::sqrt(static_cast<double>(steps_) / 0.9);
  const double missing = std::clamp((0.5 - signal_to_noise(about)) / 0.4, 0.0, 1.0);
  return 0.1 + 0.87 * missing * missing;
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
