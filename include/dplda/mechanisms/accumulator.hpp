// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_ACCUMULATOR_HPP
#define DPLDA_MECHANISMS_ACCUMULATOR_HPP

// Overview: mechanisms/README.md. Options: mechanisms/accumulator_plan.hpp.

// Claim: publish() is the Gaussian mechanism (or the Laplace mechanism) on the sum of the units' contributions, with
//   noise of at least `noise_multiplier` times its sensitivity under the stated unit and neighbours, followed by
//   post-processing: whatever holds for the continuous mechanism holds for the numbers that come out, also when
//   composed and subsampled. The event that it writes to the ledger says no more than that.
// Preconditions, which the engine owes and tests/support/grey_box.hpp checks:
//   - add() is called once for each unit that takes part, with the unit's whole contribution. That is a function of the
//     unit and of released values alone, bit for bit (no batched products, no shared random stream).
//   - If `sampling` is a sample, add() was called for the units of the batch that publish() is given, and their
//     identity stays secret. publish() takes only batches of samplers, each once, of the plan's own sampling and unit.
//   - The batches of an epoch (allocation_sampler) are published into the ledger of their own draw, or into one that it
//     is appended to once. publish() checks that the ledger holds an equal event; it cannot tell whose draw paid for it.
//   - The random source is secret, and ChaCha20 under a secret key cannot be told from uniform independent bits: the
//     claim is computational in this one respect.
//   - If processes share the source, each unit is in one of them, with all its documents and an id that no other has.
//     Sums travel between them without noise: they, and what lies between them, are one trust domain, which sees
//     nothing but the documents that it holds anyway (distributed/README.md).
// Argument:
//   1. A unit's values are scaled by a factor of its own and cut to integers. Its norm is then computed from these
//      integers, in 128 bits and without rounding, and a unit above the bound C contributes nothing, as does one with
//      a value that is not finite. So whatever the floating-point code above did, the integer vector q(x) of each unit
//      has norm <= C, and q(x) depends on x and the options only (mechanisms/detail/quantise.hpp).
//   2. The true sums S of two neighbouring inputs differ by q(x) or by q(x) - q(y). |q(x) - q(y)| <= 2 C in both norms;
//      for l2 and vectors without negative entries it is at most sqrt(2) C, since |a - b|^2 = |a|^2 + |b|^2 - 2 a.b <=
//      2 C^2. That bound is the sensitivity, Delta. (Under Poisson sampling with `replace`, the worst pair of units are
//      opposite ends of a line of length 2 C, also next to a unit that is not drawn: Lebeda, Regehr, Kamath and
//      Steinke, Avoiding pitfalls for privacy accounting of subsampled mechanisms, 2024. So 2 C is used there.)
//   3. The noise is floor(2^s Z) on every cell, touched or not, sampled exactly (random/floored_gaussian.hpp), and
//      S + floor(2^s Z) = floor(S + 2^s Z) for an integer S: post-processing of S + 2^s Z. What is computed is that
//      number modulo 2^64, as reduction commutes with addition: exact in any order of units, threads and machines, and
//      post-processing again, as is the conversion to floating point. Laplace noise likewise.
//   4. With the factor f = Delta / C of step 2, C = floor(2^s / (noise_multiplier f)), computed in double precision with a
//      relative error below 2^-51 and lowered by 2^-50 before floor, so 2^s / Delta >= noise_multiplier.
//   5. Each release draws from a key of its own (random_source::fork), each block of cells from a stream of its own: no
//      noise is used twice. Processes that share a key (shared_random) add their sums first, and then each draws the
//      noise of its own slice of blocks, from the streams that one process would use: publish() is one release of the
//      sum over all processes. They stop if their keys differ (detail::tag_of), so none is one release ahead. A key that is shared draws noise for such sums only, so no process can release its part,
//      and no two releases can have the same noise.
//   6. s and C follow from options, which are public; the sums can be read only through publish().
// Not promised: the time that add() and publish() take (Laplace noise is drawn by rejection, and so is a small part of
//   the Gaussian).
// Test: tests/mechanisms/{accumulator,quantise,mutants,grey_box}_test.cpp, tests/distributed/mechanisms_test.cpp.

#include <dplda/accounting/ledger.hpp>
#include <dplda/core/detail/prefetch.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/mechanisms/accumulator_plan.hpp>
#include <dplda/mechanisms/detail/quantise.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/discrete.hpp>
#include <dplda/random/floored_gaussian.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace dplda::inline v0_1 {

/// Exact integer sums of clipped contributions that leave with noise only.
///
/// Word counts of a random hundredth of the documents, and their price:
///
///   const dplda::privacy_units units(docs, dplda::privacy_unit::document);
///   const dplda::poisson_sampler sampler(0.01);
///   dplda::accumulator sums({.rows = public_words->size(), .clip = 10, .noise_multiplier = 1, .sampling = sampler.event()});
///   auto random = dplda::secure_random();
///   dplda::unit_batch batch = sampler.draw(units, random);
///   for (const std::size_t unit : batch.positions()) {
///     const dplda::document doc = docs[units.documents(unit).front()];
///     const std::vector<double> counts(doc.counts.begin(), doc.counts.end());
///     sums.add<double>(doc.words, counts);
///   }
///   dplda::ledger spent;
///   std::vector<double> noisy = sums.publish(std::move(batch), random, spent);
///   const auto priced = dplda::price(spent, 1e-6);
///   const dplda::release<std::vector<double>> released(std::move(noisy), priced, spent);
class accumulator {
 public:
  /// An empty table.
  explicit accumulator(accumulator_plan plan) : plan_(std::move(plan)), cells_(plan_.cells()) {}
  /// An empty table for the plan with these options. Throws as accumulator_plan does.
  explicit accumulator(accumulator_options options) : accumulator(accumulator_plan(std::move(options))) {}

  // Sums leave only through publish(); a copy could be released a second time.
  accumulator(const accumulator&) = delete;
  accumulator& operator=(const accumulator&) = delete;
  accumulator(accumulator&&) = default;
  accumulator& operator=(accumulator&&) = default;

  const accumulator_plan& plan() const noexcept { return plan_; }
  const accumulator_options& options() const noexcept { return plan_.options(); }
  std::size_t cells() const noexcept { return cells_.size(); }
  /// The standard deviation (for Laplace noise, the scale) of the noise on each released cell.
  double noise() const noexcept { return plan_.noise(); }

  /// Adds one unit's contribution: row rows[i] gets values[i * row_size], ..., values[(i + 1) * row_size - 1]. Rows may
  /// come in any order and repeatedly, as those of a user's documents do; they are added up before the norm is taken.
  /// A unit contributes nothing if a value or its norm is not finite, or if a row does not exist: an exception would
  /// reveal that the unit is there. Throws std::logic_error (a mistake of the caller, whatever the data) unless there
  /// are row_size values for each row.
  template <std::floating_point Real>
  void add(std::span<const std::uint32_t> rows, std::span<const Real> values) {
    add_cells(rows, options().row_size, values, [&](std::uint64_t* row, const std::int64_t* integers) {
      for (std::size_t j = 0; j < options().row_size; ++j) row[j] += static_cast<std::uint64_t>(integers[j]);
    });
  }

  /// The same for a unit that contributes to some columns only, and zero to the others: rows[i] gets
  /// values[i * columns.size() + j] in cell columns[j]. A unit whose columns do not ascend or do not exist contributes
  /// nothing.
  template <std::floating_point Real>
  void add(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, std::span<const Real> values) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j] >= options().row_size || (j > 0 && columns[j - 1] >= columns[j])) return;
    }
    add_cells(rows, columns.size(), values, [&](std::uint64_t* row, const std::int64_t* integers) {
      for (std::size_t j = 0; j < columns.size(); ++j) row[columns[j]] += static_cast<std::uint64_t>(integers[j]);
    });
  }

  /// The same for a unit that contributes one number to one row, where rows have one cell.
  void add(std::uint32_t row, double value) {
    add(std::span<const std::uint32_t>(&row, 1), std::span<const double>(&value, 1));
  }

  /// Moves the sums of another accumulator with equal options here, exactly, and leaves it empty. So threads and
  /// machines may each fill their own. Throws std::invalid_argument if the options differ.
  void merge(accumulator& other) {
    require_cells();
    other.require_cells();
    detail::require(&other != this && plan_ == other.plan_, "accumulator::merge", "the other accumulator",
                    "not one of the same plan", "must have equal options");
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] += std::exchange(other.cells_[i], 0);
  }

  /// Writes the noisy sums over all units to `sums`, in the scale of the contributions, and the event to the ledger;
  /// empties the accumulator. The result does not depend on the number of threads (0: as many as the machine runs at
  /// once). If processes share the source, all of them publish at once: all get the noisy sums over the units of all.
  /// Throws std::invalid_argument if the plan is for a sample, if `sums` does not have cells() elements, or if the
  /// ledger refuses the event; then nothing was released or recorded. Once the event is recorded it counts as spent,
  /// whatever fails afterwards (a random source that was moved from, the operating system's random numbers).
  template <std::floating_point Real>
  void publish(random_source& random, ledger& spent, std::span<Real> sums, std::size_t threads = 1) {
    detail::require(std::holds_alternative<all_units>(options().sampling), "accumulator::publish", "the plan",
                    "for a sample", "publish must be given the batch");
    publish_sums(random, spent, sums, threads, false, false);
  }

  /// The same over the units of a batch, which it uses up. A batch of an epoch (allocation_sampler) is paid for: its
  /// event is in the ledger and is not written again. Also throws std::invalid_argument if the batch was drawn with
  /// another sampling than the plan's or from other units, or if the ledger lacks the event that paid for it.
  template <std::floating_point Real>
  void publish(unit_batch batch, random_source& random, ledger& spent, std::span<Real> sums, std::size_t threads = 1) {
    const char* const function = "accumulator::publish";
    const bool paid = batch.paid().has_value();
    detail::require(batch.sampling() == options().sampling && batch.unit() == options().unit &&
                        (!paid || *batch.paid() == plan_.event()),
                    function, "the batch", "of another plan", "must be drawn with the plan's sampling and unit");
    if (paid) {
      ledger event;
      event.record(*batch.paid());
      detail::require(spent.contains(event), function, "the ledger", "another",
                      "must hold the event that paid for the batch");
    }
    publish_sums(random, spent, sums, threads, batch.seeded(), paid);
  }

  /// Returns the noisy sums.
  std::vector<double> publish(random_source& random, ledger& spent, std::size_t threads = 1) {
    std::vector<double> sums(cells_.size());
    publish(random, spent, std::span(sums), threads);
    return sums;
  }
  std::vector<double> publish(unit_batch batch, random_source& random, ledger& spent, std::size_t threads = 1) {
    std::vector<double> sums(cells_.size());
    publish(std::move(batch), random, spent, std::span(sums), threads);
    return sums;
  }

 private:
  // A moved-from accumulator has no cells.
  void require_cells() const {
    if (cells_.empty()) throw std::logic_error("dplda::accumulator: used after it was moved from");
  }

  template <class Real>
  void publish_sums(random_source& random, ledger& spent, std::span<Real> sums, std::size_t threads, bool seeded_sample,
                    bool paid) {
    require_cells();
    detail::require(sums.size() == cells_.size(), "accumulator::publish", "size of the result", sums.size(),
                    detail::text("must be the number of cells, ", cells_.size()));
    if (!paid) spent.record(plan_.event());
    if (random.seeded() || seeded_sample) spent.mark_seeded();
    const random_source key = random.fork();
    const double unit = plan_.unit_size();
    constexpr std::size_t block = 4096;  // part of the result: cells of one block share a stream
    const auto each_block = [&](std::size_t first, std::size_t last, auto&& work) {
      parallel_for((last - first + block - 1) / block, 1, thread_count(threads),
                   [&](std::size_t b, std::size_t end, std::size_t) {
                     for (; b < end; ++b) work(first + b * block, std::min(last, first + (b + 1) * block));
                   });
    };
    const auto noise = [&](std::size_t begin, std::size_t end) {
      chacha20 bits = key.stream("noise", begin / block);
      add_noise(bits, std::span(cells_).subspan(begin, end - begin));
    };
    const auto show = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        sums[i] = static_cast<Real>(static_cast<double>(static_cast<std::int64_t>(std::exchange(cells_[i], 0))) * unit);
    };
    const process_group& processes = random.processes();
    processes.sum_in_slices(
        cells_, block,
        [&](std::size_t first, std::size_t last) {
          each_block(first, last, [&](std::size_t begin, std::size_t end) {
            noise(begin, end);
            if (processes.alone()) show(begin, end);  // while the block is in the cache
          });
        },
        detail::tag_of(key));
    if (!processes.alone()) each_block(0, cells_.size(), show);
  }

  // Adds `width` values for each row by add_row(row's cells, integers).
  template <class Real, class AddRow>
  void add_cells(std::span<const std::uint32_t> rows, std::size_t width, std::span<const Real> values,
                 const AddRow& add_row) {
    require_cells();
    if (values.size() != rows.size() * width)
      throw std::logic_error("dplda::accumulator::add: there must be a value for each cell of each row");
    bool ascending = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= options().rows) return;
      ascending = ascending && (i == 0 || rows[i - 1] < rows[i]);
    }
    if (ascending) {
      add_distinct(rows, width, values, add_row);
    } else {
      std::vector<std::uint32_t> distinct;
      std::vector<double> sums;
      add_up(rows, width, values, distinct, sums);
      add_distinct(std::span<const std::uint32_t>(distinct), width, std::span<const double>(sums), add_row);
    }
  }

  template <class Real>
  static void add_up(std::span<const std::uint32_t> rows, std::size_t width, std::span<const Real> values,
                     std::vector<std::uint32_t>& distinct, std::vector<double>& sums) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    detail::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
    for (const std::size_t i : order) {
      if (distinct.empty() || distinct.back() != rows[i]) {
        distinct.push_back(rows[i]);
        sums.resize(sums.size() + width);
      }
      double* const sum = sums.data() + (sums.size() - width);
      for (std::size_t j = 0; j < width; ++j) sum[j] += static_cast<double>(values[i * width + j]);
    }
  }

  // Rows are distinct, so the norm of the values is the norm of the contribution.
  template <class Real, class AddRow>
  void add_distinct(std::span<const std::uint32_t> rows, std::size_t width, std::span<const Real> values,
                    const AddRow& add_row) {
    const detail::integer_norm_bound bound{plan_.bound(), options().noise == noise_kind::laplace,
                                           options().signs == value_signs::any};
    const double factor = detail::quantising_factor(values, options().clip, bound);
    if (!(factor > 0) || !detail::quantise(values, factor, bound, integers_)) return;
    const auto row = [&](std::size_t i) { return cells_.data() + std::size_t{rows[i]} * options().row_size; };
    constexpr std::size_t ahead = 4;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + ahead < rows.size()) detail::prefetch(row(i + ahead), options().row_size);
      add_row(row(i), integers_.data() + i * width);
    }
  }

  void add_noise(chacha20& bits, std::span<std::uint64_t> piece) const {
    if (options().noise == noise_kind::gaussian) return add_floored_gaussian(bits, plan_.scale_bits(), piece);
    const std::uint64_t noise_scale = std::uint64_t{1} << plan_.scale_bits();
    for (std::uint64_t& cell : piece) {
      cell += static_cast<std::uint64_t>(options().noise == noise_kind::laplace ? floored_laplace(bits, noise_scale)
                                                                                : discrete_gaussian(bits, noise_scale));
    }
  }

  accumulator_plan plan_;
  std::vector<std::uint64_t> cells_;
  std::vector<std::int64_t> integers_;
};

}  // namespace dplda::inline v0_1

#endif
