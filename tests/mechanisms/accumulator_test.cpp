// SPDX-License-Identifier: Apache-2.0
#include <dplda/mechanisms/accumulator.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

static_assert(!std::is_copy_constructible_v<accumulator> && !std::is_copy_assignable_v<accumulator>);
static_assert(std::is_nothrow_move_constructible_v<accumulator>);

namespace {

using rows_of = std::vector<std::uint32_t>;
template <class Real>
using values_of = std::vector<Real>;

template <class Real>
void add(accumulator& sums, const rows_of& rows, const std::vector<Real>& values) {
  sums.add(std::span<const std::uint32_t>(rows), std::span<const Real>(values));
}

// With a noise of 2^20 and a multiplier of 1 the integer bound is 2^20 - 1 (a hair below 2^20, rounded down). A clip
// norm of the same size makes the integer unit 1.
constexpr double c20 = 0x1p20 - 1;

accumulator_options unit_plan(std::size_t rows, std::size_t row_size = 1) {
  return {
      .rows = rows, .row_size = row_size, .clip = c20, .noise_multiplier = 1, .max_units = 1 << 10, .scale_bits = 20};
}

// The first release from a seed, as integers.
std::vector<std::int64_t> released(accumulator& sums, std::uint64_t seed = 1, std::size_t threads = 1) {
  random_source random = seeded_random(seed);
  ledger spent;
  return to_integers(sums.publish(random, spent, threads), sums.plan().unit_size());
}

// The sums without their noise: the release minus an empty release, which has the same noise.
std::vector<std::int64_t> exact_sums(accumulator& sums) {
  accumulator nothing(sums.options());
  return difference(released(sums), released(nothing));
}

template <class Real = double>
std::vector<std::int64_t> contribution(const accumulator_options& options, const rows_of& rows,
                                       const std::vector<Real>& values) {
  accumulator sums(options);
  add(sums, rows, values);
  return exact_sums(sums);
}

rows_of first_rows(std::size_t count) {
  rows_of rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = static_cast<std::uint32_t>(i);
  return rows;
}

const double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

using integers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("Values are cut toward zero to integers", "[mechanisms][accumulator]") {
  accumulator_options plan = unit_plan(6);
  CHECK(accumulator_plan(plan).bound() == (1u << 20) - 1);
  const std::vector<double> values{2.9, 3.0, 0.5, 1000.0, -2.9, -7.0};
  CHECK(contribution(plan, first_rows(6), values) == integers{2, 3, 0, 1000, 0, 0});
  plan.signs = value_signs::any;
  CHECK(contribution(plan, first_rows(6), values) == integers{2, 3, 0, 1000, -2, -7});
  plan.noise = noise_kind::laplace;
  CHECK(contribution(plan, first_rows(6), values) == integers{2, 3, 0, 1000, -2, -7});
  CHECK(contribution(plan, first_rows(6), std::vector<float>{2.9f, 3, 0.5f, 1000, -2.9f, -7}) ==
        integers{2, 3, 0, 1000, -2, -7});
}

TEST_CASE("The clip norm is worth the integer bound", "[mechanisms][accumulator]") {
  accumulator_options plan = unit_plan(2);
  plan.clip = 4;
  // Half the clip norm is half the bound.
  CHECK(contribution(plan, {1}, std::vector<double>{2.0}) == integers{0, (1 << 19) - 1});
}

TEST_CASE("Rows of several cells keep their order", "[mechanisms][accumulator]") {
  CHECK(contribution(unit_plan(3, 2), {0, 2}, std::vector<double>{1, 2, 3, 4}) == integers{1, 2, 0, 0, 3, 4});
}

TEST_CASE("Adding some columns is adding all columns with zeros in the others", "[mechanisms][accumulator]") {
  const auto in_columns = [](const rows_of& rows, const rows_of& columns, const std::vector<double>& values) {
    accumulator sums(unit_plan(3, 4));
    sums.add(std::span<const std::uint32_t>(rows), std::span<const std::uint32_t>(columns),
             std::span<const double>(values));
    return exact_sums(sums);
  };
  const double large = 3 * c20;  // to be shortened
  CHECK(in_columns({0, 2}, {1, 3}, {1, 2, large, 4}) ==
        contribution(unit_plan(3, 4), {0, 2}, std::vector<double>{0, 1, 0, 2, 0, large, 0, 4}));
  CHECK(in_columns({2, 0, 2}, {0}, {1, 2, 4}) == integers{2, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0});
  const integers nothing(12, 0);
  CHECK(in_columns({0}, {4}, {1}) == nothing);
  CHECK(in_columns({0}, {1, 1}, {1, 1}) == nothing);
  CHECK(in_columns({0}, {2, 1}, {1, 1}) == nothing);
  CHECK(in_columns({0}, {}, {}) == nothing);
  CHECK_THROWS_AS(in_columns({0, 1}, {1, 2}, {1, 1}), std::logic_error);
}

TEST_CASE("Long contributions are shortened to the bound and keep their direction", "[mechanisms][accumulator]") {
  accumulator_options plan = unit_plan(2);
  for (const double length : {1.0, 1.000001, 2.0, 1e3, 1e100}) {
    // (3, 4) / 5 at the bound is (629145, 838860) of 2^20 - 1, less a millionth.
    const integers l2 = contribution(plan, {0, 1}, std::vector<double>{0.6 * length * c20, 0.8 * length * c20});
    CHECK(std::abs(l2[0] - 629145) <= 2);
    CHECK(std::abs(l2[1] - 838860) <= 2);
    CHECK(integer_norm(l2, false) <= uint128{(1u << 20) - 1} * ((1u << 20) - 1));
  }
  plan.noise = noise_kind::laplace;
  for (const double length : {1.0, 1.000001, 2.0, 1e3, 1e300}) {
    const integers l1 = contribution(plan, {0, 1}, std::vector<double>{0.25 * length * c20, 0.75 * length * c20});
    CHECK(std::abs(l1[0] - 262143) <= 2);
    CHECK(std::abs(l1[1] - 786431) <= 2);
    CHECK(l1[0] + l1[1] <= (1 << 20) - 1);
  }
}

TEST_CASE("A value that is not finite voids its unit, and no other", "[mechanisms][accumulator]") {
  for (const noise_kind noise : {noise_kind::gaussian, noise_kind::laplace}) {
    for (const value_signs signs : {value_signs::any, value_signs::non_negative}) {
      accumulator_options plan = unit_plan(3);
      plan.noise = noise;
      plan.signs = signs;
      for (const double bad : {nan_value, -nan_value, infinity, -infinity}) {
        accumulator sums(plan);
        add(sums, {0, 1}, std::vector<double>{1, 2});
        add(sums, {0, 1, 2}, std::vector<double>{5, bad, 5});
        add(sums, {0, 1, 2}, std::vector<float>{5, 5, static_cast<float>(bad)});
        add(sums, {2, 1, 2}, std::vector<double>{5, 5, bad});  // by way of the sums of repeated rows
        CHECK(exact_sums(sums) == integers{1, 2, 0});
      }
      CHECK(contribution(plan, {0, 0}, std::vector<double>{infinity, -infinity}) == integers{0, 0, 0});
    }
  }
}

TEST_CASE("An empty unit contributes zero", "[mechanisms][accumulator]") {
  CHECK(contribution(unit_plan(2), {}, std::vector<double>{}) == integers{0, 0});
  CHECK(contribution(unit_plan(2), {0, 1}, std::vector<double>{-0.0, 0.0}) == integers{0, 0});
}

namespace {

// Faulty values: of any size, NaN, or close to a bound.
template <class Real>
class nasty_values {
 public:
  explicit nasty_values(std::uint64_t seed) : bits_(seeded_random(seed).stream("nasty")) {}

  // A contribution of `size` values to a clip norm of 1.
  void fill(std::span<Real> values) {
    const std::uint64_t kind = uniform_below(bits_, 12);
    const Real each = static_cast<Real>(1 / std::sqrt(static_cast<double>(values.size())));
    for (Real& value : values) {
      switch (kind) {
        case 0:  // any bits: NaN, Inf, denormal
          value = any_bits();
          break;
        case 1:  // any finite bits
          do value = any_bits();
          while (!std::isfinite(value));
          break;
        case 2:
          value = static_cast<Real>(std::ldexp(position(), 120));
          break;
        case 3:
          value = std::numeric_limits<Real>::denorm_min() * static_cast<Real>(uniform_below(bits_, 100));
          break;
        case 4:
          value = Real{-0.0f};
          break;
        case 5:  // the l2 norm is the bound, or some units in the last place from it
        case 6:
          value = beside(each);
          break;
        case 7:  // the l1 norm is the bound
          value = beside(Real{1} / static_cast<Real>(values.size()));
          break;
        case 8:
          value = beside(1);
          break;
        case 9:  // of all sizes
          value = static_cast<Real>(std::ldexp(position(), static_cast<int>(uniform_below(bits_, 80)) - 60));
          break;
        case 10:
          value = static_cast<Real>(position());
          break;
        default:
          value = static_cast<Real>(position() * 3);
      }
      if (uniform_below(bits_, 8) == 0) value = -value;
    }
    if (kind >= 8 && uniform_below(bits_, 3) == 0) {  // one cell holds it all
      for (Real& value : values.subspan(1)) value = 0;
    }
    if (uniform_below(bits_, 50) == 0) values[uniform_below(bits_, values.size())] = static_cast<Real>(nan_value);
  }

 private:
  Real any_bits() {
    if constexpr (std::is_same_v<Real, float>) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits_()));
    } else {
      return std::bit_cast<double>(bits_());
    }
  }
  double position() { return uniform_open(bits_); }
  Real beside(Real value) {
    for (std::uint64_t steps = uniform_below(bits_, 5); steps > 0; --steps) value = std::nextafter(value, Real{2});
    for (std::uint64_t steps = uniform_below(bits_, 5); steps > 0; --steps) value = std::nextafter(value, Real{0});
    return value;
  }

  chacha20 bits_;
};

}  // namespace

TEMPLATE_TEST_CASE("No contribution is ever longer than the bound", "[mechanisms][accumulator]", double, float) {
  // Each unit has cells of its own, so that one release shows the integers of them all.
  constexpr std::size_t units = 1 << 16, width = 12;
  nasty_values<TestType> nasty(3);
  std::size_t seen = 0, present = 0;
  double largest = 0;
  for (int round = 0; round < 8; ++round) {
    for (const bool l1 : {false, true}) {
      for (const value_signs signs : {value_signs::any, value_signs::non_negative}) {
        accumulator_options plan{.rows = units,
                                 .row_size = width,
                                 .clip = 1,
                                 .noise_multiplier = 0.9 + 0.1 * round,
                                 .noise = l1 ? noise_kind::laplace : noise_kind::gaussian,
                                 .signs = signs,
                                 .max_units = 1,
                                 .scale_bits = 5 + 6 * round};
        // Laplace noise is slow to draw, so there are fewer units.
        if (l1) plan.rows /= 4;
        accumulator sums(plan);
        const std::uint64_t c = sums.plan().bound();
        std::vector<TestType> values(width);
        for (std::uint32_t unit = 0; unit < plan.rows; ++unit) {
          const std::size_t used = 1 + unit % width;
          values.assign(width, 0);
          nasty.fill(std::span(values).first(used));
          add(sums, {unit}, values);
        }
        const integers q = exact_sums(sums);
        const uint128 limit = l1 ? uint128{c} : uint128{c} * c;
        std::size_t too_long = 0, negative = 0;
        for (std::size_t unit = 0; unit < plan.rows; ++unit) {
          const uint128 norm = integer_norm(std::span(q).subspan(unit * width, width), l1);
          too_long += norm > limit ? 1 : 0;
          present += norm > 0 ? 1 : 0;
          const double ratio = static_cast<double>(norm) / static_cast<double>(limit);
          largest = std::max(largest, l1 ? ratio : std::sqrt(ratio));
        }
        for (const std::int64_t value : q) negative += value < 0 ? 1 : 0;
        CAPTURE(round, l1, c);
        CHECK(too_long == 0);
        if (signs == value_signs::non_negative) CHECK(negative == 0);
        seen += plan.rows;
      }
    }
  }
  CHECK(seen > 1000000);
  CHECK(present > seen / 3);  // otherwise the bound would hold because nothing was added
  CHECK(largest > 0.99999);
}

TEMPLATE_TEST_CASE("A million equal cells are within the bound, and not dropped", "[mechanisms][accumulator]", double,
                   float) {
  constexpr std::size_t cells = 1000000;
  for (const bool l1 : {false, true}) {
    for (const double size : {1e-3, 1.0, 1e10}) {
      accumulator_options plan{
          .rows = 1, .row_size = cells, .clip = 1, .noise_multiplier = 1, .max_units = 1, .scale_bits = 40};
      if (l1) {
        plan.noise = noise_kind::laplace;
        plan.rows = 1;
        plan.row_size = cells / 10;
      }
      accumulator sums(plan);
      const std::uint64_t c = sums.plan().bound();
      add(sums, {0}, std::vector<TestType>(plan.row_size, static_cast<TestType>(size)));
      const integers q = exact_sums(sums);
      const uint128 norm = integer_norm(q, l1), limit = l1 ? uint128{c} : uint128{c} * c;
      CHECK(norm <= limit);
      // The norm is 1, less a millionth and what truncation to integers costs.
      if (size >= 1) CHECK(static_cast<double>(norm) > 0.9999 * static_cast<double>(limit));
    }
  }
}

TEST_CASE("The noise is at least the multiplier times the sensitivity", "[mechanisms][accumulator]") {
  using rational = boost::multiprecision::cpp_rational;
  chacha20 bits = seeded_random(5).stream("multipliers");
  std::vector<double> multipliers{0.01, 0.1, 0.5, 1, std::sqrt(2.0), 2, 3, 10, 1000, 1.0 / 3};
  for (const double power : {0.25, 1.0, 4.0}) {
    multipliers.push_back(std::nextafter(power, 0));
    multipliers.push_back(std::nextafter(power, 10));
  }
  for (int i = 0; i < 300; ++i) multipliers.push_back(std::exp(12 * uniform_open(bits) - 4));

  std::size_t checked = 0, tight = 0;
  for (const double z : multipliers) {
    for (const noise_kind noise : {noise_kind::gaussian, noise_kind::laplace, noise_kind::discrete_gaussian}) {
      for (const value_signs signs : {value_signs::any, value_signs::non_negative}) {
        for (const neighbours relation : {neighbours::add_remove, neighbours::replace}) {
          for (const bool sampled : {false, true}) {
            if (sampled && relation == neighbours::replace && noise != noise_kind::gaussian) continue;
            int square = 1;  // of sensitivity / C
            if (relation == neighbours::replace) {
              square = noise == noise_kind::laplace || signs == value_signs::any || sampled ? 4 : 2;
            }
            for (const int s : {0, 14, 20, 33, 40}) {
              accumulator_options plan{.rows = 1,
                                       .clip = 1,
                                       .noise_multiplier = z,
                                       .noise = noise,
                                       .signs = signs,
                                       .relation = relation,
                                       .max_units = 1,
                                       .scale_bits = s};
              if (sampled) plan.sampling = poisson_sample{0.1};
              const accumulator sums(plan);
              const rational r(sums.noise()), zr(z);
              // What the plan says (clip = 1): noise^2 >= z^2 sensitivity^2.
              bool enough = r * r >= zr * zr * square;
              if (s > 0) {  // and what the integers are: 2^2s >= z^2 square C^2
                const boost::multiprecision::cpp_int c = sums.plan().bound(),
                                                     two_to_2s = boost::multiprecision::cpp_int(1) << (2 * s);
                enough = enough && rational(two_to_2s) >= zr * zr * square * c * c;
                tight += rational(two_to_2s) < zr * zr * square * (c + 2) * (c + 2) ? 1 : 0;
                ++checked;
              }
              if (!enough) {
                CAPTURE(z, static_cast<int>(noise), static_cast<int>(signs), relation, sampled, s);
                CHECK(enough);
              }
            }
          }
        }
      }
    }
  }
  CHECK(checked > 20000);
  CHECK(tight == checked);  // and no more noise than that
}

TEST_CASE("Exchanging a unit needs more noise than removing one", "[mechanisms][accumulator]") {
  const auto noise_of = [](noise_kind noise, value_signs signs, neighbours relation, sampling seen) {
    return accumulator({.rows = 1,
                        .clip = 3,
                        .noise_multiplier = 2,
                        .noise = noise,
                        .signs = signs,
                        .relation = relation,
                        .sampling = seen,
                        .max_units = 100})
        .noise();
  };
  using Catch::Approx;
  const auto same = [](double value) { return Approx(value).epsilon(1e-9); };
  const sampling all = all_units{}, some = poisson_sample{0.1}, fixed = fixed_size_sample{1, 10};
  for (const noise_kind noise : {noise_kind::gaussian, noise_kind::laplace, noise_kind::discrete_gaussian}) {
    for (const value_signs signs : {value_signs::any, value_signs::non_negative}) {
      CHECK(noise_of(noise, signs, neighbours::add_remove, all) == same(6));
      CHECK(noise_of(noise, signs, neighbours::add_remove, some) == same(6));
    }
    CHECK(noise_of(noise, value_signs::any, neighbours::replace, all) == same(12));
    CHECK(noise_of(noise, value_signs::any, neighbours::replace, fixed) == same(12));
  }
  for (const noise_kind noise : {noise_kind::gaussian, noise_kind::discrete_gaussian}) {
    CHECK(noise_of(noise, value_signs::non_negative, neighbours::replace, all) == same(6 * std::sqrt(2.0)));
    CHECK(noise_of(noise, value_signs::non_negative, neighbours::replace, fixed) == same(6 * std::sqrt(2.0)));
  }
  CHECK(noise_of(noise_kind::laplace, value_signs::non_negative, neighbours::replace, all) == same(12));
  CHECK(noise_of(noise_kind::gaussian, value_signs::non_negative, neighbours::replace, some) == same(12));
  CHECK(noise_of(noise_kind::gaussian, value_signs::any, neighbours::replace, some) == same(12));
}

TEST_CASE("Without scale_bits the finest scale is taken that max_units cannot wrap", "[mechanisms][accumulator]") {
  // 2^24 units of about 2^37 and the noise stay below 2^62, and would not at 2^38.
  accumulator_options plan{.rows = 1, .noise_multiplier = 1};
  accumulator automatic(plan);
  plan.scale_bits = 37;
  accumulator chosen(plan);
  CHECK(automatic.noise() == chosen.noise());
  plan.scale_bits = 38;
  CHECK(refusal([&] { accumulator too_fine(plan); }) ==
        "dplda::accumulator: scale_bits is 38, but must be small enough for sums of 16777216 units to stay below 2^62, "
        "and an integer bound of at most 2^55");
  // One unit and little noise: as fine as the sampler goes, 2^55.
  CHECK(accumulator({.rows = 1, .noise_multiplier = 1, .max_units = 1}).noise() ==
        accumulator({.rows = 1, .noise_multiplier = 1, .max_units = 1, .scale_bits = 55}).noise());
}

TEST_CASE("Repeated and unsorted rows are added up before the norm is taken", "[mechanisms][accumulator]") {
  const accumulator_options plan = unit_plan(4, 2);
  const integers expected = contribution(plan, {0, 1, 3}, std::vector<double>{1, 2, 30, 40, 500, 600});
  CHECK(expected == integers{1, 2, 30, 40, 0, 0, 500, 600});
  CHECK(contribution(plan, {3, 0, 1}, std::vector<double>{500, 600, 1, 2, 30, 40}) == expected);
  CHECK(contribution(plan, {1, 3, 1, 0, 3}, std::vector<double>{10, 39, 250, 599, 20, 1, 1, 2, 250, 1}) == expected);
  CHECK(contribution(plan, {3, 3, 0, 1}, std::vector<float>{250, 300, 250, 300, 1, 2, 30, 40}) == expected);
  // Halves make one when they are added before they are cut.
  CHECK(contribution(plan, {2, 2}, std::vector<double>{0.5, 0.5, 0.5, 0.25}) == integers{0, 0, 0, 0, 1, 0, 0, 0});
  // Opposite entries cancel before they are clipped at zero.
  CHECK(contribution(plan, {2, 2}, std::vector<double>{5, 5, -2, -7}) == integers{0, 0, 0, 0, 3, 0, 0, 0});
}

TEST_CASE("The documents of a user are clipped as one", "[mechanisms][accumulator]") {
  const accumulator_options plan = unit_plan(3);
  const double c = c20;
  // Two documents, each at the bound.
  accumulator as_user(plan), one_by_one(plan);
  add(as_user, {0, 1, 0, 2}, std::vector<double>{0.6 * c, 0.8 * c, 0.6 * c, 0.8 * c});
  add(one_by_one, {0, 1}, std::vector<double>{0.6 * c, 0.8 * c});
  add(one_by_one, {0, 2}, std::vector<double>{0.6 * c, 0.8 * c});
  const uint128 limit = uint128{(1u << 20) - 1} * ((1u << 20) - 1);
  const integers user = exact_sums(as_user);
  CHECK(integer_norm(user, false) <= limit);
  CHECK(static_cast<double>(integer_norm(user, false)) > 0.9999 * static_cast<double>(limit));
  CHECK(std::abs(2 * user[0] - 3 * user[1]) <= 5);
  CHECK(integer_norm(exact_sums(one_by_one), false) > 2 * limit);
}

namespace {

// 200 contributions of nasty and of ordinary values.
void add_unit(accumulator& sums, std::uint64_t unit) {
  nasty_values<double> nasty(100 + unit);
  const std::size_t width = sums.options().row_size, rows = 1 + unit % 5;
  rows_of where(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    where[i] = static_cast<std::uint32_t>((unit * 31 + i * i * 7) % sums.options().rows);
  }
  std::vector<double> values(rows * width);
  nasty.fill(values);
  add(sums, where, values);
}

}  // namespace

TEST_CASE("Merging is exact in any order and any division", "[mechanisms][accumulator]") {
  for (const noise_kind noise : {noise_kind::gaussian, noise_kind::laplace}) {
    accumulator_options plan{.rows = 50,
                             .row_size = 3,
                             .noise_multiplier = 1.3,
                             .noise = noise,
                             .signs = value_signs::any,
                             .max_units = 1000,
                             .scale_bits = 40};
    constexpr std::uint64_t units = 200;
    accumulator whole(plan);
    for (std::uint64_t unit = 0; unit < units; ++unit) add_unit(whole, unit);
    const integers expected = released(whole);
    for (const std::size_t parts : {1u, 2u, 3u, 8u}) {
      std::vector<accumulator> pieces;
      for (std::size_t p = 0; p < parts; ++p) pieces.emplace_back(plan);
      for (std::uint64_t i = 0; i < units; ++i) {
        const std::uint64_t unit = i * 77 % units;  // another order: 77 and 200 have no common factor
        add_unit(pieces[unit % parts], unit);
      }
      for (std::size_t p = parts - 1; p > 0; --p) pieces[p / 2].merge(pieces[p]);
      CHECK(released(pieces[0]) == expected);
      // What was merged is empty.
      accumulator nothing(plan);
      if (parts > 1) CHECK(released(pieces[1]) == released(nothing));
    }
  }
}

TEST_CASE("Only accumulators of one plan merge", "[mechanisms][accumulator]") {
  const std::string says =
      "dplda::accumulator::merge: the other accumulator is not one of the same plan, but must have equal options";
  accumulator sums(unit_plan(2));
  add(sums, {0}, std::vector<double>{5});
  CHECK(refusal([&] { sums.merge(sums); }) == says);
  const auto refused = [&](auto change) {
    accumulator_options plan = unit_plan(2);
    change(plan);
    accumulator other(plan);
    return refusal([&] { sums.merge(other); });
  };
  CHECK(refused([](accumulator_options& o) { o.rows = 3; }) == says);
  CHECK(refused([](accumulator_options& o) { o.clip = 1; }) == says);
  CHECK(refused([](accumulator_options& o) { o.noise_multiplier = 1.5; }) == says);
  CHECK(refused([](accumulator_options& o) { o.noise = noise_kind::laplace; }) == says);
  CHECK(refused([](accumulator_options& o) { o.signs = value_signs::any; }) == says);
  CHECK(refused([](accumulator_options& o) { o.unit = privacy_unit::user; }) == says);
  CHECK(refused([](accumulator_options& o) { o.sampling = poisson_sample{0.5}; }) == says);
  CHECK(refused([](accumulator_options& o) { o.max_units = 7; }) == says);
  CHECK(refused([](accumulator_options& o) { o.label = "other"; }) == says);
  CHECK(refused([](accumulator_options&) {}).empty());
  CHECK(exact_sums(sums) == integers{5, 0});
}

TEST_CASE("The number of threads changes no bit", "[mechanisms][accumulator]") {
  for (const noise_kind noise : {noise_kind::gaussian, noise_kind::laplace, noise_kind::discrete_gaussian}) {
    accumulator_options plan = unit_plan(9001, 3);  // six blocks and a bit
    plan.noise = noise;
    const auto run = [&](std::size_t threads) {
      accumulator sums(plan);
      for (std::uint64_t unit = 0; unit < 50; ++unit) add_unit(sums, unit);
      return released(sums, 9, threads);
    };
    const integers expected = run(1);
    for (const std::size_t threads : {0u, 2u, 3u, 8u}) CHECK(run(threads) == expected);
  }
}

TEST_CASE("A release empties the accumulator", "[mechanisms][accumulator]") {
  accumulator sums(unit_plan(3)), nothing(unit_plan(3));
  add(sums, {0, 1, 2}, std::vector<double>{10, 20, 30});
  CHECK(exact_sums(sums) == integers{10, 20, 30});
  CHECK(exact_sums(sums) == integers{0, 0, 0});
  add(sums, {1}, std::vector<double>{7});
  CHECK(exact_sums(sums) == integers{0, 7, 0});
}

TEST_CASE("Results may be written as float", "[mechanisms][accumulator]") {
  accumulator one(unit_plan(5000)), other(unit_plan(5000));
  random_source random = seeded_random(1), same = seeded_random(1);
  ledger spent;
  std::vector<float> floats(5000);
  one.publish(random, spent, std::span(floats), 2);
  const std::vector<double> doubles = other.publish(same, spent);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    if (floats[i] != static_cast<float>(doubles[i])) FAIL("cell " << i);
  }
}

TEST_CASE("A release is one event in the ledger", "[mechanisms][accumulator]") {
  const auto event_of = [](accumulator_options plan) {
    accumulator sums(plan);
    random_source random = secure_random();
    ledger spent;
    sums.publish(random, spent);
    REQUIRE(spent.entries().size() == 1);
    CHECK(spent.entries()[0].count == 1);
    CHECK(spent.entries()[0].event == sums.plan().event());
    CHECK_FALSE(spent.seeded());
    return spent.entries()[0].event;
  };
  CHECK(event_of({.rows = 1, .noise_multiplier = 1.5}) == privacy_event{.noise = gaussian_noise{1.5}});
  CHECK(event_of({.rows = 1, .noise_multiplier = 1.5, .noise = noise_kind::discrete_gaussian}) ==
        privacy_event{.noise = discrete_gaussian_noise{1.5}});
  CHECK(event_of({.rows = 1,
                  .noise_multiplier = 2,
                  .noise = noise_kind::laplace,
                  .unit = privacy_unit::user,
                  .relation = neighbours::replace,
                  .label = "words"}) ==
        privacy_event{
            .noise = laplace_noise{2}, .unit = privacy_unit::user, .relation = neighbours::replace, .label = "words"});
  CHECK(event_of({.rows = 1, .noise_multiplier = 1, .unit = privacy_unit::token}) ==
        privacy_event{.noise = gaussian_noise{1}, .unit = privacy_unit::token});
  CHECK(accumulator({.rows = 1, .noise_multiplier = 1, .sampling = poisson_sample{0.25}}).plan().event() ==
        privacy_event{.noise = gaussian_noise{1}, .sampling = poisson_sample{0.25}});

  accumulator sums(unit_plan(2));
  random_source random = seeded_random(1);
  ledger spent;
  for (int i = 0; i < 3; ++i) sums.publish(random, spent);
  REQUIRE(spent.entries().size() == 1);
  CHECK(spent.entries()[0].count == 3);
  CHECK(spent.seeded());
}

TEST_CASE("A refused release changes nothing", "[mechanisms][accumulator]") {
  accumulator sums(unit_plan(3)), undisturbed(unit_plan(3));
  for (accumulator* a : {&sums, &undisturbed}) add(*a, {0, 2}, std::vector<double>{11, 22});
  random_source random = seeded_random(2), other = seeded_random(2);

  ledger users;
  users.record({.noise = gaussian_noise{1}, .unit = privacy_unit::user});
  const ledger before = users;
  CHECK_FALSE(refusal([&] { sums.publish(random, users); }).empty());
  CHECK(users == before);
  CHECK_FALSE(users.seeded());

  ledger spent, spent_by_other;
  std::vector<double> small(2);
  CHECK(refusal([&] { sums.publish(random, spent, std::span(small)); }) ==
        "dplda::accumulator::publish: size of the result is 2, but must be the number of cells, 3");
  CHECK(small == std::vector<double>(2));
  CHECK(spent.empty());
  CHECK_FALSE(spent.seeded());

  CHECK(sums.publish(random, spent) == undisturbed.publish(other, spent_by_other));
  CHECK(spent == spent_by_other);
}

TEST_CASE("An invalid contribution adds nothing", "[mechanisms][accumulator]") {
  accumulator sums(unit_plan(3, 2));
  add(sums, {1}, std::vector<double>{5, 6});
  // Rows that do not exist: no exception, because it would reveal that such a unit is there.
  add(sums, {0, 3}, std::vector<double>{1, 2, 3, 4});
  add(sums, {0, 0xFFFFFFFFu, 1}, std::vector<float>{1, 2, 3, 4, 5, 6});
  // A mistake of the caller.
  CHECK_THROWS_AS(add(sums, {0, 1}, std::vector<double>{1, 2, 3}), std::logic_error);
  CHECK_THROWS_AS(add(sums, {}, std::vector<double>{1, 2}), std::logic_error);
  CHECK(exact_sums(sums) == integers{0, 0, 5, 6, 0, 0});
}

TEST_CASE("A sampled plan releases with its own batch, once", "[mechanisms][accumulator]") {
  const corpus docs = make_corpus({{0}, {0}}, 1, {0, 1}, 2);
  const privacy_units documents(docs, privacy_unit::document), users(docs, privacy_unit::user);
  const poisson_sampler sampler(0.5);
  accumulator sums({.rows = 1, .noise_multiplier = 1, .sampling = sampler.event()});
  random_source secret = secure_random(), seeded = seeded_random(1);
  ledger spent;
  CHECK_THAT(refusal([&] { sums.publish(secret, spent); }), Catch::Matchers::ContainsSubstring("given the batch"));
  const std::string other =
      "dplda::accumulator::publish: the batch is of another plan, but must be drawn with the plan's sampling and unit";
  CHECK(refusal([&] { sums.publish(sampler.draw(users, secret), secret, spent); }) == other);
  CHECK(refusal([&] { sums.publish(poisson_sampler(0.6).draw(documents, secret), secret, spent); }) == other);
  CHECK(spent.empty());
  sums.publish(sampler.draw(documents, secret), secret, spent);
  CHECK_FALSE(spent.seeded());
  CHECK(spent.entries().size() == 1);
  // A sample drawn with a seed marks the ledger as seeded, even if the noise is secret.
  sums.publish(sampler.draw(documents, seeded), secret, spent);
  CHECK(spent.seeded());
  CHECK(spent.entries().front().count == 2);
}

TEST_CASE("An accumulator that was moved from refuses to work", "[mechanisms][accumulator]") {
  accumulator sums(unit_plan(3, 2)), same(unit_plan(3, 2));
  const accumulator taken = std::move(sums);
  CHECK_THROWS_AS(add(sums, {1}, std::vector<double>{5, 6}), std::logic_error);
  CHECK_THROWS_AS(same.merge(sums), std::logic_error);
  CHECK_THROWS_AS(sums.merge(same), std::logic_error);
  random_source random = seeded_random(1);
  ledger spent;
  CHECK_THROWS_AS(sums.publish(random, spent), std::logic_error);
  CHECK(spent.empty());
}

TEST_CASE("Every cell has noise of the right law, touched or not", "[mechanisms][accumulator]") {
  // Twenty-six p-values and nine of correlations, each against the suite's level.
  constexpr std::size_t cells = 1 << 17;
  const std::pair<noise_kind, integer_law> kinds[] = {{noise_kind::gaussian, floored_gaussian_law(0x1p20)},
                                                      {noise_kind::laplace, floored_laplace_law(0x1p20)},
                                                      {noise_kind::discrete_gaussian, discrete_gaussian_law(0x1p20)}};
  for (const auto& [kind, law] : kinds) {
    accumulator_options plan = unit_plan(cells);
    plan.noise = kind;
    accumulator sums(plan);
    add(sums, {3}, std::vector<double>{1000});
    integers noise = released(sums, 6);
    noise[3] -= 1000;
    goodness_of_fit fit(law, cells);
    for (const std::int64_t x : noise) fit.add(x);
    for (const auto& [name, p, sees_scale] : fit.p_values()) {
      CAPTURE(static_cast<int>(kind), name, p);
      CHECK(p > suite_level);
    }
    // Neighbouring cells, and the same places of neighbouring blocks, are not correlated.
    double variance = 0;
    for (const std::int64_t x : noise) variance += static_cast<double>(x) * static_cast<double>(x) / cells;
    for (const std::size_t lag : {std::size_t{1}, std::size_t{2}, std::size_t{4096}}) {
      double products = 0;
      for (std::size_t i = lag; i < cells; ++i) {
        products += static_cast<double>(noise[i]) * static_cast<double>(noise[i - lag]);
      }
      CAPTURE(static_cast<int>(kind), lag);
      CHECK(normal_p_value(products / (variance * std::sqrt(cells - lag))) > suite_level);
    }
  }
}

TEST_CASE("Two releases share no noise", "[mechanisms][accumulator]") {
  constexpr std::size_t cells = 10000;
  accumulator_options plan = unit_plan(cells);
  plan.scale_bits = 40;
  accumulator sums(plan), other(plan);
  random_source random = seeded_random(1);
  ledger spent;
  std::vector<double> all;
  for (accumulator* a : {&sums, &sums, &other}) {
    const std::vector<double> noise = a->publish(random, spent);
    all.insert(all.end(), noise.begin(), noise.end());
  }
  for (int fresh = 0; fresh < 2; ++fresh) {
    random_source secret = secure_random();
    const std::vector<double> noise = sums.publish(secret, spent);
    all.insert(all.end(), noise.begin(), noise.end());
  }
  // 50,000 values of a spread of 2^40: an equal pair is expected in one of 3,000 runs, four in one of 10^15.
  std::sort(all.begin(), all.end());
  CHECK(std::unique(all.begin(), all.end()) - all.begin() > static_cast<std::ptrdiff_t>(all.size()) - 4);
}

TEST_CASE("Sums beyond max_units wrap without an error", "[mechanisms][accumulator]") {
  // A bound of 2^55 - 32 integer units: 1024 units of 2^54 make 2^64, which is 0.
  const double clip = 0x1p55 - 32;
  const accumulator_options plan{
      .rows = 3, .clip = clip, .noise_multiplier = 1, .signs = value_signs::any, .max_units = 1, .scale_bits = 55};
  const auto release_of = [&](int units, double value) {
    accumulator sums(plan);
    for (int i = 0; i < units; ++i) add(sums, {1}, std::vector<double>{value});
    random_source random = seeded_random(12);
    ledger spent;
    return sums.publish(random, spent);
  };
  const std::vector<double> nothing = release_of(0, 0x1p54);
  CHECK(nothing[1] != release_of(1, 0x1p54)[1]);
  CHECK(release_of(1024, 0x1p54) == nothing);
  CHECK(release_of(1025, 0x1p54) == release_of(1, 0x1p54));
  CHECK(release_of(3072, -0x1p54) == nothing);
  // Half of a round is as far up as it is down.
  CHECK(release_of(512, 0x1p54) == release_of(512, -0x1p54));
  CHECK(release_of(512, 0x1p54)[0] == nothing[0]);
}

TEST_CASE("A moved accumulator takes its sums along", "[mechanisms][accumulator]") {
  accumulator first(unit_plan(2));
  add(first, {1}, std::vector<double>{9});
  accumulator second(std::move(first));
  CHECK(exact_sums(second) == integers{0, 9});
}

TEST_CASE("Bad options are refused with the reason", "[mechanisms][accumulator]") {
  const auto refused = [](auto change) {
    accumulator_options plan = unit_plan(2);
    change(plan);
    return refusal([&] { accumulator sums(plan); });
  };
  CHECK(refused([](accumulator_options&) {}).empty());
  const std::string says = "dplda::accumulator: ";
  CHECK(refused([](accumulator_options& o) { o.rows = 0; }) == says + "number of cells is 0, but must be at least 1");
  CHECK(refused([](accumulator_options& o) { o.row_size = 0; }) ==
        says + "number of cells is 0, but must be at least 1");
  CHECK_THAT(refused([](accumulator_options& o) { o.rows = (std::size_t{1} << 32) + 1; }),
             Catch::Matchers::StartsWith(says + "number of rows is 4294967297, but must be at most 2^32"));
  // A product of 2^65, or 0 in 64 bits.
  CHECK(refused([](accumulator_options& o) {
          o.rows = std::size_t{1} << 32;
          o.row_size = std::size_t{1} << 33;
        }) == says + "number of rows is 4294967296, but must be at most 2^32, and rows times row_size at most 2^60");
  for (const double bad : {0.0, -1.0, infinity, nan_value}) {
    CHECK(refused([&](accumulator_options& o) { o.clip = bad; }) ==
          dplda::detail::text(says, "clip is ", bad, ", but must lie in [1e-100, 1e100]"));
    CHECK(refused([&](accumulator_options& o) { o.noise_multiplier = bad; }) ==
          dplda::detail::text(says, "noise multiplier is ", bad, ", but must be positive and finite"));
  }
  CHECK(refused([](accumulator_options& o) { o.max_units = 0; }) == says + "max_units is 0, but must lie in [1, 2^48]");
  CHECK(refused([](accumulator_options& o) { o.max_units = (std::uint64_t{1} << 48) + 1; }) ==
        says + "max_units is 281474976710657, but must lie in [1, 2^48]");
  for (const int bad : {-1, 56}) {
    CHECK(refused([&](accumulator_options& o) { o.scale_bits = bad; }) ==
          dplda::detail::text(says, "scale_bits is ", bad,
                              ", but must lie in [1, 55], or be 0 for the largest that fits"));
  }
  // The noise leaves no integer for the bound; or the bound is so large that nothing fits.
  CHECK(refused([](accumulator_options& o) { o.noise_multiplier = 0x1p20; }) ==
        says +
            "noise multiplier is 1.04858e+06, but must be lower: the clip norm is below one unit at a noise of 2^20");
  for (const double extreme :
       {std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(), 0x1p-60}) {
    for (const int bits : {0, 1, 20, 55}) {
      CHECK_FALSE(refused([&](accumulator_options& o) {
                    o.noise_multiplier = extreme;
                    o.scale_bits = bits;
                  }).empty());
    }
  }
  // Events that no accountant can price.
  CHECK_THAT(refused([](accumulator_options& o) { o.sampling = poisson_sample{1.5}; }),
             Catch::Matchers::ContainsSubstring("Poisson sampling rate is 1.5, but must lie in (0, 1]"));
  CHECK_THAT(refused([](accumulator_options& o) {
               o.sampling = poisson_sample{0.5};
               o.noise = noise_kind::laplace;
               o.relation = neighbours::replace;
             }),
             Catch::Matchers::ContainsSubstring("use neighbours::add_remove"));
  CHECK_THAT(refused([](accumulator_options& o) {
               o.sampling = fixed_size_sample{1, 2};
             }),
             Catch::Matchers::ContainsSubstring("a sample of fixed size is combined with neighbours::add_remove"));
}

TEST_CASE("Extreme clip norms keep their meaning", "[mechanisms][accumulator]") {
  for (const double clip : {1e-100, 1e-3, 1e3, 1e100}) {
    accumulator_options plan = unit_plan(2);
    plan.clip = clip;
    const integers half = contribution(plan, {0}, std::vector<double>{clip / 2});
    CHECK(half[0] == (1 << 19) - 1);
  }
}

TEST_CASE("A unit may add one number to one row", "[mechanisms][accumulator]") {
  accumulator one(unit_plan(3));
  one.add(1, 5);
  one.add(2, 7.9);
  one.add(3, 11);  // there is no such row
  one.add(0, nan_value);
  CHECK(exact_sums(one) == integers{0, 5, 7});
  accumulator wide(unit_plan(3, 2));
  CHECK_THROWS_AS(wide.add(1, 5), std::logic_error);
}

TEST_CASE("A plan tells what its accumulator does, and needs no table", "[mechanisms][accumulator]") {
  const accumulator_plan plan(unit_plan(6, 2));
  const accumulator sums(plan);
  CHECK(plan.cells() == 12);
  CHECK(sums.cells() == 12);
  CHECK(plan.bound() == (1u << 20) - 1);
  CHECK(plan.unit_size() == 1);
  CHECK(plan.scale_bits() == 20);
  CHECK(plan.noise() == 0x1p20);
  CHECK(sums.noise() == plan.noise());
  CHECK(plan.event() == plan.options().event());
  CHECK(sums.plan() == plan);
  // Other options, the same checks.
  const accumulator_plan doubled = plan.with([](accumulator_options& o) { o.clip *= 2; });
  CHECK(doubled.bound() == plan.bound());
  CHECK(doubled.noise() == 2 * plan.noise());
  CHECK_THROWS_AS(plan.with([](accumulator_options& o) { o.rows = 0; }), std::invalid_argument);
  const accumulator_plan huge({.rows = std::size_t{1} << 32, .row_size = std::size_t{1} << 20, .noise_multiplier = 1});
  CHECK(huge.cells() == std::size_t{1} << 52);
}
