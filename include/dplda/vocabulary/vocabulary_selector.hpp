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

#include <dplda/core/corpus.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/sparse_histogram.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/vocabulary/detail/unit_words.hpp>

#include <cstddef>
#include <cstdint>
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
  vocabulary_selector(vocabulary_options options, const budget& total);

  const vocabulary_options& options() const noexcept { return options_; }
  const vocabulary_plan& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// Selects. The vocabulary is in alphabetical order, and may be empty.
  /// Throws std::invalid_argument if the corpus is pruned, if its words were released before (nothing here pays for
  /// them), if the unit is the user and the corpus has no users, if two documents that are units have the same id, or if
  /// processes share the source and the method takes units in turn (the policies and frequency_first). Other methods
  /// choose among the words of all processes.
  release<vocabulary_ptr> fit(const divided_corpus& all, random_source& random) const;

 private:
  static constexpr std::size_t most_rounds = 3;

  /// The rounds, which together have the noise multiplier z. Half of delta is for the noise if that is Gaussian.
  std::vector<sparse_histogram_options> rounds(double z, double delta) const;

  dplda::ledger events(const std::vector<sparse_histogram_options>& rounds) const;

  static std::vector<std::size_t> order(const privacy_units& units, const random_source& key);

  void add_all(const detail::unit_words& words, const std::vector<std::uint32_t>& demands,
               sparse_histogram& sums) const;

  void update(std::vector<std::uint32_t>& demands, const sparse_release& noisy, std::size_t next) const;

  // What a word demands in the next round: it depends on its last demand and its own estimate only. The
  // constants were chosen on the corpora of benchmarks/papers/vocabulary.sh.
  std::uint32_t next_demand(std::uint32_t demand, double estimate, std::size_t next) const;

  vocabulary_options options_;
  vocabulary_plan plan_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/vocabulary/detail/vocabulary_selector.ipp>
#endif

#endif
