// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PIPELINE_ANY_PRIVATE_LEARNER_HPP
#define DPLDA_PIPELINE_ANY_PRIVATE_LEARNER_HPP

// Claim: guarantee(), ledger() and every release are those of the learner inside.
// Preconditions: those of the learner.
// Argument: each call is passed on unchanged.
// Test: tests/pipeline/any_private_learner_test.cpp

#include <dplda/core/rounding.hpp>
#include <dplda/inference/learner.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/inference/private_topics/state.hpp>
#include <dplda/pipeline/forecast.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace dplda::inline v0_1 {

/// A fit that has begun: its state, and the words that topics are learned over.
struct stateful_start {
  private_topics_state state;
  vocabulary_ptr words;
};

/// A planned private learner of any kind, for programs that choose one at run time. Copies share the plan.
///
///   dplda::any_private_learner learner = dplda::private_svi({.topics = 20, .units = 60000, .words = 5000}, total);
///   if (sampling) learner = dplda::private_gibbs({.topics = 20, .units = 60000, .words = 5000}, total);
///   const auto released = learner.fit(docs, random);
class any_private_learner {
 public:
  /// A learner over a public vocabulary.
  template <PrivateLearner Learner>
  any_private_learner(Learner learner) : self_(std::make_shared<over_public_words<Learner>>(std::move(learner))) {}
  /// A learner whose words are chosen privately.
  template <PrivateLearner Learner>
  any_private_learner(fully_private_topics<Learner> learner)
      : self_(std::make_shared<over_chosen_words<Learner>>(std::move(learner))) {}

  const dplda::guarantee& guarantee() const { return self_->guarantee(); }
  /// What a fit will spend.
  const dplda::ledger& ledger() const { return self_->ledger(); }
  /// What a fit will do, for people to read.
  plan_figures figures() const { return self_->figures(); }
  /// The input of forecast_topics, for units of about `length` different words. noise is 0 if the learner does not say
  /// how much noise is left on its topic table: then there is no forecast of topics.
  forecast_options forecast_from(double length) const {
    forecast_options from = self_->forecast();
    from.length = length;
    return from;
  }

  /// Whether words are chosen privately first.
  bool chooses_words() const { return self_->chooses_words(); }
  /// The first half of a fit: fully_private_topics::choose_words. Throws std::logic_error if words are public.
  planned_words choose_words(const divided_corpus& docs, random_source& random) const {
    return self_->choose_words(docs, random);
  }
  /// The same for texts, with phrases if they were planned. The second half takes documents(words, texts).
  planned_words choose_words(const ordered_texts& texts, random_source& random) const {
    return self_->choose_words(texts, random);
  }
  /// fully_private_topics::documents. Throws std::logic_error if words are public.
  corpus documents(const planned_words& words, const ordered_texts& texts) const {
    return self_->documents(words, texts);
  }
  /// The second half of a fit. Throws as the learner's fit does, and std::logic_error if words are public.
  release<topic_model<>> fit(const planned_words& words, const divided_corpus& docs, random_source& random,
                             const observer& watch = {}) const {
    return self_->fit(words, docs, random, watch);
  }
  /// Both halves. Throws as the learner's fit does.
  release<topic_model<>> fit(const divided_corpus& docs, random_source& random, const observer& watch = {}) const {
    return self_->fit(docs, random, watch);
  }

  /// Whether a fit can be kept between steps and taken up again: start and resume, which throw std::logic_error otherwise.
  bool has_states() const { return self_->has_states(); }
  /// The state before the first step, over `words` if they were chosen privately. Throws as the learner's start does.
  stateful_start start(const planned_words* words, const divided_corpus& docs, random_source& random) const {
    return self_->start(words, docs, random);
  }
  /// Does the remaining steps over the words of the start. Throws as the learner's resume does.
  release<topic_model<>> resume(private_topics_state& state, const vocabulary_ptr& words, const divided_corpus& docs,
                                random_source& random, const observer& watch = {}) const {
    return self_->resume(state, words, docs, random, watch);
  }

 private:
  struct any {
    virtual ~any() = default;
    virtual const dplda::guarantee& guarantee() const = 0;
    virtual const dplda::ledger& ledger() const = 0;
    virtual plan_figures figures() const = 0;
    virtual forecast_options forecast() const = 0;
    virtual bool chooses_words() const = 0;
    virtual planned_words choose_words(const divided_corpus&, random_source&) const = 0;
    virtual planned_words choose_words(const ordered_texts&, random_source&) const = 0;
    virtual corpus documents(const planned_words&, const ordered_texts&) const = 0;
    virtual release<topic_model<>> fit(const planned_words&, const divided_corpus&, random_source&,
                                       const observer&) const = 0;
    virtual release<topic_model<>> fit(const divided_corpus&, random_source&, const observer&) const = 0;
    virtual bool has_states() const = 0;
    virtual stateful_start start(const planned_words*, const divided_corpus&, random_source&) const = 0;
    virtual release<topic_model<>> resume(private_topics_state&, const vocabulary_ptr&, const divided_corpus&,
                                          random_source&, const observer&) const = 0;
  };

  [[noreturn]] static void refuse_states() {
    throw std::logic_error("dplda::any_private_learner: this learner has no states; see has_states()");
  }

  // What is the same for both kinds.
  template <class Whole>
  struct holding : any {
    explicit holding(Whole planned) : whole(std::move(planned)) {}
    const dplda::guarantee& guarantee() const override { return whole.guarantee(); }
    const dplda::ledger& ledger() const override { return whole.plan().ledger; }
    release<topic_model<>> fit(const divided_corpus& docs, random_source& random,
                               const observer& watch) const override {
      return whole.fit(docs, random, watch);
    }

    // The figures of a learner's plan, or the labels of what it releases.
    template <class Learner>
    static plan_figures with_figures_of(const Learner& learner, std::string words) {
      plan_figures all{{"words", std::move(words)}};
      if constexpr (requires { learner.plan().figures(); }) {
        for (auto& figure : learner.plan().figures()) all.push_back(std::move(figure));
      } else {
        for (const auto& entry : learner.plan().ledger.entries())
          all.emplace_back(entry.event.label,
                           detail::text("released ", entry.count, entry.count == 1 ? " time" : " times"));
      }
      return all;
    }

    template <class Learner>
    static forecast_options forecast_of(const Learner& learner) {
      forecast_options from{.units = static_cast<double>(learner.options().units), .topics = learner.options().topics};
      if constexpr (requires { learner.plan().noise_left; }) from.noise = learner.plan().noise_left;
      return from;
    }

    Whole whole;
  };

  template <class Learner>
  struct over_public_words : holding<Learner> {
    using holding<Learner>::holding;
    using holding<Learner>::whole;
    plan_figures figures() const override {
      const char* from = "public, ";
      if constexpr (requires { whole.options().earlier; }) {
        if (whole.options().earlier) from = "those of the earlier topics, ";
      }
      return this->with_figures_of(whole, detail::text(from, whole.options().words));
    }
    forecast_options forecast() const override {
      forecast_options from = this->forecast_of(whole);
      from.words = whole.options().words;
      return from;
    }
    bool chooses_words() const override { return false; }
    bool has_states() const override { return StatefulLearner<Learner>; }
    stateful_start start(const planned_words* words, const divided_corpus& docs, random_source& random) const override {
      if (words != nullptr) refuse("start");
      if constexpr (StatefulLearner<Learner>) return {whole.start(docs, random), docs.docs().vocab()};
      refuse_states();
    }
    release<topic_model<>> resume(private_topics_state& state, const vocabulary_ptr& words, const divided_corpus& docs,
                                  random_source& random, const observer& watch) const override {
      if constexpr (StatefulLearner<Learner>) return whole.resume(state, docs.restrict_to(words), random, watch);
      refuse_states();
    }
    planned_words choose_words(const divided_corpus&, random_source&) const override { refuse("choose_words"); }
    planned_words choose_words(const ordered_texts&, random_source&) const override { refuse("choose_words"); }
    corpus documents(const planned_words&, const ordered_texts&) const override { refuse("documents"); }
    using holding<Learner>::fit;
    release<topic_model<>> fit(const planned_words&, const divided_corpus&, random_source&,
                               const observer&) const override {
      refuse("fit");
    }
    [[noreturn]] static void refuse(const char* function) {
      throw std::logic_error(
          detail::text("dplda::any_private_learner::", function, ": the words are public; call fit(docs, random)"));
    }
  };

  template <class Learner>
  struct over_chosen_words : holding<fully_private_topics<Learner>> {
    using holding<fully_private_topics<Learner>>::holding;
    using holding<fully_private_topics<Learner>>::whole;
    plan_figures figures() const override {
      return this->with_figures_of(
          whole.learner(),
          (whole.options().longest_phrase > 1
               ? detail::text("and phrases of up to ", whole.options().longest_phrase, " words, chosen privately, for ")
               : std::string("chosen privately, for ")) +
              significant(100 * whole.plan().vocabulary_share) + " % of epsilon if taken alone");
    }
    forecast_options forecast() const override {
      const vocabulary_options& words = whole.options().vocabulary;
      detail::require(
          words.method == vocabulary_options{}.method && words.words_per_unit == vocabulary_options{}.words_per_unit,
          "any_private_learner::forecast_from", "the vocabulary's method or words_per_unit", "another than the default",
          "must be the default: forecasts were calibrated with it");
      forecast_options from = this->forecast_of(whole.learner());
      from.threshold = whole.plan().vocabulary.rounds.back().threshold();
      return from;
    }
    bool chooses_words() const override { return true; }
    bool has_states() const override { return StatefulLearner<Learner>; }
    stateful_start start(const planned_words* words, const divided_corpus& docs, random_source& random) const override {
      if (words == nullptr)
        throw std::logic_error("dplda::any_private_learner::start: words are chosen privately; give them");
      if constexpr (StatefulLearner<Learner>) return {whole.start(*words, docs, random), whole.words_of(*words)};
      refuse_states();
    }
    release<topic_model<>> resume(private_topics_state& state, const vocabulary_ptr& words, const divided_corpus& docs,
                                  random_source& random, const observer& watch) const override {
      if constexpr (StatefulLearner<Learner>) return whole.resume(state, words, docs, random, watch);
      refuse_states();
    }
    planned_words choose_words(const divided_corpus& docs, random_source& random) const override {
      return whole.choose_words(docs, random);
    }
    planned_words choose_words(const ordered_texts& texts, random_source& random) const override {
      return whole.choose_words(texts, random);
    }
    corpus documents(const planned_words& words, const ordered_texts& texts) const override {
      return whole.documents(words, texts);
    }
    using holding<fully_private_topics<Learner>>::fit;
    release<topic_model<>> fit(const planned_words& words, const divided_corpus& docs, random_source& random,
                               const observer& watch) const override {
      return whole.fit(words, docs, random, watch);
    }
  };

  std::shared_ptr<const any> self_;
};

/// Plans a learner of this kind: over public words or, if these are null, over words that are chosen privately first,
/// and phrases of up to `longest_phrase` words. Over public words it sets options.words. Throws as the learner's
/// constructor and fully_private_topics do.
template <PrivateLearner Learner>
any_private_learner plan_learner(typename Learner::options_type options, const vocabulary_ptr& public_words,
                                 const budget& total, std::size_t longest_phrase = 1) {
  if (public_words != nullptr) {
    options.words = public_words->size();
    return Learner(std::move(options), total);
  }
  const vocabulary_options words{.unit = options.unit, .threads = options.threads};
  return fully_private_topics<Learner>(
      {.vocabulary = words, .topics = std::move(options), .longest_phrase = longest_phrase}, total);
}

}  // namespace dplda::inline v0_1

#endif
