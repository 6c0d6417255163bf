// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_LEARNER_HPP
#define DPLDA_INFERENCE_LEARNER_HPP

// What a learner is. A learner that meets these concepts works wherever the library takes a learner: see
// inference/README.md and examples/own_learner.cpp.

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace dplda::inline v0_1 {

/// Learns topics from a corpus: an object with fit(corpus, random_source&), such as svi, or a function of the same two.
/// The number of topics must not depend on the corpus; topics are over the corpus's vocabulary.
template <class Learner>
concept TopicLearner = requires(const Learner& learner, const corpus& docs, random_source& random) {
  { learner.fit(docs, random) } -> std::convertible_to<topic_model<>>;
}
|| std::is_invocable_r_v<topic_model<>, const Learner&, const corpus&, random_source&>;

/// Learns topics with a guarantee: fit(corpus, random_source&) returns a release.
template <class Learner>
concept ReleasingLearner = requires(const Learner& learner, const corpus& docs, random_source& random) {
  { learner.fit(docs, random) } -> std::same_as<release<topic_model<>>>;
};

/// A learner that an audit can attack: any learner of topics, private or not.
template <class Learner>
concept AuditableLearner = TopicLearner<Learner> || ReleasingLearner<Learner>;

/// The options that all private learners share. private_task.hpp reads them in the same way for all.
template <class Options>
concept PrivateLearnerOptions = requires(Options o) {
  { o.topics } -> std::convertible_to<std::size_t>;
  { o.units } -> std::convertible_to<std::uint64_t>;
  { o.words } -> std::convertible_to<std::size_t>;
  { o.unit } -> std::convertible_to<privacy_unit>;
  { o.relation } -> std::convertible_to<neighbours>;
  { o.before } -> std::convertible_to<ledger>;
  { o.accountant } -> std::convertible_to<accountant>;
  { o.threads } -> std::convertible_to<std::size_t>;
};

/// A learner that plans before it reads. Built from options and a budget, it knows its guarantee and its ledger, and
/// fit() spends exactly that. It learns over a public vocabulary, or over a released one that options().before pays
/// for. for_words(n) is the same learner for n words, with the same events and without another calibration: the
/// pipeline knows the number of words only when it has chosen them.
template <class Learner>
concept PrivateLearner = PrivateLearnerOptions<typename Learner::options_type> &&
    std::constructible_from<Learner, typename Learner::options_type, budget> &&
    requires(const Learner& learner, const divided_corpus& docs, const release<vocabulary_ptr>& words,
             random_source& random, const observer& watch) {
  { learner.options() } -> std::convertible_to<typename Learner::options_type>;
  { learner.guarantee() } -> std::convertible_to<guarantee>;
  { learner.plan().ledger } -> std::convertible_to<ledger>;
  { learner.for_words(std::size_t{1}) } -> std::convertible_to<Learner>;
  { learner.fit(docs, random, watch) } -> std::same_as<release<topic_model<>>>;
  { learner.fit(words, docs, random, watch) } -> std::same_as<release<topic_model<>>>;
};

class private_topics_state;

/// A private learner whose fits can be kept between two steps, and taken up again: private_svi and private_gibbs.
template <class Learner>
concept StatefulLearner = PrivateLearner<Learner> &&
    requires(const Learner& learner, private_topics_state& state, const divided_corpus& docs,
             const release<vocabulary_ptr>& words, random_source& random, const observer& watch) {
  { learner.start(docs, random) } -> std::same_as<private_topics_state>;
  { learner.start(words, docs, random) } -> std::same_as<private_topics_state>;
  { learner.resume(state, docs, random, watch) } -> std::same_as<release<topic_model<>>>;
};

namespace detail {

template <class Model>
const Model& model_of(const Model& model) {
  return model;
}
template <class Model>
const Model& model_of(const release<Model>& released) {
  return released.value();
}

/// Calls fit, with the observer if fit takes one. Returns a model or a release of one.
template <AuditableLearner Learner>
auto watched_fit(const Learner& learner, const corpus& docs, random_source& random, const observer& watch) {
  if constexpr (requires { learner.fit(docs, random, watch); }) {
    return learner.fit(docs, random, watch);
  } else if constexpr (requires { learner.fit(docs, random); }) {
    return learner.fit(docs, random);
  } else {
    return std::invoke(learner, docs, random);
  }
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
