// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VOCABULARY_VOCABULARY_SELECTOR_HPP
#define DPLDA_VOCABULARY_VOCABULARY_SELECTOR_HPP

// Formulas, arguments, options and limits: vocabulary/README.md

// Claim: the words that fit() returns are (epsilon, delta)-DP for one unit more or less, with the epsilon and delta of
//   guarantee(), which is known before a document is read; the ledger of the release composes with others. This is not
//   claimed of frequency_first as_published, whose guarantee says so.
// Preconditions: options and budget are public, and were fixed before anything of options.before was seen (otherwise
//   see mechanisms/detail/premises.hpp). Each document was prepared by itself: no word was pruned by how many
//   documents contain it (privacy_units checks this for corpora that this library reads). Nobody sees anything of the
//   run but the release.
// Argument: the data are read in sparse histograms only (mechanisms/sparse_histogram.hpp), whose events are the ledger;
//   the guarantee is its price. They require of their caller:
//   - A unit names the same cells in each round: its words, or words_per_unit of them chosen by bits of its own id
//     (detail/unit_words.hpp). Ids only name streams, which have the same law for all units.
//   - Demands in later rounds are a function of released words and of the word's own estimate.
//   - The order of the units, where it matters, is that of random numbers which their ids name.
//   - Only the words that passed leave, in alphabetical order.
// Test: tests/vocabulary/{vocabulary_selector,selector_privacy}_test.cpp

#include <dplda/accounting/calibration.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/sparse_histogram.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/vocabulary/detail/unit_words.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How words are weighed. Every unit has a weight of norm 1 for its words; words whose weights add up to enough, after
/// noise, are released.
enum class vocabulary_method {
  /// Recommended. Three rounds of growing budget. In later rounds units give nothing to words that are released, and
  /// less to words that seem to need less by the noisy weights of the round before. In the last round they give nothing
  /// to words that have little hope.
  informed_rounds,
  /// DP-SIPS (Swanberg et al. 2023): three rounds, each of weighted_gaussian for the words that are not released yet.
  rounds,
  /// 1 / sqrt(k) to each of k words, Gaussian noise.
  weighted_gaussian,
  /// 1 / k to each of k words, Laplace noise (Korolova et al. 2009).
  weighted_laplace,
  /// 1 / words_per_unit to each word, Laplace noise: the number of units (Wilson et al. 2020).
  count_laplace,
  /// Units come one after the other, in random order, and give what is left below a cap (Gopi et al. 2020).
  policy_gaussian,
  policy_laplace,
  /// Likewise, and units fill their most frequent words first (Carvalho et al. 2022).
  frequency_first
};

struct vocabulary_options {
  vocabulary_method method = vocabulary_method::informed_rounds;
  privacy_unit unit = privacy_unit::document;
  /// The largest number of distinct words that a unit names; from longer units, words are drawn at random
  /// (frequency_first: the most frequent).
  std::size_t words_per_unit = 256;
  /// For policies and frequency_first: how far above the threshold weights may grow, in units of the noise.
  double cap_margin = 4;
  /// frequency_first as_published uses the paper's threshold, which ignores words_per_unit.
  dplda::basis basis = basis::proven;
  /// What else is spent on the same data from the same budget: the plan pays for it, and the ledger begins with it.
  /// Fix all options before any of its results is seen.
  dplda::ledger before = {};
  dplda::accountant accountant = accountant::best;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// What a selection will do and cost, decided before a document is read.
struct vocabulary_plan {
  std::vector<sparse_histogram_plan> rounds;
  dplda::ledger ledger;
  dplda::guarantee guarantee;
};

namespace detail {

/// Marks words as released by a mechanism.
inline vocabulary_ptr as_released(vocabulary_builder& chosen) {
  return with_origin(*chosen.build(), word_origin::released);
}

}  // namespace detail

/// Chooses the words of a corpus that may be shown (differentially private set union).
///
///   const dplda::vocabulary_selector selector({}, {.epsilon = 1, .delta = 1e-6});
///   std::cout << selector.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto words = selector.fit(docs, random);
///   const dplda::corpus sanitised = docs.restrict_to(words.value());
class vocabulary_selector {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of range (see sparse_histogram_plan), if the unit is the
  /// token, if epsilon or delta is not positive, or if the budget cannot be met.
  vocabulary_selector(vocabulary_options options, const budget& total) : options_(std::move(options)) {
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

  const vocabulary_options& options() const noexcept { return options_; }
  const vocabulary_plan& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// Selects. The vocabulary is in alphabetical order, and may be empty.
  /// Throws std::invalid_argument if the corpus is pruned, if its words were released before (nothing here pays for
  /// them), if the unit is the user and the corpus has no users, or if two documents that are units have the same id.
  release<vocabulary_ptr> fit(const divided_corpus& all, random_source& random) const {
    const divided_corpus divided = all.divided_into(options_.unit);
    const corpus& docs = divided.docs();
    detail::require(docs.vocab()->origin() != word_origin::released, "vocabulary_selector", "the list of words",
                    "a private choice", "must be that of the whole corpus: select from the corpus as it was read");
    const privacy_units& units = divided.units();
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
      if (shown[cell]) chosen.add(docs.vocab()->word(words.word(cell)));
    }
    return release<vocabulary_ptr>(detail::as_released(chosen), plan_.guarantee, std::move(spent));
  }

 private:
  static constexpr std::size_t most_rounds = 3;

  /// The rounds, which together have the noise multiplier z. Half of delta is for the noise if that is Gaussian.
  std::vector<sparse_histogram_options> rounds(double z, double delta) const {
    using enum vocabulary_method;
    const vocabulary_method method = options_.method;
    sparse_histogram_options round{.noise_multiplier = z,
                                   .delta = delta / 2,
                                   .cells_per_unit = options_.words_per_unit,
                                   .cap_margin = options_.cap_margin,
                                   .basis = options_.basis,
                                   .unit = options_.unit,
                                   .label = "vocabulary"};
    if (method == count_laplace || method == weighted_laplace || method == policy_laplace ||
        method == frequency_first) {
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

  dplda::ledger events(const std::vector<sparse_histogram_options>& rounds) const {
    dplda::ledger book = options_.before;
    for (const sparse_histogram_options& round : rounds) record_release(round, book);
    return book;
  }

  static std::vector<std::size_t> order(const privacy_units& units, const random_source& key) {
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

  void add_all(const detail::unit_words& words, const std::vector<std::uint32_t>& demands,
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

  void update(std::vector<std::uint32_t>& demands, const sparse_release& noisy, std::size_t next) const {
    for (const std::uint32_t cell : noisy.passed) demands[cell] = 0;
    if (options_.method != vocabulary_method::informed_rounds) return;
    for (std::size_t cell = 0; cell < noisy.secret_estimates.size(); ++cell)
      demands[cell] = next_demand(demands[cell], noisy.secret_estimates[cell], next);
  }

  // What a word demands in the next round: it depends on its last demand and its own estimate only. The
  // constants were chosen on the corpora of benchmarks/papers/vocabulary.sh.
  std::uint32_t next_demand(std::uint32_t demand, double estimate, std::size_t next) const {
    const double threshold = plan_.rounds[next].threshold();
    const double enough = threshold + 2 * plan_.rounds[next].options().noise_multiplier;
    const bool last = next + 1 == plan_.rounds.size();
    if (demand == 0 || (last && estimate < 0.5 * threshold)) return 0;
    // Without the released words, the others get about half as much again.
    const double expected = 1.5 * estimate;
    if (expected <= enough) return demand;
    return std::max(1u, static_cast<std::uint32_t>(demand * std::max(0.1, enough / expected)));
  }

  vocabulary_options options_;
  vocabulary_plan plan_;
};

}  // namespace dplda::inline v0_1

#endif
