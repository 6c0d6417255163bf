// SPDX-License-Identifier: Apache-2.0
// Many whole selections on neighbouring corpora: what an observer could learn about one unit. Every interval has
// suite_level, so that a correct library fails with a probability below 10^-9 over the choice of seeds.
#include <dplda/audit/rates.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace {

using namespace dplda;
using dplda_tests::make_corpus;
using enum vocabulary_method;

const vocabulary_method methods[] = {informed_rounds, rounds,          weighted_gaussian, weighted_laplace,
                                     count_laplace,   policy_gaussian, policy_laplace,    frequency_first};

// How often `event` is true of what is selected, as an interval.
rate_interval rate(const vocabulary_selector& selector, const corpus& docs, std::uint64_t draws,
                   const std::function<bool(const vocabulary&)>& event) {
  auto random = seeded_random(1);
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < draws; ++i) hits += event(*selector.fit(docs, random).value()) ? 1 : 0;
  return clopper_pearson(hits, draws, 1 - 2 * dplda_tests::suite_level);
}

std::vector<word_id> words(word_id from, word_id to) {
  std::vector<word_id> all(to - from);
  std::iota(all.begin(), all.end(), from);
  return all;
}

}  // namespace

TEST_CASE("Words of one unit alone are selected with probability at most delta", "[selector_privacy]") {
  const budget total{1, 0.08};
  for (const vocabulary_method method : methods) {
    const vocabulary_selector selector({.method = method, .words_per_unit = 12, .threads = 1}, total);
    const auto any = [](const vocabulary& chosen) { return chosen.size() > 0; };
    for (const word_id own : {1u, 12u, 40u}) {
      CAPTURE(static_cast<int>(method), own);
      const rate_interval shown = rate(selector, make_corpus({words(0, own)}, own), 8000, any);
      // Half of delta is for the noise if that is Gaussian.
      const bool laplace = selector.plan().rounds[0].options().noise == noise_kind::laplace;
      CHECK(shown.low <= (laplace ? total.delta : total.delta / 2));
      if (own == 12 && method != informed_rounds) CHECK(shown.high >= (laplace ? 0.04 : 0.02));
    }
  }
}

TEST_CASE("The published threshold exceeds its delta", "[selector_privacy]") {
  const budget total{1, 0.01};
  const auto any = [](const vocabulary& chosen) { return chosen.size() > 0; };
  const corpus one = make_corpus({words(0, 84)}, 84);
  const vocabulary_selector published({.method = frequency_first, .basis = basis::as_published, .threads = 1}, total);
  CHECK(rate(published, one, 5000, any).low > 10 * total.delta);
  const vocabulary_selector corrected({.method = frequency_first, .words_per_unit = 84, .threads = 1}, total);
  CHECK(rate(corrected, one, 5000, any).low <= total.delta);
}

TEST_CASE("One unit changes the chance of any result by no more than the guarantee", "[selector_privacy]") {
  // Words that about half of the runs select, a unit that holds them and some of its own, and one that holds little.
  const budget total{0.7, 0.05};
  for (const vocabulary_method method : methods) {
    const vocabulary_selector selector({.method = method, .words_per_unit = 6, .threads = 1}, total);
    const double threshold = selector.plan().rounds.back().threshold();
    const auto units = static_cast<std::size_t>(threshold * (method == count_laplace ? 6 : 1.5)) + 1;
    std::vector<std::vector<word_id>> lines;
    for (std::size_t i = 0; i < units; ++i) lines.push_back(i % 2 == 0 ? words(0, 2) : words(0, 3));
    const corpus without = make_corpus(lines, 40);
    for (const auto& extra : {words(0, 2), words(0, 6), words(2, 8)}) {
      auto more = lines;
      more.insert(more.begin(), extra);
      const corpus with = make_corpus(more, 40);
      CAPTURE(static_cast<int>(method), extra.size(), units);
      const std::function<bool(const vocabulary&)> events[] = {
          [](const vocabulary& v) { return v.find("w0").has_value(); },
          [](const vocabulary& v) { return !v.find("w0").has_value(); },
          [](const vocabulary& v) { return v.find("w2").has_value() || v.find("w5").has_value(); },
          [](const vocabulary& v) { return v.size() == 0; }};
      for (const auto& event : events) {
        const rate_interval a = rate(selector, with, 1000, event), b = rate(selector, without, 1000, event);
        CHECK(a.low <= std::exp(total.epsilon) * b.high + total.delta);
        CHECK(b.low <= std::exp(total.epsilon) * a.high + total.delta);
      }
    }
  }
}

TEST_CASE("A selector with two or three times the budget is caught", "[selector_privacy]") {
  // One word, which n or n + 1 units have: the case in which the noise protects least. With the unit, the word passes
  // with a probability of about 0.12.
  const double epsilon = 1, delta = 1e-3;
  const auto excess = [&](vocabulary_method method, double planned) {
    const vocabulary_selector selector({.method = method, .words_per_unit = 1, .threads = 1}, {planned, delta});
    const sparse_histogram_plan& last = selector.plan().rounds.back();
    const double noise = last.options().noise_multiplier;
    const bool laplace = last.options().noise == noise_kind::laplace;
    // Where there are rounds, the word has several chances.
    const double below = laplace ? 1.43 : selector.plan().rounds.size() > 1 ? 1.9 : 1.17;
    const auto units = static_cast<std::size_t>(std::lround(last.threshold() - below * noise));
    const std::vector<std::vector<word_id>> lines(units, {0});
    const corpus with = make_corpus(lines, 1), without = make_corpus({lines.begin() + 1, lines.end()}, 1);
    const auto shown = [](const vocabulary& chosen) { return chosen.size() > 0; };
    const std::uint64_t draws = 60000;
    return rate(selector, with, draws, shown).low - std::exp(epsilon) * rate(selector, without, draws, shown).high -
           delta;
  };
  for (const vocabulary_method method : methods) {
    CAPTURE(static_cast<int>(method));
    CHECK(excess(method, epsilon) <= 0);
    const bool once = method != rounds && method != informed_rounds;  // one event shows less of three rounds
    CHECK(excess(method, (once ? 2 : 3) * epsilon) > 0);
  }
}
