// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_SPARSE_HISTOGRAM_HPP
#define DPLDA_MECHANISMS_SPARSE_HISTOGRAM_HPP

// Claim: which cells publish() shows is the outcome of two mechanisms, one after the other, for neighbours that differ
//   by one unit more or less: Gaussian (or Laplace) noise of at least `noise_multiplier` times the sensitivity, and one
//   that is (0, delta)-DP. These are the two events of the ledger. The claim also holds if what units give to later
//   histograms depends on the estimates of earlier ones, as sparse_release says.
// Preconditions, which the caller owes:
//   - add() is called once for each unit, with all distinct cells that it names, at most cells_per_unit. The
//     cells, their order and their demands follow from that unit, from secret bits of its own, from released values,
//     and from earlier estimates of the unit's own cells. For `levelled` and `in_order`, whose sums depend on the order
//     of the units, that order does not depend on which other units are there.
//   - In a series of histograms a unit names the same cells in each. (It may demand nothing for them.)
//   - Nothing is shown but which cells passed: no estimates, and nothing of other cells, not even how many there were.
//   - The random source is secret, and ChaCha20 under a secret key cannot be told from uniform independent bits: the
//     claim is computational in this one respect.
//   - If processes share the source, what accumulator.hpp says of them.
// Argument. Let D' have the unit u that D lacks, T the cells that u alone names, t = |T| <= cells_per_unit, and K all
//   others. All choices by secret bits are made alike in both; what holds for each holds on average.
//   1. The integer sums of D' and D differ by at most `bound` in the norm that goes with the noise:
//      detail/unit_shares.hpp. For steps to a cap, `later` is at most 2^32 there, since add() takes no more units, and
//      the unit's own length is that much shorter.
//   2. Noise is floor(2^50 Z) (or of a standard Laplace variable), drawn exactly and independently for each cell, so
//      the noisy sums are floor(sums + 2^50 Z): post-processing. bound = floor(2^50 / noise_multiplier), computed with
//      a relative error below 2^-51 and lowered by 2^-50 before. So all noisy sums of K together are the
//      Gaussian mechanism. The cells of K are named in D and in D'; which of them pass follows from their noisy sums.
//   3. Cells of T exist in D' only, with noise that is independent of that in K. A weight w of u and the integer
//      threshold h pass with probability P(Z >= (h - w) / 2^50), exactly; h is rounded up from
//      detail/sparse_threshold.hpp, so one of T passes with probability delta at most. Weights of T are equal where
//      the sharing is `equal`, `counted` or `levelled`: all cells of T have the same sum, zero, when u comes, and
//      pieces of 1 make a difference of 1, for which h is raised by 1. For the others, any weights are covered.
//   4. So the outcome under D' is that of two independent experiments, noisy sums of K and what passes of T, and under
//      D the same with T never passing: a product of a pair of the Gaussian mechanism and of a pair at distance delta.
//      That is what an accountant composes. Nothing else is shown: passing is all that is said of a cell.
//      Processes that share a key first add their sums: a cell has the smaller of the cap and the sum over all units,
//      as in one process, and its noise is drawn once, by the process that finishes its slice.
//   5. A series of histograms, in which earlier estimates may decide what units give later. Let the noise on T be drawn
//      under D too, where nothing uses it, and let it be shown after each histogram, like all noisy sums of K: the
//      claim is then stronger. Given what was shown, the units other than u give to the next histogram the same under
//      D and D', as all their cells are in K, and u gives a vector within the bound. So steps 1 to 4 hold again: the
//      sums of K are a pair of the Gaussian mechanism, independently of it one of T passes with a probability of at
//      most delta whatever was shown, as that bound is for any weights, and else the noise on T is alike. So it is
//      a composition of such pairs, each chosen by the outcomes of earlier ones.
// Not promised: the time that publish() takes.
// Test: tests/mechanisms/{sparse_histogram,sparse_threshold,unit_shares}_test.cpp,
//   tests/distributed/mechanisms_test.cpp

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/mechanisms/accumulator_plan.hpp>
#include <dplda/mechanisms/detail/sparse_threshold.hpp>
#include <dplda/mechanisms/detail/unit_shares.hpp>
#include <dplda/random/discrete.hpp>
#include <dplda/random/floored_gaussian.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How a unit's weight is divided among the k cells that it names. Its norm is 1: l2 with Gaussian noise, l1 with
/// Laplace noise.
enum class sharing {
  equal,     ///< 1 / sqrt(k) each, or 1 / k (Korolova et al. 2009)
  counted,   ///< the same for all units, as if all named cells_per_unit cells: a count
  demanded,  ///< in proportion to numbers that the caller gives
  levelled,  ///< as `equal`, but what would lift a cell above the cap goes to others (Gopi et al. 2020)
  in_order   ///< cells are filled to the cap one after the other (Carvalho et al. 2022); Laplace noise only
};

/// Options of a histogram whose cells are not known beforehand: public, and fixed before a unit is read.
struct sparse_histogram_options {
  noise_kind noise = noise_kind::gaussian;
  sharing shares = sharing::equal;
  /// Noise divided by the norm of a unit's weights.
  double noise_multiplier = 0;
  /// Upper bound on the probability that any cell is shown that one given unit alone names.
  double delta = 0;
  /// The largest number of cells that a unit may name.
  std::size_t cells_per_unit = 0;
  /// For levelled and in_order: how far the cap lies above the threshold, in units of the noise.
  double cap_margin = 4;
  /// as_published is for in_order only. Then the threshold is that of Carvalho et al. 2022, which assumes a
  /// cells_per_unit of 1 without enforcing it. No delta below 1 is proven then, and the ledger says so.
  dplda::basis basis = basis::proven;
  privacy_unit unit = privacy_unit::document;
  std::string label = {};

  bool operator==(const sparse_histogram_options&) const = default;
};

/// Records the two events of one release: the noise, and the chance that a cell of one unit alone passes.
inline void record_release(const sparse_histogram_options& options, ledger& spent) {
  const auto record = [&](const mechanism& what) {
    spent.record({what, all_units{}, options.unit, neighbours::add_remove, options.label});
  };
  if (options.noise == noise_kind::laplace) {
    record(laplace_noise{options.noise_multiplier});
  } else {
    record(gaussian_noise{options.noise_multiplier});
  }
  record(options.basis == basis::proven ? approximate_dp{0, options.delta} : nothing_proven);
}

/// A sparse histogram before it is filled: options and the integers that follow from them.
class sparse_histogram_plan {
 public:
  /// Throws std::invalid_argument if an option is out of range: the noise must be Gaussian or Laplace with a multiplier
  /// in [1/256, 2^30], delta in (0, 1), cells_per_unit in [1, 65536], cap_margin in [0, 64]; in_order needs Laplace
  /// noise, and as_published needs in_order; and what follows from them must fit in 64 bits.
  explicit sparse_histogram_plan(sparse_histogram_options options) : options_(std::move(options)) {
    detail::require_rounding_to_nearest(name);
    validate();
    const double z = options_.noise_multiplier, one = std::ldexp(1 / z, noise_bits);
    bound_ = static_cast<std::uint64_t>(one * (1 - 0x1p-50));
    if (steps()) {
      const detail::uint128 slack = detail::uint128{max_units} * detail::step_slack(options_.cells_per_unit);
      detail::require(slack < bound_ / 8, name, "noise multiplier", z, "must be lower to leave room for rounding");
      bound_ -= static_cast<std::uint64_t>(slack);
    }
    threshold_ = own_threshold();
    const double height = threshold_ * one * (1 + 0x1p-50) + 2;
    const double cap = height + std::ldexp(options_.cap_margin, noise_bits);
    detail::require(cap < 0x1p60, name, "threshold", threshold_, "does not fit in 64 bits: raise delta or the noise");
    detail::require(!steps() || static_cast<double>(options_.cells_per_unit) * cap * cap < 0x1p123, name,
                    "cells_per_unit", options_.cells_per_unit, "must be smaller: sums of squares exceed 128 bits");
    height_ = static_cast<std::int64_t>(height);
    if (in_turn()) cap_ = static_cast<std::uint64_t>(cap);
  }

  const sparse_histogram_options& options() const noexcept { return options_; }
  /// Cells whose noisy weight reaches this are shown; a unit's weights have norm 1.
  double threshold() const noexcept { return threshold_; }
  /// Whether what a unit gives depends on the units before it.
  bool in_turn() const { return options_.shares == sharing::levelled || options_.shares == sharing::in_order; }

 private:
  friend class sparse_histogram;

  static constexpr const char* name = "sparse_histogram";
  // Fine enough for the rounding of 2^32 steps, and coarse enough for squares in 128 bits.
  static constexpr int noise_bits = 50;
  static constexpr std::uint64_t max_units = std::uint64_t{1} << 32;

  bool l1() const { return options_.noise == noise_kind::laplace; }
  bool steps() const { return options_.shares == sharing::levelled && !l1(); }

  void validate() const {
    const sparse_histogram_options& o = options_;
    detail::require(o.noise != noise_kind::discrete_gaussian, name, "noise", "discrete Gaussian",
                    "must be Gaussian or Laplace");
    detail::require(o.noise_multiplier >= 0x1p-8 && o.noise_multiplier <= 0x1p30, name, "noise multiplier",
                    o.noise_multiplier, "must lie in [1/256, 2^30]");
    detail::require(o.delta > 0 && o.delta < 1, name, "delta", o.delta, "must lie in (0, 1)");
    detail::require(o.cells_per_unit >= 1 && o.cells_per_unit <= 65536, name, "cells_per_unit", o.cells_per_unit,
                    "must lie in [1, 65536]");
    detail::require(o.cap_margin >= 0 && o.cap_margin <= 64, name, "cap_margin", o.cap_margin, "must lie in [0, 64]");
    detail::require(o.shares != sharing::in_order || l1(), name, "sharing", "in order", "needs Laplace noise");
    detail::require(o.basis == basis::proven || o.shares == sharing::in_order, name, "basis", "as published",
                    "only sharing in order has a published threshold");
  }

  double own_threshold() const {
    const double z = options_.noise_multiplier, delta = options_.delta;
    const std::size_t cells = options_.cells_per_unit;
    switch (options_.shares) {
      case sharing::counted:
        // All cells have one weight, so the more of them, the more may pass.
        if (l1()) return detail::laplace_equal_threshold_of(z, delta, static_cast<double>(cells));
        [[fallthrough]];
      case sharing::equal:
      case sharing::levelled:
        return l1() ? detail::laplace_equal_threshold(z, delta, cells)
                    : detail::gaussian_equal_threshold(z, delta, cells);
      default:
        if (options_.basis == basis::as_published) return detail::laplace_any_threshold(z, delta, 1);
        return l1() ? detail::laplace_any_threshold(z, delta, cells) : detail::gaussian_any_threshold(z, delta, cells);
    }
  }

  sparse_histogram_options options_;
  double threshold_ = 0;
  std::uint64_t bound_ = 0;                     // on the norm of a unit's weights, in integers
  std::int64_t height_ = 0;                     // the threshold in integers
  std::uint64_t cap_ = std::uint64_t{1} << 61;  // of every sum: far above the threshold, or the cap of the sharing
};

/// The outcome of a sparse histogram.
struct sparse_release {
  /// The cells that passed, ascending. These may be shown.
  std::vector<std::uint32_t> passed;
  /// The noisy weight of each cell that was named, and minus infinity for others. NOT to be shown: that a cell exists
  /// at all may reveal a unit. What a unit gives to later histograms may depend on the estimates of its own cells.
  std::vector<double> secret_estimates;
};

/// Exact integer sums of the weights that units give to cells. Cells whose noisy sum reaches the threshold are shown.
class sparse_histogram {
 public:
  /// The largest demand.
  static constexpr std::uint32_t max_demand = 1024;

  explicit sparse_histogram(sparse_histogram_plan plan) : plan_(std::move(plan)) {}
  explicit sparse_histogram(const sparse_histogram_options& options) : plan_(options) {}

  sparse_histogram(const sparse_histogram&) = delete;
  sparse_histogram& operator=(const sparse_histogram&) = delete;
  sparse_histogram(sparse_histogram&&) = default;
  sparse_histogram& operator=(sparse_histogram&&) = default;

  const sparse_histogram_plan& plan() const noexcept { return plan_; }

  /// Adds one unit that names these cells. Throws std::logic_error (a mistake of the caller, whatever the data) if
  /// there are too many, if one comes twice, or if demands are needed; and std::length_error beyond 2^32 units of
  /// `levelled` with Gaussian noise.
  void add(std::span<const std::uint32_t> cells) {
    expect(options().shares != sharing::demanded);
    name(cells);
    switch (options().shares) {
      case sharing::in_order:
        return detail::pour_in_order(sums_, cells, plan_.bound_, plan_.cap_);
      case sharing::levelled:
        if (!plan_.steps()) return detail::pour_evenly(sums_, cells, plan_.bound_, plan_.cap_, work_);
        if (units_ > sparse_histogram_plan::max_units)
          throw std::length_error("dplda::sparse_histogram: more than 2^32 units");
        return detail::step_to_cap(sums_, cells, plan_.bound_, plan_.cap_);
      default:
        const std::size_t counted = options().shares == sharing::counted ? options().cells_per_unit : cells.size();
        const std::uint64_t share = detail::share_of(plan_.bound_, counted, plan_.l1());
        for (const std::uint32_t cell : cells) detail::add_up_to(sums_[cell], share, plan_.cap_);
    }
  }

  /// Adds one unit that names these cells and gives to them in proportion to the demands. Throws std::logic_error if
  /// there are too many cells, if one comes twice, if there are not as many demands, if one exceeds max_demand, or if
  /// the sharing is not `demanded`.
  void add(std::span<const std::uint32_t> cells, std::span<const std::uint32_t> demands) {
    expect(options().shares == sharing::demanded && cells.size() == demands.size());
    std::uint64_t demanded = 0;
    for (const std::uint32_t demand : demands) {
      expect(demand <= max_demand);
      demanded += plan_.l1() ? std::uint64_t{demand} : std::uint64_t{demand} * demand;
    }
    name(cells);
    const std::uint64_t share = detail::share_of(plan_.bound_, demanded, plan_.l1());
    for (std::size_t i = 0; i < cells.size(); ++i) detail::add_up_to(sums_[cells[i]], share * demands[i], plan_.cap_);
  }

  /// Moves the sums of another histogram with equal options here, exactly, and leaves it empty. Throws
  /// std::logic_error if the options differ, or if the sharing depends on the order of the units.
  void merge(sparse_histogram& other) {
    expect(&other != this && options() == other.options() && !plan_.in_turn());
    grow(other.sums_.size());
    for (std::size_t i = 0; i < other.sums_.size(); ++i) {
      detail::add_up_to(sums_[i], other.sums_[i], plan_.cap_);
      named_[i] = std::max(named_[i], other.named_[i]);
    }
    units_ = std::max(units_, other.units_);
    other.clear();
  }

  /// Draws the noise, writes the events to the ledger, and empties the histogram. The result does not depend on the
  /// number of threads (0: as many as the machine runs at once). Throws std::invalid_argument if the ledger refuses
  /// the events; then nothing was released. If processes share the source, all of them publish at once, cells mean the
  /// same in all, and all get the outcome for the units of all. Throws std::logic_error if the sharing depends on the
  /// order of the units then.
  sparse_release publish(random_source& random, ledger& spent, std::size_t threads = 1) {
    ledger joined = spent;
    record_release(options(), joined);
    spent = std::move(joined);
    if (random.seeded()) spent.mark_seeded();
    const random_source key = random.fork();
    constexpr std::size_t block = 4096;  // part of the result: cells of one block share a stream
    const auto each_block = [&](std::size_t cells, auto&& work) {
      parallel_for((cells + block - 1) / block, 1, thread_count(threads),
                   [&](std::size_t b, std::size_t end, std::size_t) {
                     for (; b < end; ++b) work(b * block, std::min(cells, (b + 1) * block));
                   });
    };
    const auto noise = [&](std::size_t first_cell, std::span<std::uint64_t> sums) {
      chacha20 bits = key.stream("noise", first_cell / block);
      add_noise(bits, sums);
    };
    if (random.processes().alone()) {
      each_block(sums_.size(), [&](std::size_t begin, std::size_t end) {
        noise(begin, std::span(sums_).subspan(begin, end - begin));
      });
    } else {
      join(random.processes(), block, noise, detail::tag_of(key));
    }
    sparse_release result;
    result.secret_estimates.assign(sums_.size(), -std::numeric_limits<double>::infinity());
    const double unit = options().noise_multiplier * std::ldexp(1.0, -sparse_histogram_plan::noise_bits);
    std::vector<std::uint8_t> passed(sums_.size());
    each_block(sums_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (named_[i] == 0) continue;
        const auto noisy = static_cast<std::int64_t>(sums_[i]);
        passed[i] = noisy >= plan_.height_;
        result.secret_estimates[i] = static_cast<double>(noisy) * unit;
      }
    });
    for (std::size_t i = 0; i < passed.size(); ++i) {
      if (passed[i]) result.passed.push_back(static_cast<std::uint32_t>(i));
    }
    clear();
    return result;
  }

 private:
  const sparse_histogram_options& options() const { return plan_.options(); }

  static void expect(bool ok) {
    if (!ok) throw std::logic_error("dplda::sparse_histogram: cells, demands or options do not fit the sharing");
  }

  void name(std::span<const std::uint32_t> cells) {
    expect(cells.size() <= options().cells_per_unit || options().basis == basis::as_published);
    ++units_;
    if (cells.empty()) return;
    grow(std::size_t{*std::max_element(cells.begin(), cells.end())} + 1);
    for (const std::uint32_t cell : cells) expect(std::exchange(named_[cell], units_) != units_);
  }

  void clear() {
    sums_.clear();
    named_.clear();
    units_ = 0;
  }

  void grow(std::size_t cells) {
    if (cells <= sums_.size()) return;
    sums_.resize(cells);
    named_.resize(cells);
  }

  // Adds up the histograms of all processes, up to the cap, as one process would have, with noise. Each process lets
  // noise(first cell, sums) draw that of its own slice. A cell travels as two words, whose sums cannot wrap: the lower
  // half of its sum, and the upper half below the number of processes that named it.
  template <class Noise>
  void join(const process_group& processes, std::size_t block, const Noise& noise, std::uint64_t tag) {
    if (plan_.in_turn())
      throw std::logic_error(
          "dplda::sparse_histogram::publish: these shares depend on the order of the units, which several processes do "
          "not have; take other shares, or one process");
    if (processes.size() > 65535)
      throw std::logic_error("dplda::sparse_histogram::publish: there are more than 65,535 processes");
    grow(std::ranges::max(processes.gather(sums_.size())));
    std::vector<std::uint64_t> halves(2 * sums_.size());
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      halves[2 * i] = sums_[i] & 0xFFFFFFFFu;
      halves[2 * i + 1] = sums_[i] >> 32 | std::uint64_t{named_[i] > 0} << 48;
    }
    const auto finish = [&](std::size_t first, std::size_t last) {
      std::vector<std::uint64_t> sums(block);
      for (; first < last; first += 2 * block) {
        const std::span<std::uint64_t> part = std::span(halves).subspan(first, std::min(2 * block, last - first));
        for (std::size_t i = 0; i < part.size() / 2; ++i) {
          const detail::uint128 sum = (detail::uint128{part[2 * i + 1] & 0xFFFFFFFFFFFFu} << 32) + part[2 * i];
          sums[i] = static_cast<std::uint64_t>(std::min<detail::uint128>(sum, plan_.cap_));
          part[2 * i + 1] >>= 48;
        }
        noise(first / 2, std::span(sums).first(part.size() / 2));
        for (std::size_t i = 0; i < part.size() / 2; ++i) part[2 * i] = sums[i];
      }
    };
    processes.sum_in_slices(halves, 2 * block, finish, tag);
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i] = halves[2 * i];
      named_[i] = halves[2 * i + 1];
    }
  }

  void add_noise(chacha20& bits, std::span<std::uint64_t> cells) const {
    if (!plan_.l1()) return add_floored_gaussian(bits, sparse_histogram_plan::noise_bits, cells);
    for (std::uint64_t& cell : cells)
      cell += static_cast<std::uint64_t>(floored_laplace(bits, std::uint64_t{1} << sparse_histogram_plan::noise_bits));
  }

  sparse_histogram_plan plan_;
  std::uint64_t units_ = 0;
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint64_t> named_;  // for each cell, the number of the last unit that named it, or 0
  std::vector<std::uint64_t> work_;
};

}  // namespace dplda::inline v0_1

#endif
