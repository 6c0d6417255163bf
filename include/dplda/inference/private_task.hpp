// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TASK_HPP
#define DPLDA_INFERENCE_PRIVATE_TASK_HPP

// What all private learners share: checks of options, calibration, units, and what a fit may build on.
//
// Claim: the ledger that calibrated() returns costs at most the budget, and guarantee is its price. The units that
//   divided() returns are those of the plan.
// Preconditions: options and budget were fixed before anything of task.before was seen (otherwise see
//   mechanisms/detail/premises.hpp). book(z) is what a fit with the noise multiplier z records, task.before included.
// Argument: accounting/calibration.hpp, mechanisms/units.hpp, mechanisms/detail/premises.hpp.
// Test: tests/inference/learner_test.cpp, and the tests of the learners.

#include <dplda/accounting/calibration.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/inference/learner.hpp>
#include <dplda/mechanisms/accumulator_plan.hpp>
#include <dplda/mechanisms/detail/premises.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/units.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// What a plan does, for people: names and values.
using plan_figures = std::vector<std::pair<std::string, std::string>>;

/// The result of calibration: the least noise, what is spent with it, and its price.
struct calibrated_noise {
  double multiplier;
  dplda::ledger ledger;
  dplda::guarantee guarantee;
};

/// The options that all private learners share. A learner's options have fields of the same names, so users can write
/// {.topics = 20, .units = 60000}, and task_of collects them. A learner without its own options takes a task instead.
struct private_task {
  std::size_t topics = 20;
  /// The public number of units (documents or users), or a guess of it: a wrong guess costs utility, not privacy. Under
  /// add_remove it must not be counted in the data, and learners round it (planned_units).
  std::uint64_t units = 0;
  /// The size of the vocabulary, which must be public or released.
  std::size_t words = 0;
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  /// What else is spent on the same data from the same budget. The plan pays for it, and the release's ledger begins
  /// with it. Fix all options before any of its results is seen.
  dplda::ledger before = {};
  dplda::accountant accountant = accountant::best;
  std::size_t threads = 0;                  ///< 0: as many as the machine runs at once; never changes the result
  const char* learner = "private learner";  ///< its name, for messages

  /// Throws std::invalid_argument unless there are topics, units and words, and the unit is a document or a user.
  void validate() const;

  /// A sum over units, with room for four times the stated number. Set the remaining options yourself.
  accumulator_options sum(std::size_t rows, std::size_t row_size, double multiplier, const char* label) const;

  /// The least noise that the budget allows, where book(z) is the ledger with the noise multiplier z. Throws
  /// std::invalid_argument if the budget cannot be met.
  template <class Book>
  calibrated_noise calibrated(const Book& book, const budget& total) const {
    const double z = smallest_noise(book, total, accountant);
    dplda::ledger planned = book(z);
    dplda::guarantee priced = price(planned, total.delta, accountant);
    priced.assumes_fixed_plans = !before.empty();
    return {z, std::move(planned), std::move(priced)};
  }

  /// The documents, divided into the units of the plan. Throws std::invalid_argument if their number of words differs,
  /// if the unit is the user but the corpus has no users, if two units have the same id, in one process or in two, or,
  /// under `replace`, if the number of units is not the stated one, that of all processes together.
  divided_corpus divided(const divided_corpus& docs, const process_group& processes = {}) const;

  /// What is spent before a fit over a public vocabulary. Throws std::invalid_argument if it is not declared public.
  const dplda::ledger& spent_before(const divided_corpus& docs) const;

  /// The same for a fit that builds on an earlier release. Throws std::invalid_argument if `before` does not pay for it,
  /// if its guarantee is not proven, or if it is for another part of the data than `part`.
  template <class T>
  dplda::ledger spent_before(const release<T>& earlier, const std::string& part = {}) const {
    return detail::spent_before(learner, earlier, before, part);
  }
};

/// The number of units that a plan is made for. Under add_remove the exact number is private, and a plan is published: it
/// has the stated number rounded (rounded_count). Under `replace` the number is public and stays.
inline std::uint64_t planned_units(std::uint64_t stated, neighbours relation) {
  return relation == neighbours::add_remove ? rounded_count(stated) : stated;
}

/// The task in a learner's options, which get the number of units that is planned for (planned_units).
template <PrivateLearnerOptions Options>
private_task task_of(const char* learner, Options& o) {
  o.units = planned_units(o.units, o.relation);
  return {o.topics, o.units, o.words, o.unit, o.relation, o.before, o.accountant, o.threads, learner};
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/detail/private_task.ipp>
#endif

#endif
