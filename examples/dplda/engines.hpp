// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_ENGINES_HPP
#define DPLDA_EXAMPLES_DPLDA_ENGINES_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/earlier_topics.hpp>
#include <dplda/inference/public_text.hpp>
#include <dplda/pipeline/any_private_learner.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input.hpp"

namespace CLI {
class App;
}

namespace dplda_program {

/// The budget and the unit that it protects: all of it public.
struct budget_options {
  double epsilon = 2;
  std::optional<double> asked_delta = {};
  std::optional<std::uint64_t> stated_units = {};  ///< roughly how many there are
  std::string unit = "auto";
  std::optional<std::uint64_t> seed = {};
  std::size_t threads = 0;

  /// The number of units that plans are made for, as the library rounds it: the stated number, or a default.
  std::uint64_t units() const { return dplda::rounded_count(stated_units.value_or(10000)); }
  /// The same, or 0 if none was stated.
  std::uint64_t known_units() const { return stated_units ? units() : 0; }
  /// The delta asked for, or one far below 1 / units(); if no number was stated, one that is small for any usual
  /// number.
  double delta() const {
    if (asked_delta) return *asked_delta;
    return stated_units ? std::min(1e-6, 0.005 / static_cast<double>(units())) : 1e-9;
  }
  /// The unit to protect: by default users, if there are any.
  dplda::privacy_unit unit_of(const input_options& input) const;
  dplda::random_source random() const;
};

/// How topics are to be learned: all of it public.
struct learning_options : budget_options {
  std::string engine = "svi";
  std::size_t topics = 20;
  bool topics_by_rule = false;                      ///< their number follows from units and epsilon
  std::size_t longest_phrase = 1;                   ///< how many words a phrase may have; 1: words alone
  std::optional<std::uint64_t> stated_length = {};  ///< roughly how many different words a typical unit has
  std::string vocabulary;                           ///< the file of a public one; empty: words are chosen privately
  std::vector<std::string> public_paths = {};       ///< files or folders of public text
  std::string public_model = {};                    ///< the folder of public topics; empty: none
  std::optional<dplda::public_topics> public_topics = {};
  std::optional<dplda::earlier_topics> earlier = {};  ///< to go on from
  dplda::budget dearest = {0, 0};                     ///< what all disjoint parts before cost each unit
  double memory = 1;                                  ///< how much of their counts is kept
  std::vector<dplda::public_text> public_texts = {};  ///< what they hold; a plan does not depend on it

  /// Only the forecast and the comparison with noise use it.
  std::uint64_t length() const { return dplda::rounded_count(stated_length.value_or(30)); }
};

void add_budget_options(CLI::App& command, budget_options& options);
void add_learning_options(CLI::App& command, learning_options& options);

/// Checks options against each other. Throws usage_error if they contradict.
void check(const budget_options& options, const input_options& input);

/// A way to learn topics, by name.
struct engine {
  std::string name, help;
  bool takes_public_text;  ///< and public topics, and earlier ones
  /// Plans a private fit, over public words or, if they are null, over words that are chosen privately.
  dplda::any_private_learner (*plan)(const learning_options&, dplda::privacy_unit, const dplda::vocabulary_ptr& words);
  /// Topics without any privacy.
  dplda::topic_model<> (*without_privacy)(const learning_options&, const dplda::corpus&, dplda::random_source&,
                                          const dplda::observer&);
};

/// All engines; the first is the default.
const std::vector<engine>& engines();

/// Plans a fit, over a public vocabulary or, if that is null, over words that are chosen privately.
/// Throws usage_error if the options contradict each other or the budget cannot be met.
dplda::any_private_learner plan_fit(const learning_options& options, dplda::privacy_unit unit,
                                    const dplda::vocabulary_ptr& vocab);

/// Topics without any privacy.
dplda::topic_model<> fit_without_privacy(const learning_options& options, const dplda::corpus& docs,
                                         dplda::random_source& random, const dplda::observer& watch);

}  // namespace dplda_program

#endif
