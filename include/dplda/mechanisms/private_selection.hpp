// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_PRIVATE_SELECTION_HPP
#define DPLDA_MECHANISMS_PRIVATE_SELECTION_HPP

// Claim: what publish() returns satisfies the event that it writes: the best of a random number of runs, each of which
//   costs the planned ledger, priced as accounting/selection.hpp says.
// Preconditions, which the caller owes:
//   - The random source is secret, and ChaCha20's bits stand for uniform independent ones: the claim is computational.
//   - A run is a function of the data, the number of its candidate, and its own random source, in which all that it
//     returns satisfies the ledger that it writes; the score is a function of what it returns. It keeps nothing from
//     one run for another, and shows nothing in any other way: no message, no file, no exception that depends on data.
//   - Nobody is told how many runs there were. (Time is not hidden; see the limits of this room.)
//   - The list of candidates is public.
// Argument: the event is in the ledger before the number of runs is drawn. The number has exactly its law
//   (random/number_of_runs.hpp), from a stream of a fork that nothing else uses; the candidates of the runs come
//   from the same stream. Each run has a fork of its own and writes into a ledger of its own, which must be a part of the planned one. The
//   first of the best scores wins, and runs are exchangeable, so equal scores are decided as by chance. NaN counts as
//   the worst score. Only the winner's value is kept.
// Test: tests/mechanisms/private_selection_test.cpp

#include <dplda/accounting/ledger.hpp>
#include <dplda/accounting/selection.hpp>
#include <dplda/random/number_of_runs.hpp>
#include <dplda/random/source.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

template <BitGenerator64 Generator>
std::uint64_t draw_runs(const negative_binomial_runs& runs, Generator& bits) {
  return truncated_negative_binomial(bits, runs.shape, runs.stop);
}
template <BitGenerator64 Generator>
std::uint64_t draw_runs(const poisson_runs& runs, Generator& bits) {
  return poisson_number(bits, runs.mean);
}

}  // namespace detail

/// Runs a private computation a random number of times and publishes the best result.
///
///   dplda::private_selection best(dplda::runs_with_mean(10), learner.plan().ledger);
///   auto topics = best.publish(candidates.size(), run, score, random, spent);
///
/// where run(candidate, random, ledger) returns a released value and writes its ledger, and score(value) says how good
/// it is.
template <class Runs>
class private_selection {
 public:
  /// `one_run` is what each run costs at most. Throws std::invalid_argument on a law without a meaning (see
  /// runs_with_mean, poisson_number), or if the ledger is empty.
  private_selection(Runs runs, ledger one_run, std::string label = {})
      : runs_(runs), one_run_(std::move(one_run)), label_(std::move(label)) {
    detail::require(!one_run_.empty(), "private_selection", "the ledger of one run", "empty", "must hold an event");
    check(event());
  }

  /// The event of one selection.
  privacy_event event() const {
    const privacy_event& first = one_run_.entries().front().event;
    return {.noise = best_of<Runs>{runs_, one_run_}, .unit = first.unit, .relation = first.relation, .label = label_};
  }

  /// The best value of a secret number of runs; nothing if a Poisson number is 0. Writes the event before the first
  /// run. Throws std::invalid_argument if there are no candidates or the ledger refuses the event, and std::logic_error
  /// if a run spent what one_run does not have.
  template <class Run, class Score>
  requires std::invocable<Run&, std::uint64_t, random_source&, ledger&>
  auto publish(std::uint64_t candidates, Run&& run, Score&& score, random_source& random, ledger& spent) const {
    using value_type = std::decay_t<std::invoke_result_t<Run&, std::uint64_t, random_source&, ledger&>>;
    detail::require(candidates > 0, "private_selection::publish", "number of candidates", candidates,
                    "must be at least 1");
    spent.record(event());
    if (random.seeded() || one_run_.seeded()) spent.mark_seeded();
    chacha20 bits = random.fork().stream("number of runs");
    const std::uint64_t runs = detail::draw_runs(runs_, bits);
    std::optional<value_type> best;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::uint64_t i = 0; i < runs; ++i) {
      random_source own = random.fork();
      const std::uint64_t candidate = uniform_below(bits, candidates);
      ledger cost;
      value_type value = run(candidate, own, cost);
      if (!one_run_.contains(cost)) {
        throw std::logic_error("dplda::private_selection: a run spent more than the planned ledger of one run");
      }
      if (cost.seeded()) spent.mark_seeded();
      const double points = score(std::as_const(value));
      if (best && !(points > highest)) continue;
      if (!std::isnan(points)) highest = points;
      best = std::move(value);
    }
    return best;
  }

 private:
  Runs runs_;
  ledger one_run_;
  std::string label_;
};

}  // namespace dplda::inline v0_1

#endif
