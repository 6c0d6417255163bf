// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_FORECAST_TEXT_HPP
#define DPLDA_EXAMPLES_DPLDA_FORECAST_TEXT_HPP

#include <dplda/pipeline/forecast.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "program.hpp"

// A forecast in sentences. The numbers behind it are public guesses, so all of it may be printed.

namespace dplda_program {

/// A guessed count in two significant digits, written out.
inline std::string about(double count) {
  const double scale = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(count, 1.0))) - 1));
  return number(scale * std::round(count / scale), 15);
}

/// The verdict alone, in a sentence.
inline std::string verdict_text(const dplda::topic_forecast& forecast) {
  switch (forecast.verdict) {
    case dplda::outlook::no_words:
      return forecast.most_words < 1 ? "Most likely no word will be released."
                                     : "Expect few words or none to be released.";
    case dplda::outlook::frequencies_only:
      return "Expect no more than word frequencies: topics may be jumbled. (Texts with clear topics may give more.)";
    case dplda::outlook::some_topics:
      return "Expect some topics: they should tell more than word frequencies, if the texts have topics.";
    case dplda::outlook::good_topics:
      return "Expect good topics, if the texts have topics.";
  }
  return {};
}

/// How many words will be released, in sentences; empty for a public list.
inline std::string words_text(const dplda::topic_forecast& forecast, const dplda::forecast_options& from,
                              const std::string& unit) {
  if (from.words > 0) return {};
  const double everywhere = dplda::weight_of_a_word_of_all(from);
  if (forecast.most_words < 1)
    return "Most likely no word will be released: a word that every " + unit + " uses reaches a weight of about " +
           number(everywhere, 3) + ", and the threshold is " + number(from.threshold, 3) + ". ";
  const double used = from.units * from.threshold / everywhere / 2;
  return "Between " + about(forecast.fewest_words) + " and " + about(forecast.most_words) +
         " words will be released; those that fewer than about " + about(std::ceil(used)) + ' ' + unit +
         "s use are likely to be left out. ";
}

/// The whole forecast: words, what is left of a unit, signal and noise, the verdict, and what would help.
inline std::string forecast_text(const dplda::topic_forecast& forecast, const dplda::forecast_options& from,
                                 const std::string& unit) {
  std::string text = words_text(forecast, from, unit);
  if (forecast.fewest_words >= 1) {
    if (from.words == 0)
      text += "A typical " + unit + " keeps about " + number(forecast.words_left, 2) + " different words. ";
    text += "The signal-to-noise ratio of the topic table is about " + number(forecast.signal_to_noise, 2) + ". ";
  }
  if (forecast.most_words >= 1) text += verdict_text(forecast) + ' ';
  if (forecast.verdict == dplda::outlook::no_words)
    text += "More text, a larger epsilon or a public list of words (--vocabulary) would help. ";
  if (forecast.verdict == dplda::outlook::frequencies_only)
    text += "More or longer texts, a larger epsilon or fewer topics would help. ";
  text.pop_back();
  return text;
}

/// What to expect of a plan, in sentences and as numbers.
struct plan_outlook {
  std::optional<dplda::topic_forecast> forecast;  ///< empty for an engine without a calibrated forecast
  std::string verdict;                            ///< one sentence
  std::string text;                               ///< the whole forecast
};

inline plan_outlook outlook_of(dplda::forecast_options from, const std::string& unit) {
  if (from.noise > 0) {
    const dplda::topic_forecast forecast = dplda::forecast_topics(from);
    return {forecast, verdict_text(forecast), forecast_text(forecast, from, unit)};
  }
  from.noise = 1;  // only the words are looked at
  const std::string none =
      "There is no forecast of topics for this engine: it was not calibrated. The engine svi is the better choice for "
      "most texts.";
  return {{}, none, words_text(dplda::forecast_topics(from), from, unit) + none};
}

inline json_value to_json(const dplda::topic_forecast& forecast) {
  return json_value::object{{"verdict", to_string(forecast.verdict)},
                            {"fewest_words", forecast.fewest_words},
                            {"most_words", forecast.most_words},
                            {"words_left_of_a_unit", forecast.words_left},
                            {"signal_to_noise", forecast.signal_to_noise}};
}

}  // namespace dplda_program

#endif
