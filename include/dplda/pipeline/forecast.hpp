// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PIPELINE_FORECAST_HPP
#define DPLDA_PIPELINE_FORECAST_HPP

// What a private fit will give, from public numbers alone: before a document is read, and at no cost. How it was
// calibrated and how often it was right: benchmarks/papers/forecast.sh and benchmarks/README.md.

#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <string>

namespace dplda::inline v0_1 {

/// What to expect of a fit, in ascending order. Each includes what the one before promises.
enum class outlook {
  no_words,          ///< few words or none are released; none if most_words is 0
  frequencies_only,  ///< words with their frequencies; topics may be jumbled
  some_topics,       ///< topics that tell more than word frequencies
  good_topics        ///< about half of what topics without privacy tell beyond word frequencies, or more
};

inline std::ostream& operator<<(std::ostream& out, outlook what) {
  switch (what) {
    case outlook::no_words:
      return out << "no words";
    case outlook::frequencies_only:
      return out << "no more than word frequencies";
    case outlook::some_topics:
      return out << "some topics";
    case outlook::good_topics:
      return out << "good topics";
  }
  return out;
}
inline std::string to_string(outlook what) { return detail::text(what); }

/// The public numbers that decide what a fit gives.
struct forecast_options {
  double units = 0;   ///< about how many documents or users there are
  double length = 0;  ///< about how many different words a typical one has; stop words do not count
  std::size_t topics = 0;
  double noise = 0;  ///< on each number of the topic table, after averaging: private_topics_plan::noise_left
  /// The size of a public vocabulary (`length` then counts its words only); 0: words are chosen privately.
  std::size_t words = 0;
  double threshold = 0;  ///< for words that are chosen privately: of the last round of their vocabulary_plan
};

struct topic_forecast {
  outlook verdict = outlook::no_words;
  /// The range of the number of released words; both are the size of a public vocabulary if there is one.
  double fewest_words = 0, most_words = 0;
  double words_left = 0;       ///< different words of a typical unit that are among the released ones: a low estimate
  double signal_to_noise = 0;  ///< of the mean number in the topic table
  double strength = 0;         ///< what the verdict on topics rests on
};

namespace detail {

// Texts without stop words are alike in one respect. Let units give 1 / sqrt(k) to each of their k
// different words, k = m in the median. Then the word of rank r gets about sqrt(m) a / (r + b) of each unit: for the
// tweets, reviews, articles, papers, messages and commit logs of benchmarks/README.md, a is 0.15 to 0.27 and b 30 to
// 90.
inline constexpr double word_share = 0.2, word_offset = 60;
// A word passes the rounds of a selection where its weight is about a third to a half of the last threshold, as units
// leave out what was released before and what has no hope.
inline constexpr double fewest_slope = 0.3, fewest_offset = 70, most_slope = 0.45, most_offset = 40;
// Where hardly any word passes, this many may, if nearly all units have them.
inline constexpr double few_words = 5;
// The boundaries between verdicts, above all fits of the calibration that gave less.
inline constexpr double some_strength = 31, good_strength = 72, some_signal = 0.5, good_signal = 1;
// Texts keep from 0.7 to 1.7 times as many of their words as share_of_words says.
inline constexpr double caution = 0.7;
// A longer unit is taken to have this many different words. In long texts the most frequent words, which are released
// first, are in nearly every unit and tell little about topics.
inline constexpr double longest_unit = 80;
// The largest number of words that a unit names: vocabulary_options.words_per_unit.
inline constexpr double spoken_words = 256;

}  // namespace detail

/// About the share of a unit's different words that are among this many most frequent ones, without stop words.
inline double share_of_words(double most_frequent) {
  return std::min(1.0, detail::word_share * std::log1p(most_frequent / detail::word_offset));
}

/// The weight of a word that all units have, when words are chosen privately: it passes if that is well above the
/// threshold.
inline double weight_of_a_word_of_all(const forecast_options& o) {
  return o.units / std::sqrt(std::min(o.length, detail::spoken_words));
}

/// What to expect. The forecast is cautious: texts differ in how clear their topics are, which no public number tells.
/// Texts without topics give none, whatever this says. Throws std::invalid_argument if units, length,
/// topics or noise is not positive and finite, or if not exactly one of words and threshold is given.
inline topic_forecast forecast_topics(const forecast_options& o) {
  const char* const function = "forecast_topics";
  const auto positive = [&](double x) { return x > 0 && x < std::numeric_limits<double>::infinity(); };
  detail::require(positive(o.units), function, "units", o.units, "must be positive and finite");
  detail::require(positive(o.length), function, "length", o.length, "must be positive and finite");
  detail::require(o.topics >= 1, function, "topics", o.topics, "must be at least 1");
  detail::require(positive(o.noise), function, "noise", o.noise, "must be positive and finite");
  detail::require(o.words == 0 ? positive(o.threshold) : o.threshold == 0, function, "threshold", o.threshold,
                  "must be positive where words are chosen privately, and 0 where they are public");
  topic_forecast result;
  result.fewest_words = result.most_words = static_cast<double>(o.words);
  result.words_left = detail::caution * std::min(o.length, detail::longest_unit);
  if (o.words == 0) {
    const double spoken = std::sqrt(std::min(o.length, detail::spoken_words));
    const double everywhere =
        weight_of_a_word_of_all(o) / o.threshold;  // what a word of all units has, over the threshold
    const double spread = o.units * spoken / o.threshold;
    result.fewest_words = std::floor(std::max(0.0, detail::fewest_slope * spread - detail::fewest_offset));
    result.most_words = std::floor(std::max(detail::few_words, detail::most_slope * spread - detail::most_offset));
    // In the last round a word of less than half the threshold is given up.
    if (everywhere < 0.5) result.fewest_words = result.most_words = 0;
    result.words_left *= share_of_words(result.fewest_words);
  }
  if (result.fewest_words < 1) return result;
  result.signal_to_noise =
      o.units * std::sqrt(result.words_left) / (static_cast<double>(o.topics) * result.most_words * o.noise);
  result.strength = result.words_left * std::cbrt(result.signal_to_noise);
  const auto reaches = [&](double strength, double signal) {
    return result.strength >= strength && result.signal_to_noise >= signal;
  };
  result.verdict = reaches(detail::good_strength, detail::good_signal)   ? outlook::good_topics
                   : reaches(detail::some_strength, detail::some_signal) ? outlook::some_topics
                                                                         : outlook::frequencies_only;
  return result;
}

}  // namespace dplda::inline v0_1

#endif
