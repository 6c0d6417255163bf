// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_BENCHMARKS_SUPPORT_SCORE_HPP
#define DPLDA_BENCHMARKS_SUPPORT_SCORE_HPP

// The scores of a model that every benchmark of utility reports.

#include <dplda/dplda.hpp>

#include "results.hpp"

namespace dplda_benchmarks {

struct scores {
  double token = none;          ///< document-completion perplexity, by tokens
  double type = none;           ///< the same by distinct words: what a model knows beyond repetition
  double control_token = none;  ///< of shuffled_topics(model): a score that the control reaches does not measure topics
  double control_type = none;
  double npmi = none;         ///< mean NPMI coherence of 10 words a topic
  double recovery_l1 = none;  ///< mean l1 distance of a true topic from the one matched to it, where the truth is known
};

struct score_options {
  double alpha = 0.1;                        ///< as perplexity_options
  const dplda::corpus* reference = nullptr;  ///< documents that coherence is counted in; nullptr: the held-out ones
  const dplda::topic_model<>* truth = nullptr;
};

/// The mean l1 distance between topics and the true ones, matched at the least total distance.
inline double recovery_l1(const dplda::topic_model<>& model, const dplda::topic_model<>& truth) {
  const auto matched = select_topics(model, align_topics(model, truth));
  over_seeds l1;
  for (const double distance : distance_per_topic(matched, truth, dplda::topic_distance::l1)) l1.add(distance);
  return l1.mean();
}

inline scores score(const dplda::topic_model<>& model, const dplda::corpus& held_out, dplda::random_source& random,
                    const score_options& options = {}) {
  const dplda::topic_model<> control = shuffled_topics(model, random);
  const dplda::perplexity_options how{.alpha = options.alpha};
  return {.token = document_completion_perplexity(model, held_out, how).perplexity,
          .type = type_completion_perplexity(model, held_out, how).perplexity,
          .control_token = document_completion_perplexity(control, held_out, how).perplexity,
          .control_type = type_completion_perplexity(control, held_out, how).perplexity,
          .npmi = npmi_coherence(model, options.reference != nullptr ? *options.reference : held_out).mean,
          .recovery_l1 = options.truth != nullptr ? recovery_l1(model, *options.truth) : none};
}

/// Adds all scores under their names; none if nothing was released.
inline void add_scores(results& table, const run_of& run, const scores& values) {
  table.add(run, "token", values.token);
  table.add(run, "type", values.type);
  table.add(run, "control_token", values.control_token);
  table.add(run, "control_type", values.control_type);
  table.add(run, "npmi", values.npmi);
  if (!std::isnan(values.recovery_l1)) table.add(run, "recovery_l1", values.recovery_l1);
}

/// Adds the scores of a model without topics: frequencies of tokens for the token score, frequencies of distinct words
/// for the type score, each the best of its kind. It has no topics to shuffle or to call coherent.
inline void add_unigram(results& table, run_of run, const dplda::corpus& train, const dplda::corpus& held_out) {
  run.learner = "unigram";
  table.add(run, "token", unigram_perplexity(train, held_out).perplexity);
  table.add(run, "type", type_completion_perplexity(dplda::unigram_model(each_word_once(train)), held_out).perplexity);
}

}  // namespace dplda_benchmarks

#endif
