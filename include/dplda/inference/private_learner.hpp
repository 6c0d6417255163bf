// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_LEARNER_HPP
#define DPLDA_INFERENCE_PRIVATE_LEARNER_HPP

// Claim: what fit() returns is (epsilon, delta)-DP for the unit and the neighbours of the task, with the epsilon and delta
//   of guarantee(), which is known before a document is read.
// Preconditions: Method::learn reads the documents only through mechanisms, whose preconditions it meets, and computes
//   its answer from their releases. Options and budget are public, and were fixed before anything of
//   options.before was seen (otherwise see mechanisms/detail/premises.hpp). Under `replace` the number of units is
//   public, too.
// Argument: the events that the mechanisms recorded are those of the plan, which is checked before anything is returned,
//   and the price of the plan is the guarantee. What the words cost, if they were released, is in `before`. Their number
//   is then a result of `before`, so the events must not depend on it: a fit over released words compares them with those
//   of another number.
// Test: tests/inference/learner_test.cpp, examples/own_learner.cpp.

#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/learner.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace dplda::inline v0_1 {

/// A private learner built from a method, which says what sums to release and how topics follow from them. Method has
///   options_type                                           private_task, or a struct with the same fields and more
///   name                                                   for messages
///   record(options, z, ledger&)                            the events of a fit with the noise multiplier z
///   learn(options, z, docs, random, ledger&, watch)        reads the documents, records what it spends, and returns a
///                                                          topic_model<> over docs.docs().vocab()
/// all static. The events must not depend on options.words. Example: examples/own_learner.cpp.
template <class Method>
class private_learner {
 public:
  using options_type = typename Method::options_type;

  /// Plans. Throws std::invalid_argument if an option is out of its range, or if the budget cannot be met.
  private_learner(options_type options, const budget& total)
      : options_(std::move(options)), task_(task_of(Method::name, options_)), plan_(planned(total)) {}

  const options_type& options() const noexcept { return options_; }
  const calibrated_noise& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// The same learner for another number of words, with the same noise. Throws std::logic_error, a mistake of the
  /// method, if its events depend on that number: the guarantee would not cover them.
  private_learner for_words(std::size_t words) const {
    private_learner other = *this;
    other.options_.words = other.task_.words = words;
    other.task_.validate();
    if (other.book(plan_.multiplier) != plan_.ledger)
      throw std::logic_error(
          detail::text("dplda::", task_.learner,
                       ": the method's events depend on options.words, which is known only after the words were "
                       "released; record events that do not"));
    return other;
  }

  /// Learns topics over a public vocabulary. Throws std::invalid_argument if it is not public (declare_public) or does
  /// not have options().words words, and as private_task::divided does; what the method throws; and std::logic_error if
  /// the method spent something other than planned, which is a bug in the method.
  release<topic_model<>> fit(const divided_corpus& docs, random_source& random, const observer& watch = {}) const {
    return learn(docs, random, task_.spent_before(docs), watch);
  }

  /// The same over privately chosen words: all other words are dropped from the documents. Also throws
  /// std::invalid_argument if options().before does not contain their ledger, and std::logic_error as for_words does.
  release<topic_model<>> fit(const release<vocabulary_ptr>& words, const divided_corpus& docs, random_source& random,
                             const observer& watch = {}) const {
    // Would the events be the same if another number of words had been released?
    for (const std::size_t other : {options_.words + 1, 2 * options_.words}) for_words(other);
    return learn(docs.restrict_to(words.value()), random, task_.spent_before(words), watch);
  }

 private:
  calibrated_noise planned(const budget& total) const {
    task_.validate();
    return task_.calibrated([&](double z) { return book(z); }, total);
  }

  dplda::ledger book(double z) const {
    dplda::ledger spent = task_.before;
    Method::record(options_, z, spent);
    return spent;
  }

  release<topic_model<>> learn(const divided_corpus& docs, random_source& random, dplda::ledger spent,
                               const observer& watch) const {
    topic_model<> topics =
        Method::learn(options_, plan_.multiplier, task_.divided(docs, random.processes()), random, spent, watch);
    if (!std::ranges::equal(spent.entries(), plan_.ledger.entries()))
      throw std::logic_error(detail::text("dplda::", task_.learner, ": a fit spent something else than was planned"));
    return release<topic_model<>>(std::move(topics), plan_.guarantee, std::move(spent));
  }

  options_type options_;
  private_task task_;
  calibrated_noise plan_;
};

}  // namespace dplda::inline v0_1

#endif
