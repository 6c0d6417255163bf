// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_PRIVATE_SPECTRAL_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_PRIVATE_SPECTRAL_IPP

// Bodies of inference/spectral/private_spectral.hpp, which has their claim, argument and test.

#include <dplda/core/parallel.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/inference/spectral/detail/moment_sums.hpp>
#include <dplda/inference/spectral/detail/noisy_moments.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace dplda::inline v0_1 {

DPLDA_INLINE private_spectral_plan private_spectral_plan::for_words(std::size_t words) const {
  private_spectral_plan other = *this;
  other.first = first.with([&](accumulator_options& sums) { sums.rows = words; });
  other.second = second.with([&](accumulator_options& sums) { sums.rows = detail::pair_cells(words); });
  return other;
}

DPLDA_INLINE plan_figures private_spectral_plan::figures() const {
  return {{"releases", "frequencies of words, pairs of words, triples of topics, and histograms of their sizes"},
          {"noise", significant(second.options().noise_multiplier) + " times what a " + detail::text(guarantee.unit) +
                        " may contribute, on each of " + std::to_string(second.options().rows) + " pairs of words"}};
}

DPLDA_INLINE private_spectral private_spectral::for_words(std::size_t words) const {
  private_spectral other = *this;
  other.options_.words = other.task_.words = words;
  other.validate();
  other.plan_ = plan_.for_words(words);
  return other;
}

DPLDA_INLINE release<topic_model<>> private_spectral::fit(const divided_corpus& docs, random_source& random,
                                                          const observer& watch) const {
  return fit_after(task_.spent_before(docs), docs, random, watch);
}

DPLDA_INLINE release<topic_model<>> private_spectral::fit(const release<vocabulary_ptr>& words,
                                                          const divided_corpus& docs, random_source& random,
                                                          const observer& watch) const {
  return fit_after(task_.spent_before(words), docs.restrict_to(words.value()), random, watch);
}

DPLDA_INLINE release<topic_model<>> private_spectral::fit_after(dplda::ledger spent, const divided_corpus& all,
                                                                random_source& random, const observer& watch) const {
  const divided_corpus docs = task_.divided(all, random.processes());
  const auto done = [&](std::size_t step) { detail::tell(watch, {step, 5}); };
  const std::size_t threads = thread_count(options_.threads);
  const double limit = histogram_limit();
  const auto clipped = [](const accumulator_plan& plan, double clip) {
    return plan.with([&](accumulator_options& sums) { sums.clip = clip; });
  };
  const detail::moment_sums sums(docs.docs(), docs.units(), threads);
  detail::noisy_moments moments(options_.words, options_.topics, options_.alpha0, static_cast<double>(options_.units),
                                threads);

  moments.set_first(sums.first(plan_.first, random, spent));
  done(1);
  double clip = 1;
  if (clip_is_chosen()) clip = sums.clip_norm(sums.pair_sizes(plan_.pair_sizes, random, spent), limit);
  moments.set_second(sums.pairs(clipped(plan_.second, clip), random, spent));
  done(2);
  const random_source source = random.fork();
  moments.whiten(source);
  done(3);
  clip = std::numeric_limits<double>::infinity();
  if (clip_is_chosen()) {
    const auto sizes = sums.triple_sizes(moments.basis(), plan_.triple_sizes, random, spent);
    clip = sums.longest_triple(moments.basis()) * sums.clip_norm(sizes, limit);
  }
  clip = moments.choose_basis(clip);
  moments.set_third(sums.triples(moments.basis(), clipped(plan_.third, clip), random, spent));
  done(4);
  topic_model<> model = moments.topics(docs.docs().vocab(), source, options_.tensor, options_.fit_iterations);
  done(5);
  return release<topic_model<>>(std::move(model), plan_.guarantee, std::move(spent));
}

DPLDA_INLINE void private_spectral::validate() const {
  const char* const function = "private_spectral";
  const private_spectral_options& o = options_;
  detail::require(o.topics >= 1 && o.topics <= 200, function, "topics", o.topics, "must lie in [1, 200]");
  detail::require(o.words >= o.topics, function, "words", o.words,
                  "must be the size of the vocabulary, at least the number of topics");
  detail::require(o.words <= 60'000, function, "words", o.words,
                  "must be at most 60000: memory holds a number for each pair of words");
  task_.validate();
  detail::require(o.alpha0 >= 1e-6 && o.alpha0 <= 1e6, function, "alpha0", o.alpha0, "must lie in [1e-6, 1e6]");
  const auto share = [&](double value, const char* name) {
    detail::require(value > 0 && value < 1, function, name, value, "must lie in (0, 1)");
  };
  share(o.first_share, "first_share");
  share(o.histogram_share, "histogram_share");
  share(o.third_share, "third_share");
  share(second_share(), "what first_share, third_share and two histograms leave for the second moment");
  detail::validate(o.tensor, function);
}

DPLDA_INLINE double private_spectral::second_share() const {
  const double histograms = clip_is_chosen() ? 2 * options_.histogram_share : 0;
  return 1 - options_.first_share - options_.third_share - histograms;
}

DPLDA_INLINE private_spectral::sums_of private_spectral::sums(double z) const {
  const auto sum = [&](std::size_t rows, std::size_t row_size, double share, const char* label) {
    return task_.sum(rows, row_size, z / std::sqrt(share), label);
  };
  constexpr std::size_t bins = detail::moment_sums::bins;
  sums_of all{.first = sum(options_.words, 1, options_.first_share, "word frequencies"),
              .pair_sizes = sum(bins, 1, options_.histogram_share, "size of pairs"),
              .second = sum(detail::pair_cells(options_.words), 1, second_share(), "pairs of words"),
              .triple_sizes = sum(bins, 1, options_.histogram_share, "size of triples"),
              .third = sum(1, detail::triple_cells(options_.topics), options_.third_share, "triples of topics")};
  // In exact arithmetic no two units are opposites in an orthonormal basis, whose products with m3 >= 0 only shrink
  // distances: sqrt(2) would be enough for `replace` there. But rounding may violate that, and the accumulator
  // enforces only a norm on integers, so the factor is 2.
  all.third.signs = value_signs::any;
  return all;
}

DPLDA_INLINE dplda::ledger private_spectral::book(double z) const {
  const sums_of all = sums(z);
  dplda::ledger spent = options_.before;
  spent.record(all.first.event());
  if (clip_is_chosen()) spent.record(all.pair_sizes.event());
  spent.record(all.second.event());
  if (clip_is_chosen()) spent.record(all.triple_sizes.event());
  spent.record(all.third.event());
  return spent;
}

DPLDA_INLINE private_spectral_plan private_spectral::planned(const budget& total) const {
  validate();
  calibrated_noise chosen = task_.calibrated([&](double z) { return book(z); }, total);
  const sums_of all = sums(chosen.multiplier);
  return {accumulator_plan(all.first),        accumulator_plan(all.pair_sizes), accumulator_plan(all.second),
          accumulator_plan(all.triple_sizes), accumulator_plan(all.third),      std::move(chosen.ledger),
          std::move(chosen.guarantee)};
}

DPLDA_INLINE double private_spectral::histogram_limit() const {
  const double noise = plan_.pair_sizes.noise() * std::sqrt(static_cast<double>(detail::moment_sums::bins));
  return std::min(3 * noise, 0.3 * static_cast<double>(options_.units));
}

}  // namespace dplda::inline v0_1

#endif
