// SPDX-License-Identifier: Apache-2.0
// Can the test suite detect mistakes? Each mutant is the kernel, or an engine on it, with one mistake of a kind that
// has been made elsewhere. The detectors must pass the library and catch every mutant.
//
// False alarms, over the choice of seeds: the grey-box detectors and the ledger check have none. The tests of the
// noise's law are 36 p-values held against 10^-12 each, that of the sampling rate is one, and the library is tried in
// two forms; noise used twice needs ten equal values where 0.002 are expected, which has a probability below 10^-30.
// Together below 10^-10.

#include <dplda/random/bernoulli.hpp>

#include <Eigen/Core>

#include "mechanisms/toy_engine.hpp"
#include "support/catch.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

// ---------------------------------------------------------------------------------------------------------------------
// The kernel for Gaussian noise, written a second time in the plainest way, in steps that mutants override. A test
// below shows that it is the same kernel.

class plain_kernel : public toy_engine {
 public:
  explicit plain_kernel(const toy_setup& setup) : plain_kernel(setup, setup.plan) {}

 protected:
  using cells = std::vector<std::uint64_t>;
  using sparse_integers = std::map<std::size_t, std::int64_t>;  // by cell

  plain_kernel(const toy_setup& setup, const accumulator_options& bounded)
      : toy_engine(setup), bound_(accumulator_plan(bounded).bound()) {}

  const accumulator_options& plan() const { return setup().plan; }
  std::uint64_t bound() const { return bound_; }
  double unit() const override { return plan().clip / static_cast<double>(bound_); }

  static std::map<std::size_t, double> by_cell(const contribution& c, std::size_t row_size) {
    std::map<std::size_t, double> values;
    for (std::size_t i = 0; i < c.values.size(); ++i) {
      values[c.rows[i / row_size] * row_size + i % row_size] += static_cast<double>(c.values[i]);
    }
    return values;
  }

  double scale(const std::map<std::size_t, double>& values) const {
    double parts[4] = {};
    const std::size_t groups = values.size() / 4 * 4;
    std::size_t i = 0;
    for (const auto& [cell, value] : values) {
      parts[i < groups ? i % 4 : 0] += value * value;
      ++i;
    }
    const double norm = std::sqrt((parts[0] + parts[1]) + (parts[2] + parts[3])), c = static_cast<double>(bound());
    if (!(norm <= std::numeric_limits<double>::max())) return 0;
    return norm > plan().clip * (1 - 0x1p-20) ? c * (1 - 0x1p-20) / norm : c / plan().clip;
  }

  virtual sparse_integers quantise(const contribution& c) const {
    const std::map<std::size_t, double> values = by_cell(c, topics());
    const double factor = scale(values);
    sparse_integers q;
    uint128 norm = 0;
    for (const auto& [cell, value] : values) {
      const double x = value * factor;
      if (!(std::abs(x) <= static_cast<double>(bound()))) return {};
      const std::int64_t integer = static_cast<std::int64_t>(plan().signs == value_signs::any ? x : std::max(x, 0.0));
      norm += static_cast<uint128>(integer) * static_cast<uint128>(integer);
      q[cell] = integer;
    }
    if (!(factor > 0) || norm > uint128{bound()} * bound()) return {};
    return q;
  }

  virtual void sum(const std::vector<contribution>& batch, cells& sums) const {
    for (const contribution& c : batch) {
      for (const auto& [cell, q] : quantise(c)) sums[cell] += static_cast<std::uint64_t>(q);
    }
  }

  virtual random_source key(random_source& random) const { return random.fork(); }
  virtual std::uint64_t stream(std::size_t block) const { return block; }
  virtual int noise_bits() const { return plan().scale_bits; }

  virtual void add_noise(const random_source& random, cells& sums) const {
    for (std::size_t block = 0; 4096 * block < sums.size(); ++block) {
      chacha20 bits = random.stream("noise", stream(block));
      const std::size_t end = std::min(sums.size(), 4096 * (block + 1));
      for (std::size_t i = 4096 * block; i < end; ++i) noise_on(sums[i], floored_gaussian(bits, noise_bits()));
    }
  }

  virtual void noise_on(std::uint64_t& cell, std::int64_t noise) const { cell += static_cast<std::uint64_t>(noise); }

  virtual privacy_event event() const { return plan().event(); }

  std::vector<double> release(const std::vector<contribution>& batch, random_source& random,
                              ledger& spent) const override {
    cells sums(plan().rows * plan().row_size);
    sum(batch, sums);
    spent.record(event());
    if (random.seeded()) spent.mark_seeded();
    add_noise(key(random), sums);
    std::vector<double> result(sums.size());
    std::transform(sums.begin(), sums.end(), result.begin(),
                   [&](std::uint64_t s) { return static_cast<double>(static_cast<std::int64_t>(s)) * unit(); });
    return result;
  }

 private:
  std::uint64_t bound_;
};

// ---------------------------------------------------------------------------------------------------------------------
// Mutants of the kernel.

struct half_sigma : plain_kernel {
  using plain_kernel::plain_kernel;
  int noise_bits() const override { return plan().scale_bits - 1; }
};

struct noise_on_touched_cells : plain_kernel {
  using plain_kernel::plain_kernel;
  void add_noise(const random_source& random, cells& sums) const override {
    const cells before = sums;
    plain_kernel::add_noise(random, sums);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (before[i] == 0) sums[i] = 0;
    }
  }
};

// v + 2^s Z is no integer, so cutting it is rounding down, and one more below zero.
struct truncation : plain_kernel {
  using plain_kernel::plain_kernel;
  void noise_on(std::uint64_t& cell, std::int64_t noise) const override {
    plain_kernel::noise_on(cell, noise);
    if (static_cast<std::int64_t>(cell) < 0) ++cell;
  }
};

struct reused_key : plain_kernel {
  using plain_kernel::plain_kernel;
  random_source key(random_source& random) const override { return seeded_random(random.stream("release")()); }
};

struct one_stream_for_all_blocks : plain_kernel {
  using plain_kernel::plain_kernel;
  std::uint64_t stream(std::size_t) const override { return 0; }
};

struct no_noise_without_data : plain_kernel {
  using plain_kernel::plain_kernel;
  void add_noise(const random_source& random, cells& sums) const override {
    if (std::any_of(sums.begin(), sums.end(), [](std::uint64_t s) { return s != 0; })) {
      plain_kernel::add_noise(random, sums);
    }
  }
};

struct float_clipping : plain_kernel {
  using plain_kernel::plain_kernel;
  sparse_integers quantise(const contribution& c) const override {
    const std::map<std::size_t, double> values = by_cell(c, topics());
    float squares = 0;
    for (const auto& [cell, value] : values) squares += static_cast<float>(value * value);
    if (!(squares <= std::numeric_limits<float>::max())) return {};
    const float clip = static_cast<float>(plan().clip), factor = std::min(1.0f, clip / std::sqrt(squares));
    sparse_integers q;
    for (const auto& [cell, value] : values) {
      const float clipped = static_cast<float>(value) * factor;
      q[cell] = std::llround(static_cast<double>(clipped / clip) * static_cast<double>(bound()));
    }
    return q;
  }
};

struct norm_in_64_bits : plain_kernel {
  using plain_kernel::plain_kernel;
  sparse_integers quantise(const contribution& c) const override {
    sparse_integers q;
    std::uint64_t norm = 0;
    for (const auto& [cell, value] : by_cell(c, topics())) {
      const double x = value * (static_cast<double>(bound()) / plan().clip);
      if (!(std::abs(x) < 0x1p50)) return {};
      q[cell] = static_cast<std::int64_t>(x);
      norm += static_cast<std::uint64_t>(q[cell]) * static_cast<std::uint64_t>(q[cell]);
    }
    if (uint128{norm} > uint128{bound()} * bound()) return {};
    return q;
  }
};

struct rows_clipped_one_by_one : plain_kernel {
  using plain_kernel::plain_kernel;
  void sum(const std::vector<contribution>& batch, cells& sums) const override {
    for (const contribution& c : batch) {
      for (std::size_t i = 0; i < c.rows.size(); ++i) {
        const auto begin = c.values.begin() + static_cast<std::ptrdiff_t>(i * topics());
        const contribution row{{c.rows[i]}, {begin, begin + static_cast<std::ptrdiff_t>(topics())}};
        for (const auto& [cell, q] : quantise(row)) sums[cell] += static_cast<std::uint64_t>(q);
      }
    }
  }
};

struct sums_in_floating_point : plain_kernel {
  using plain_kernel::plain_kernel;
  void sum(const std::vector<contribution>& batch, cells& sums) const override {
    std::vector<float> totals(sums.size());
    for (const contribution& c : batch) {
      for (const auto& [cell, q] : quantise(c)) totals[cell] += static_cast<float>(q);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const float total = std::clamp(totals[i], -9e18f, 9e18f);  // beyond it the cast is undefined
      sums[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(total));
    }
  }
};

struct root_2_for_signed_values : plain_kernel {
  explicit root_2_for_signed_values(const toy_setup& setup) : plain_kernel(setup, as_if_unsigned(setup.plan)) {}
  static accumulator_options as_if_unsigned(accumulator_options plan) {
    plan.signs = value_signs::non_negative;
    return plan;
  }
};

struct exception_on_wrap : plain_kernel {
  using plain_kernel::plain_kernel;
  void sum(const std::vector<contribution>& batch, cells& sums) const override {
    for (const contribution& c : batch) {
      for (const auto& [cell, q] : quantise(c)) {
        std::int64_t total;
        if (__builtin_add_overflow(static_cast<std::int64_t>(sums[cell]), q, &total)) {
          throw std::overflow_error("sum out of range");
        }
        sums[cell] = static_cast<std::uint64_t>(total);
      }
    }
  }
};

struct books_flatter : plain_kernel {
  using plain_kernel::plain_kernel;
  privacy_event event() const override {
    privacy_event told = plain_kernel::event();
    told.noise = gaussian_noise{2 * plan().noise_multiplier};
    return told;
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Mutants of what stands on the kernel.

struct drawn_batch_size : toy_engine {
  using toy_engine::toy_engine;
  double divisor(std::size_t drawn) const override { return static_cast<double>(std::max<std::size_t>(1, drawn)); }
};

struct batched_product : toy_engine {
  using toy_engine::toy_engine;
  std::vector<contribution> contributions(const corpus& docs, const privacy_units& units,
                                          std::span<const std::size_t> batch) const override {
    std::vector<std::size_t> taken;
    for (const std::size_t unit : batch) {
      const std::span<const std::size_t> documents = units.documents(unit);
      taken.insert(taken.end(), documents.begin(), documents.end());
    }
    const auto k = static_cast<Eigen::Index>(topics()), v = static_cast<Eigen::Index>(setup().plan.rows);
    Eigen::MatrixXf x = Eigen::MatrixXf::Zero(v, static_cast<Eigen::Index>(taken.size()));
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const document doc = docs[taken[i]];
      for (std::size_t n = 0; n < doc.size(); ++n) {
        x(static_cast<Eigen::Index>(doc.words[n]), static_cast<Eigen::Index>(i)) = static_cast<float>(doc.counts[n]);
      }
    }
    const Eigen::MatrixXf starts = Eigen::Map<const Eigen::MatrixXf>(weights().data(), k, v) * x;
    std::vector<contribution> result(batch.size());
    Eigen::Index column = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      for (const std::size_t d : units.documents(batch[i])) {
        std::vector<float> theta(starts.col(column).begin(), starts.col(column).end());
        for (float& t : theta) t += setup().alpha;
        infer(docs[d], theta, 4, result[i]);
        ++column;
      }
    }
    return result;
  }
};

struct shared_random_start : toy_engine {
  using toy_engine::toy_engine;
  std::vector<contribution> contributions(const corpus& docs, const privacy_units& units,
                                          std::span<const std::size_t> batch) const override {
    chacha20 bits = seeded_random(5).stream("start");
    std::vector<contribution> result(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      for (const std::size_t d : units.documents(batch[i])) {
        std::vector<float> theta(topics());
        for (float& t : theta) t = static_cast<float>(uniform_open(bits));
        infer(docs[d], theta, 4, result[i]);
      }
    }
    return result;
  }
};

struct stops_by_the_whole_corpus : toy_engine {
  using toy_engine::toy_engine;
  std::vector<contribution> contributions(const corpus& docs, const privacy_units& units,
                                          std::span<const std::size_t> batch) const override {
    std::vector<contribution> result(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      for (const std::size_t d : units.documents(batch[i])) {
        std::vector<float> theta = start(docs[d]);
        infer(docs[d], theta, docs.tokens() > 60 ? 5 : 4, result[i]);
      }
    }
    return result;
  }
};

struct documents_of_a_user_clipped_one_by_one : toy_engine {
  using toy_engine::toy_engine;
  std::vector<contribution> contributions(const corpus& docs, const privacy_units& units,
                                          std::span<const std::size_t> batch) const override {
    std::vector<contribution> result;
    for (const std::size_t unit : batch) {
      for (const std::size_t d : units.documents(unit)) {
        std::vector<float> theta = start(docs[d]);
        infer(docs[d], theta, 4, result.emplace_back());
      }
    }
    return result;
  }
};

struct decision_by_position : toy_engine {
  using toy_engine::toy_engine;
  std::vector<std::size_t> draw(const privacy_units& units, random_source& random) const override {
    const auto* sample = std::get_if<poisson_sample>(&setup().plan.sampling);
    const coin taken(sample ? sample->rate : 1);
    toy_engine::draw(units, random);  // publish() needs a real batch
    chacha20 words = random.fork().stream("sample");
    std::vector<std::size_t> batch;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      if (taken(words)) batch.push_back(unit);
    }
    return batch;
  }
};

struct rate_rounded_up : toy_engine {
  using toy_engine::toy_engine;
  std::vector<std::size_t> draw(const privacy_units& units, random_source& random) const override {
    const auto* sample = std::get_if<poisson_sample>(&setup().plan.sampling);
    toy_engine::draw(units, random);
    return poisson_sampler(sample ? std::ceil(sample->rate * 32) / 32 : 1).draw(units, random).positions();
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Detectors. Each returns what it found, or an empty string.

using maker = std::function<std::unique_ptr<toy_engine>(const toy_setup&)>;
constexpr double level = 1e-12;

toy_setup setup_of(std::size_t rows, std::size_t row_size, int bits) {
  return {.plan = {.rows = rows,
                   .row_size = row_size,
                   .clip = 8,
                   .noise_multiplier = 1,
                   .max_units = 1 << 10,
                   .scale_bits = bits,
                   .label = "toy"}};
}

std::string grey_box(const maker& make, const toy_setup& setup) {
  const std::unique_ptr<toy_engine> engine = make(setup);
  grey_box_result all;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<named_corpus> corpora = adversarial_corpora(setup.plan.rows, seed);
    const auto sums = [&](const corpus& docs) { return engine->frozen(docs, seed); };
    for (const named_corpus& c : corpora) {
      all += grey_box_audit(c.docs, corpora.back().docs, setup.plan.unit,
                            grey_box_bound_of(accumulator_plan(setup.plan)), sums);
    }
  }
  if (all.violations() == 0) return {};
  std::ostringstream figure;
  figure << all.too_far << " too far, " << all.moved << " moved of " << all.pairs << " pairs, distance "
         << std::setprecision(9) << all.largest_ratio << " of the bound";
  return figure.str();
}

std::string by_document(const maker& make) { return grey_box(make, setup_of(30, 5, 36)); }

std::string by_sampled_document(const maker& make) {
  toy_setup setup = setup_of(30, 5, 36);
  setup.plan.sampling = poisson_sample{0.5};
  return grey_box(make, setup);
}

std::string by_user(const maker& make) {
  toy_setup setup = setup_of(30, 5, 36);
  setup.plan.unit = privacy_unit::user;
  return grey_box(make, setup);
}

std::string by_signed_exchange(const maker& make) {
  toy_setup setup = setup_of(30, 5, 36);
  setup.plan.relation = neighbours::replace;
  setup.plan.signs = value_signs::any;
  setup.signed_values = true;
  return grey_box(make, setup);
}

// A corpus that touches no word from w20 on.
corpus low_words(std::size_t rows, std::size_t documents) {
  corpus_builder builder;
  for (std::size_t d = 0; d < documents; ++d) {
    for (word_id w = 0; w < 20; ++w) builder.add(w, static_cast<std::uint32_t>(d + w + 1));
    builder.end_document();
  }
  return made_up(builder, rows);
}

// The law of the noise on cells that no document touched, at a fine and at a coarse scale.
std::string noise_law(const maker& make) {
  double worst = 1;
  std::string which;
  for (const int bits : {32, 2}) {
    for (const std::size_t documents : {0u, 3u}) {
      const toy_setup setup = setup_of(30000, 2, bits);
      const std::vector<std::int64_t> noise = make(setup)->frozen(low_words(30000, documents), 11);
      goodness_of_fit fit(floored_gaussian_law(std::ldexp(1, bits)), noise.size() - 40);
      for (std::size_t i = 40; i < noise.size(); ++i) fit.add(noise[i]);
      for (const auto& [name, p, sees_scale] : fit.p_values()) {
        if (p >= worst) continue;
        worst = p;
        which = name;
      }
    }
  }
  if (worst >= level) return {};
  std::ostringstream figure;
  figure << which << ", p " << (worst < 1e-99 ? "below 1e-99" : dplda::detail::text("= ", worst));
  return figure.str();
}

// Equal values within one release and between two releases from one source.
std::string noise_twice(const maker& make) {
  const toy_setup setup = setup_of(30000, 2, 40);
  const corpus nothing = low_words(30000, 0);
  const std::unique_ptr<toy_engine> engine = make(setup);
  random_source random = seeded_random(3);
  ledger spent;
  std::vector<double> values = engine->run(nothing, random, spent);
  const std::vector<double> more = engine->run(nothing, random, spent);
  values.insert(values.end(), more.begin(), more.end());
  std::sort(values.begin(), values.end());
  std::size_t equal = 0;
  for (std::size_t i = 1; i < values.size(); ++i) equal += values[i] == values[i - 1] ? 1 : 0;
  return equal < 10 ? std::string() : dplda::detail::text(equal, " of ", values.size(), " values are equal to another");
}

// How often a document is sampled: each has a word of its own, whose cell shows it.
std::string sampling_rate(const maker& make) {
  constexpr std::size_t documents = 20000, draws = 20;
  constexpr double rate = 0.3;
  toy_setup setup = setup_of(documents, 1, 30);
  setup.plan.sampling = poisson_sample{rate};
  corpus_builder builder;
  for (std::size_t d = 0; d < documents; ++d) {
    builder.add(static_cast<word_id>(d), 5);
    builder.end_document();
  }
  const corpus docs = made_up(builder, documents), nothing = docs.slice(0, 0);
  const std::unique_ptr<toy_engine> engine = make(setup);
  std::uint64_t taken = 0;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const std::vector<std::int64_t> sums = difference(engine->frozen(docs, seed), engine->frozen(nothing, seed));
    taken += documents - static_cast<std::uint64_t>(std::count(sums.begin(), sums.end(), 0));
  }
  if (binomial_p_value(taken, documents * draws, rate) >= level) return {};
  return dplda::detail::text("taken at a rate of ", static_cast<double>(taken) / (documents * draws), ", not ", rate);
}

// More units than max_units: nothing may reveal it.
std::string wrap_around(const maker& make) {
  toy_setup setup = setup_of(20, 2, 55);
  setup.plan.max_units = 1;
  const std::unique_ptr<toy_engine> engine = make(setup);
  random_source random = seeded_random(4);
  ledger spent;
  try {
    engine->run(low_words(20, 6000), random, spent);
  } catch (const std::exception& e) {
    return dplda::detail::text("threw: ", e.what());
  }
  return {};
}

std::string books(const maker& make) {
  const toy_setup setup = setup_of(30, 2, 32);
  const std::unique_ptr<toy_engine> engine = make(setup);
  random_source random = seeded_random(4);
  ledger spent, expected;
  for (const std::size_t documents : {0u, 1u, 5u}) engine->run(low_words(30, documents), random, spent);
  expected.record({.noise = gaussian_noise{1}, .label = "toy"}, 3);
  expected.mark_seeded();
  return spent == expected ? "" : "the ledger does not record what was done";
}

struct detector {
  const char* name;
  std::string (*run)(const maker&);
};
constexpr detector detectors[] = {{"grey box, documents", by_document},
                                  {"grey box, sampled documents", by_sampled_document},
                                  {"grey box, users", by_user},
                                  {"grey box, signed exchange", by_signed_exchange},
                                  {"law of the noise", noise_law},
                                  {"noise used twice", noise_twice},
                                  {"sampling rate", sampling_rate},
                                  {"wrap-around", wrap_around},
                                  {"books", books}};

struct finding {
  const char* detector;
  std::string figure;
};

std::vector<finding> findings(const maker& make) {
  std::vector<finding> all;
  for (const detector& d : detectors) {
    std::string figure = d.run(make);
    if (!figure.empty()) all.push_back({d.name, std::move(figure)});
  }
  return all;
}

template <class Engine>
maker make_of() {
  return [](const toy_setup& setup) { return std::make_unique<Engine>(setup); };
}

}  // namespace

TEST_CASE("The second kernel equals the library's", "[mechanisms][mutants]") {
  for (const bool with_signs : {false, true}) {
    for (const bool sick : {false, true}) {
      for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
        toy_setup setup = setup_of(30, 5, 36);
        setup.plan.signs = with_signs ? value_signs::any : value_signs::non_negative;
        setup.plan.unit = unit;
        setup.plan.relation = neighbours::replace;
        setup.plan.noise_multiplier = 0.7;
        setup.signed_values = with_signs;
        setup.sick_topics = sick;
        const toy_engine library(setup);
        const plain_kernel plain(setup);
        for (const named_corpus& c : adversarial_corpora(30, 8)) {
          random_source one = seeded_random(1), other = seeded_random(1);
          ledger spent, spent_by_other;
          CAPTURE(with_signs, sick, unit, c.name);
          CHECK(library.run(c.docs, one, spent) == plain.run(c.docs, other, spent_by_other));
          CHECK(spent == spent_by_other);
        }
      }
    }
  }
}

TEST_CASE("Detectors pass the library", "[mechanisms][mutants]") {
  for (const maker& make : {make_of<toy_engine>(), make_of<plain_kernel>()}) {
    for (const finding& f : findings(make)) {
      CAPTURE(f.detector, f.figure);
      CHECK(false);
    }
  }
}

TEST_CASE("Every mutant is caught", "[mechanisms][mutants]") {
  const std::pair<const char*, maker> mutants[] = {
      {"half sigma", make_of<half_sigma>()},
      {"noise on touched cells only", make_of<noise_on_touched_cells>()},
      {"truncation instead of floor", make_of<truncation>()},
      {"reused key", make_of<reused_key>()},
      {"drawn batch size", make_of<drawn_batch_size>()},
      {"clipping in float, no integer check", make_of<float_clipping>()},
      {"batched product in the E-step", make_of<batched_product>()},
      {"one stream for all blocks of cells", make_of<one_stream_for_all_blocks>()},
      {"no noise where there are no data", make_of<no_noise_without_data>()},
      {"integer norm in 64 bits", make_of<norm_in_64_bits>()},
      {"rows clipped one by one", make_of<rows_clipped_one_by_one>()},
      {"sums in floating point", make_of<sums_in_floating_point>()},
      {"sqrt 2 for signed values", make_of<root_2_for_signed_values>()},
      {"exception on wrap-around", make_of<exception_on_wrap>()},
      {"ledger told of more noise", make_of<books_flatter>()},
      {"random start from a shared stream", make_of<shared_random_start>()},
      {"iterations depend on the corpus", make_of<stops_by_the_whole_corpus>()},
      {"a user's documents clipped one by one", make_of<documents_of_a_user_clipped_one_by_one>()},
      {"sampling by position, not by id", make_of<decision_by_position>()},
      {"sampling rate rounded up", make_of<rate_rounded_up>()}};

  std::ostringstream table;
  table << std::left << std::setw(40) << "mutant"
        << "| " << std::setw(30) << "caught by"
        << "| figure\n";
  std::size_t caught = 0;
  for (const auto& [name, make] : mutants) {
    const std::vector<finding> found = findings(make);
    CAPTURE(name);
    CHECK_FALSE(found.empty());
    caught += found.empty() ? 0 : 1;
    std::string shown = name;
    for (const finding& f : found) {
      table << std::setw(40) << shown << "| " << std::setw(30) << f.detector << "| " << f.figure << '\n';
      shown.clear();
    }
    if (found.empty()) table << std::setw(40) << name << "| nobody\n";
  }
  std::cout << table.str() << "mutants caught: " << caught << " of " << std::size(mutants) << '\n';
}
