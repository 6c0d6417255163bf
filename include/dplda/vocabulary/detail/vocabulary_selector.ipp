// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VOCABULARY_DETAIL_VOCABULARY_SELECTOR_IPP
#define DPLDA_VOCABULARY_DETAIL_VOCABULARY_SELECTOR_IPP

// Bodies of vocabulary/vocabulary_selector.hpp, which has their claim, argument and test.

#include <dplda/accounting/calibration.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE vocabulary_selector::vocabulary_selector(vocabulary_options options, const budget& total)
    : options_(std::move(options)) {
  const char* const function = "vocabulary_selector";
  detail::require(total.epsilon > 0 && total.epsilon < detail::infinite, function, "epsilon", total.epsilon,
                  "must be positive and finite");
  detail::require(total.delta > 0 && total.delta < 1, function, "delta", total.delta, "must lie in (0, 1)");
  detail::require(options_.unit != privacy_unit::token, function, "unit", options_.unit, "must be document or user");
  detail::require(options_.basis == basis::proven || options_.method == vocabulary_method::frequency_first, function,
                  "basis", "as published", "must be proven unless the method is frequency_first");
  detail::require(options_.basis == basis::proven || options_.before.empty(), function, "before", "not empty",
                  "must be empty if the basis is as_published: nothing is proven for both together");
  double z = 1 / total.epsilon;
  if (options_.basis == basis::proven) {
    const auto book = [&](double each) { return events(rounds(each, total.delta)); };
    z = smallest_noise(book, total, options_.accountant, {.tolerance = 1e-9});
  }
  for (const sparse_histogram_options& round : rounds(z, total.delta)) plan_.rounds.emplace_back(round);
  plan_.ledger = events(rounds(z, total.delta));
  plan_.guarantee = price(plan_.ledger, total.delta, options_.accountant);
  plan_.guarantee.assumes_fixed_plans = !options_.before.empty();
  if (options_.basis == basis::as_published) {
    plan_.guarantee = {.epsilon = total.epsilon,
                       .delta = total.delta,
                       .unit = options_.unit,
                       .accountant = accountant::linear,
                       .basis = basis::as_published,
                       .caveat =
                           "the threshold assumes that a unit has one word that no other unit has; with n of "
                           "them, delta is 1 - (1 - delta) (1 - delta e^-epsilon)^(n - 1)."};
  }
}

DPLDA_INLINE release<vocabulary_ptr> vocabulary_selector::fit(const divided_corpus& all, random_source& random) const {
  const divided_corpus divided = all.divided_into(options_.unit);
  const corpus& docs = divided.docs();
  detail::require(docs.vocab()->origin() != word_origin::released, "vocabulary_selector", "the list of words",
                  "a private choice", "must be that of the whole corpus: select from the corpus as it was read");
  const privacy_units& units = divided.units();
  if (plan_.rounds.front().in_turn()) detail::require_one_process("vocabulary_selector", random);
  detail::require_apart("vocabulary_selector", units, random.processes());
  const random_source key = random.fork();
  const bool published = options_.basis == basis::as_published;
  const detail::unit_words words(docs, units, key,
                                 published ? std::numeric_limits<std::size_t>::max() : options_.words_per_unit,
                                 options_.method == vocabulary_method::frequency_first);
  dplda::ledger spent = options_.before;
  std::vector<std::uint8_t> shown(words.cells(), 0);
  std::vector<std::uint32_t> demands(words.cells(), sparse_histogram::max_demand);
  for (std::size_t round = 0; round < plan_.rounds.size(); ++round) {
    sparse_histogram sums(plan_.rounds[round]);
    if (sums.plan().in_turn()) {
      for (const std::size_t unit : order(units, key)) sums.add(words[unit]);
    } else {
      add_all(words, demands, sums);
    }
    const sparse_release noisy = sums.publish(random, spent, options_.threads);
    for (const std::uint32_t cell : noisy.passed) shown[cell] = 1;
    if (round + 1 < plan_.rounds.size()) update(demands, noisy, round + 1);
  }
  vocabulary_builder chosen;
  for (std::uint32_t cell = 0; cell < shown.size(); ++cell) {
    if (shown[cell]) chosen.add(words.word(cell));
  }
  return release<vocabulary_ptr>(chosen.build(), plan_.guarantee, std::move(spent));
}

DPLDA_INLINE std::vector<sparse_histogram_options> vocabulary_selector::rounds(double z, double delta) const {
  using enum vocabulary_method;
  const vocabulary_method method = options_.method;
  sparse_histogram_options round{.noise_multiplier = z,
                                 .delta = delta / 2,
                                 .cells_per_unit = options_.words_per_unit,
                                 .cap_margin = options_.cap_margin,
                                 .basis = options_.basis,
                                 .unit = options_.unit,
                                 .label = "vocabulary"};
  if (method == count_laplace || method == weighted_laplace || method == policy_laplace || method == frequency_first) {
    round.noise = noise_kind::laplace;
    round.delta = delta;
  }
  if (method == count_laplace) round.shares = sharing::counted;
  if (method == policy_laplace || method == policy_gaussian) round.shares = sharing::levelled;
  if (method == frequency_first) round.shares = sharing::in_order;
  if (method != vocabulary_method::rounds && method != informed_rounds) return {round};

  // 1 / z^2 adds up, and so does delta.
  const double growth = method == informed_rounds ? 2.5 : 2;
  round.shares = sharing::demanded;
  std::vector<sparse_histogram_options> all(most_rounds, round);
  double sum = 0;
  for (std::size_t r = 0; r < most_rounds; ++r) sum += std::pow(growth, r);
  for (std::size_t r = 0; r < most_rounds; ++r) {
    const double share = std::pow(growth, r) / sum;
    all[r].noise_multiplier = z / std::sqrt(share);
    all[r].delta = delta / 2 * share;
  }
  return all;
}

DPLDA_INLINE dplda::ledger vocabulary_selector::events(const std::vector<sparse_histogram_options>& rounds) const {
  dplda::ledger book = options_.before;
  for (const sparse_histogram_options& round : rounds) record_release(round, book);
  return book;
}

DPLDA_INLINE std::vector<std::size_t> vocabulary_selector::order(const privacy_units& units, const random_source& key) {
  chacha20 words = key.stream("order of units");
  std::vector<std::pair<std::uint64_t, std::size_t>> places(units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    words.seek(units.id(unit));
    places[unit] = {words(), unit};
  }
  std::sort(places.begin(), places.end());
  std::vector<std::size_t> in_order(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) in_order[i] = places[i].second;
  return in_order;
}

DPLDA_INLINE void vocabulary_selector::add_all(const detail::unit_words& words,
                                               const std::vector<std::uint32_t>& demands,
                                               sparse_histogram& sums) const {
  const std::size_t threads = thread_count(options_.threads);
  std::vector<sparse_histogram> parts;
  for (std::size_t i = 0; i < threads; ++i) parts.emplace_back(sums.plan());
  parallel_for(words.units(), 1024, threads, [&](std::size_t first, std::size_t last, std::size_t worker) {
    std::vector<std::uint32_t> own;
    for (std::size_t unit = first; unit < last; ++unit) {
      if (sums.plan().options().shares != sharing::demanded) {
        parts[worker].add(words[unit]);
        continue;
      }
      own.clear();
      for (const std::uint32_t cell : words[unit]) own.push_back(demands[cell]);
      parts[worker].add(words[unit], own);
    }
  });
  for (sparse_histogram& part : parts) sums.merge(part);
}

DPLDA_INLINE void vocabulary_selector::update(std::vector<std::uint32_t>& demands, const sparse_release& noisy,
                                              std::size_t next) const {
  for (const std::uint32_t cell : noisy.passed) demands[cell] = 0;
  if (options_.method != vocabulary_method::informed_rounds) return;
  for (std::size_t cell = 0; cell < noisy.secret_estimates.size(); ++cell)
    demands[cell] = next_demand(demands[cell], noisy.secret_estimates[cell], next);
}

DPLDA_INLINE std::uint32_t vocabulary_selector::next_demand(std::uint32_t demand, double estimate,
                                                            std::size_t next) const {
  const double threshold = plan_.rounds[next].threshold();
  const double enough = threshold + 2 * plan_.rounds[next].options().noise_multiplier;
  const bool last = next + 1 == plan_.rounds.size();
  if (demand == 0 || (last && estimate < 0.5 * threshold)) return 0;
  // Without the released words, the others get about half as much again.
  const double expected = 1.5 * estimate;
  if (expected <= enough) return demand;
  return std::max(1u, static_cast<std::uint32_t>(demand * std::max(0.1, enough / expected)));
}

}  // namespace dplda::inline v0_1

#endif
