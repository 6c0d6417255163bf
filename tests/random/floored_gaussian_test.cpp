// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/chacha20.hpp>
#include <dplda/random/floored_gaussian.hpp>

#include "support/catch.hpp"
#include "support/check_fit.hpp"
#include "support/scripted.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

using dplda::chacha20;
using dplda::floored_gaussian;
using dplda::detail::brick;
using dplda::detail::gaussian_wall;
using dplda::detail::lazy_fraction;
using dplda_tests::scripted;
using side = gaussian_wall::side;

namespace {

using real50 = boost::multiprecision::cpp_bin_float_50;
using real150 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<150>>;

constexpr std::uint64_t all_ones = ~std::uint64_t{0};
constexpr std::uint64_t draws = 1000000;

template <class Real>
Real brick_height() {
  return Real(163) / 32768;
}

template <class Real>
Real bell(const Real& z) {
  return exp(-z * z / 2);
}

// 0.words in binary.
template <class Real>
Real fraction(const lazy_fraction& words) {
  Real value = 0;
  for (std::size_t i = words.size(); i-- > 0;) value = (value + Real(words[i])) / Real(0x1p64);
  return value;
}

template <class Real>
Real abscissa(const brick& b, const Real& v) {
  return ldexp(Real(b.left) + v, -static_cast<int>(b.width_shift));
}

template <class Real>
Real ordinate(const brick& b, const Real& u) {
  return ldexp((Real(b.floor) + u) * brick_height<Real>(), -static_cast<int>(b.height_shift));
}

// The u at which the bell passes over the abscissa of v; in the brick if it lies in [0, 1).
template <class Real>
Real crossing(const brick& b, const Real& v) {
  return ldexp(bell(abscissa(b, v)), static_cast<int>(b.height_shift)) / brick_height<Real>() - Real(b.floor);
}

brick tail_strip(std::uint32_t m) { return {16 + m, 2, 0, 3 + m}; }

}  // namespace

TEST_CASE("floored_gaussian fits its distribution, and none that is 1 % off", "[random][floored_gaussian]") {
  const int s = GENERATE(0, 1, 4, 32, 55);
  chacha20 bits({2024}, static_cast<std::uint64_t>(s));
  const auto sample = dplda_tests::check_fit(dplda_tests::floored_gaussian_law, std::ldexp(1.0, s), draws,
                                             [&] { return floored_gaussian(bits, s); });
  if (s < 32) return;

  dplda_tests::low_bits_fit low_bits, biased;
  dplda_tests::goodness_of_fit shifted(dplda_tests::floored_gaussian_law(std::ldexp(1.0, s)), draws);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    low_bits.add(sample[i]);
    biased.add(i % 50 == 0 ? sample[i] & ~std::int64_t{0x101} : sample[i]);
    shifted.add(sample[i] + static_cast<std::int64_t>(std::ldexp(0.02, s)));
  }
  for (const auto& [name, p, sees_scale] : low_bits.p_values()) {
    CAPTURE(s, name, p);
    CHECK(p > dplda_tests::suite_level);
  }
  // The tests that see no scale have teeth too: a bit cleared in one draw of fifty, a shift by a fiftieth of a scale.
  for (const auto& [name, p, sees_scale] : biased.p_values()) {
    CAPTURE(s, name, p);
    if (name.ends_with("each")) CHECK(p < dplda_tests::suite_level);
  }
  for (const auto& [name, p, sees_scale] : shifted.p_values()) {
    CAPTURE(s, name, p);
    if (!sees_scale) CHECK(p < dplda_tests::suite_level);
  }
}

TEST_CASE("Rounding towards zero instead of down would be detected", "[random][floored_gaussian]") {
  const int s = GENERATE(0, 4);
  chacha20 bits({2024}, 100);
  dplda_tests::goodness_of_fit fit(dplda_tests::floored_gaussian_law(std::ldexp(1.0, s)), draws);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::int64_t x = floored_gaussian(bits, s);
    fit.add(x < 0 ? x + 1 : x);
  }
  for (const auto& [name, p, sees_scale] : fit.p_values()) {
    CAPTURE(s, name, p);
    if (name == "chi-square" || name == "sign") CHECK(p < dplda_tests::suite_level);
  }
}

TEST_CASE("The wall covers the bell and its full bricks lie under it", "[random][floored_gaussian]") {
  const gaussian_wall& wall = gaussian_wall::get();
  REQUIRE(wall.full() + wall.edges() + dplda::detail::tail_bricks <= gaussian_wall::brick_count);
  std::array<std::uint32_t, dplda::detail::column_count> full{}, reach{};
  for (std::size_t i = 0; i < wall.full(); ++i) ++full.at(wall.column(i));
  reach = full;
  for (std::size_t i = 0; i < wall.edges(); ++i) {
    const brick& edge = wall.edge(i);
    CHECK(edge.floor == reach.at(edge.left)++);  // no gap, nothing twice
    CHECK(edge.width_shift == 6);
    CHECK(edge.height_shift == 0);
  }
  for (std::uint32_t c = 0; c < dplda::detail::column_count; ++c) {
    CAPTURE(c);
    CHECK(full[c] * brick_height<real50>() <= bell(real50(c + 1) / 64));
    CHECK(reach[c] * brick_height<real50>() >= bell(real50(c) / 64));
  }
  // The tail: four bricks have the area of all strips together, and each strip covers the bell.
  CHECK(real50(dplda::detail::tail_bricks) / 64 == 2 * (real50(1) / 4) / 8);
  for (std::uint32_t m = 0; m < 100; ++m) CHECK(crossing(tail_strip(m), real50(0)) < 1);
}

// The tree of decisions: 14 bits of a region, a sign, then the bits of v and, where the bell may pass, of u. A node is
// the set of all draws that share its bits. Whether a point is kept falls with v and with u, so the node is kept whole
// if the real code keeps the point whose other bits are all ones, and dropped whole if it drops the point whose other
// bits are all zeros. Masses are integers in units of 2^-62.
namespace {

constexpr int place_bits = 5;         // of v, that choose an output at s = 6 + place_bits
constexpr int grid = 6 + place_bits;  // outputs floor(2^11 Z)
constexpr int edge_levels = 12;       // bits of v and of u each
constexpr int tail_levels = 7;
constexpr std::uint32_t tail_strips = 20;
constexpr std::int64_t strip_places = 1 << (grid - 2), places = (16 + std::int64_t{tail_strips}) * strip_places;
constexpr int unit = 62;

// Catch2's assertions take too long for millions of them.
void demand(bool condition) {
  if (!condition) throw std::logic_error("the tree of decisions is not as it should be");
}

class enumeration {
 public:
  struct interval {
    std::uint64_t kept = 0, undecided = 0;
  };

  // By sign and place.
  std::array<std::vector<interval>, 2> outputs{std::vector<interval>(places), std::vector<interval>(places)};
  std::uint64_t kept = 0, dropped = 0, undecided = 0, leaves = 0;
  int depth = 0;

  void run() {
    const gaussian_wall& wall = gaussian_wall::get();
    for (std::uint64_t index = 0; index < gaussian_wall::brick_count; ++index) {
      for (const std::uint64_t sign : {0u, 1u}) {
        head_ = index << 50 | sign;
        if (index < wall.full()) {
          full_brick();
        } else if (index < wall.full() + wall.edges()) {
          edge_brick(0, 0, 0);
        } else if (index < wall.full() + wall.edges() + dplda::detail::tail_bricks) {
          for (strip_ = 0; strip_ < tail_strips; ++strip_) tail_brick(0, 0, 0);
          count_undecided(15 + static_cast<int>(tail_strips));  // the strips beyond
        } else {
          strip_ = tail_strips;
          demand(!ask({head_}).kept);
          count_dropped(15);
        }
      }
    }
  }

 private:
  struct answer {
    bool kept;
    std::int64_t output;
  };

  // Plays the words and then `rest` for ever, in the real code. A draw that is dropped begins anew: with zeros it takes
  // a full brick and ends after an even number of further words, where the exact comparison takes pairs; with ones it
  // finds nothing again and again until the zero that stands at place `patience`.
  struct player {
    using result_type = std::uint64_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return all_ones; }
    static constexpr std::size_t patience = 100;
    result_type operator()() {
      const std::size_t i = used++;
      return i < count ? words[i] : i < patience ? rest : 0;
    }
    std::array<std::uint64_t, 2 * tail_strips> words;
    std::size_t count = 0, used = 0;
    std::uint64_t rest = 0;
  };

  answer ask(std::initializer_list<std::uint64_t> words, std::uint64_t rest = all_ones) {
    player p;
    p.rest = rest;
    for (const std::uint64_t word : words) {
      p.words[p.count++] = word;
      if (p.count == 1 && strip_ < tail_strips) p.count += strip_words(p);
    }
    const std::int64_t output = floored_gaussian(p, grid);
    if (p.used > player::patience) return {false, 0};
    return {rest == all_ones || (p.used - p.count) % 2 == 0, output};
  }

  // After the head: as many words that end in one as there are strips to pass, and one that does not.
  std::size_t strip_words(player& p) const {
    for (std::uint32_t i = 0; i <= strip_; ++i) p.words[1 + i] = i < strip_ ? all_ones : all_ones - 1;
    return strip_ + 1;
  }

  void full_brick() {
    strip_ = tail_strips;
    for (std::uint64_t v = 0; v < 1u << place_bits; ++v) {
      const std::uint64_t low = head_ | v << (50 - place_bits),
                          high = low | ((std::uint64_t{1} << (50 - place_bits)) - 2);
      const answer a = ask({low}), b = ask({high});
      demand(a.kept && b.kept && a.output == b.output);
      count_kept(15 + place_bits, a.output);
    }
  }

  // The corner of the node with `level` bits of v and of u that is nearest to (rest = 0) or farthest from the origin.
  static std::uint64_t corner(std::uint64_t bits, int level, std::uint64_t rest) {
    return level == 0 ? rest : bits << (64 - level) | rest >> level;
  }

  void edge_brick(std::uint64_t v, std::uint64_t u, int level) {
    strip_ = tail_strips;
    const auto point = [&](std::uint64_t rest) {
      const std::uint64_t v_word = corner(v, level, rest);
      return ask({head_ | v_word >> 15 << 1, v_word << 49 | rest >> 15, corner(u, level, rest)}, rest);
    };
    const answer near = level < place_bits ? answer{true, 0} : point(0);
    if (level >= place_bits && !near.kept) return count_dropped(15 + 2 * level);
    const answer far = level < place_bits ? answer{false, 0} : point(all_ones);
    if (far.kept) {
      demand(far.output == near.output);
      return count_kept(15 + 2 * level, near.output);
    }
    if (level == edge_levels) return count_undecided(15 + 2 * level, near.output);
    for (const std::uint64_t child : {0u, 1u, 2u, 3u}) edge_brick(v << 1 | child >> 1, u << 1 | (child & 1), level + 1);
  }

  // Strips are their own outputs here: [4 + m / 4, 4 + (m + 1) / 4).
  void tail_brick(std::uint64_t v, std::uint64_t u, int level) {
    const auto point = [&](std::uint64_t rest) {
      answer a = ask({head_, corner(v, level, rest), corner(u, level, rest)}, rest);
      if (a.kept) {
        const std::int64_t place = a.output < 0 ? ~a.output : a.output;
        demand((a.output < 0) == ((head_ & 1) != 0));
        demand(static_cast<std::uint64_t>(place) ==
               (std::uint64_t{16 + strip_} << (grid - 2) | corner(v, level, rest) >> (66 - grid)));
        a.output = (std::int64_t{16} + strip_) << (grid - 2);
        if ((head_ & 1) != 0) a.output = ~a.output;
      }
      return a;
    };
    const int bits = 15 + static_cast<int>(strip_) + 1 + 2 * level;
    const answer near = point(0);
    if (!near.kept) return count_dropped(bits);
    if (point(all_ones).kept) return count_kept(bits, near.output);
    if (level == tail_levels) return count_undecided(bits, near.output);
    for (const std::uint64_t child : {0u, 1u, 2u, 3u}) tail_brick(v << 1 | child >> 1, u << 1 | (child & 1), level + 1);
  }

  interval& at(std::int64_t output) {
    return outputs[output < 0 ? 1 : 0].at(static_cast<std::size_t>(output < 0 ? ~output : output));
  }
  std::uint64_t leaf(int bits) {
    ++leaves;
    depth = std::max(depth, bits);
    return std::uint64_t{1} << (unit - bits);
  }
  void count_kept(int bits, std::int64_t output) {
    const std::uint64_t mass = leaf(bits);
    kept += mass;
    at(output).kept += mass;
  }
  void count_undecided(int bits, std::int64_t output) {
    const std::uint64_t mass = leaf(bits);
    undecided += mass;
    at(output).undecided += mass;
  }
  void count_undecided(int bits) { undecided += leaf(bits); }
  void count_dropped(int bits) { dropped += leaf(bits); }

  std::uint64_t head_ = 0;
  std::uint32_t strip_ = tail_strips;
};

}  // namespace

TEST_CASE("The decision tree has the probabilities of the normal distribution", "[random][floored_gaussian]") {
  enumeration tree;
  tree.run();
  REQUIRE(tree.kept + tree.dropped + tree.undecided == std::uint64_t{1} << unit);

  // An output [a, b) is kept with the area of the bell over it, halved by the sign, out of the wall's.
  const real50 wall = ldexp(brick_height<real50>(), 14 - 6);
  const real50 root = sqrt(real50(2)), half_area = sqrt(boost::math::constants::pi<real50>() / 2);
  const auto beyond = [&](std::int64_t place) -> real50 { return erfc(ldexp(real50(place), -grid) / root); };
  std::size_t checked = 0;
  std::uint64_t kept_there = 0;
  real50 here = 1;
  for (std::int64_t place = 0; place < places;) {
    const std::int64_t next = place + (place < 4 << grid ? 1 : strip_places);
    const real50 there = beyond(next), probability = (here - there) * half_area / wall / 2;
    for (const auto& side_outputs : tree.outputs) {
      const auto& [kept, undecided] = side_outputs[static_cast<std::size_t>(place)];
      CAPTURE(place, kept, probability, undecided);
      CHECK(ldexp(real50(kept), -unit) <= probability);
      CHECK(ldexp(real50(kept + undecided), -unit) >= probability);
      kept_there += kept;
      ++checked;
    }
    here = there;
    place = next;
  }
  CHECK(kept_there == tree.kept);  // nothing on any other output
  const double kept = std::ldexp(static_cast<double>(tree.kept), -unit);
  const double undecided = std::ldexp(static_cast<double>(tree.undecided), -unit);
  std::cout << "floored_gaussian: decision tree of " << tree.leaves << " leaves: full bricks to a depth of "
            << 15 + place_bits << " bits, edges to " << 15 + 2 * edge_levels << ", tail to " << tree.depth << "; "
            << checked << " outputs; total variation below " << undecided / kept << '\n';
  static_assert(15 + place_bits >= 20);
  CHECK(undecided / kept < 0x1p-16);
}

TEST_CASE("Double and exact comparison never contradict each other", "[random][floored_gaussian]") {
  const gaussian_wall& wall = gaussian_wall::get();
  chacha20 bits({7}, 1);
  std::array<std::size_t, 3> seen{};
  for (int i = 0; i < 100000; ++i) {
    const brick& edge = wall.edge(dplda::uniform_below(bits, wall.edges()));
    const std::uint64_t v = bits();
    std::uint64_t u = bits();
    if (i % 2 == 1) {  // near the bell, at all distances down to the last bit that doubles have
      const double middle =
          std::floor(static_cast<double>(crossing(edge, std::ldexp(static_cast<double>(v), -64))) * 0x1p64);
      if (!(middle > 0x1p60 && middle < 0x1.fp63)) continue;
      const std::uint64_t distance = bits() >> (5 + dplda::uniform_below(bits, 59));
      u = static_cast<std::uint64_t>(middle) + (bits() % 2 == 0 ? distance : 0 - distance);
    }
    const side by_double = wall.compare(edge, v, u);
    lazy_fraction v_bits{v}, u_bits{u};
    const bool under = dplda::detail::under_the_bell_exactly(edge, v_bits, u_bits, bits);
    if (by_double == (under ? side::over : side::under)) CHECK(false);
    ++seen[static_cast<std::size_t>(by_double)];
  }
  for (const std::size_t count : seen) CHECK(count > 1000);
}

TEST_CASE("The bell in double precision keeps its error bound of 2^-38", "[random][floored_gaussian]") {
  // compare() changes its answer where y = g (1 - 2^-37) and where y = g (1 + 2^-37); the middle of both is its g.
  const gaussian_wall& wall = gaussian_wall::get();
  chacha20 bits({7}, 2);
  real50 worst = 0;
  std::size_t points = 0;
  for (std::uint32_t e = 0; e < wall.edges(); ++e) {
    for (int i = 0; i < 24; ++i) {
      const brick& edge = wall.edge(e);
      const std::uint64_t v = i == 0 ? 0 : i == 1 ? all_ones : i == 2 ? std::uint64_t{1} << 63 : bits();
      const real50 z = abscissa(edge, fraction<real50>({v})), u = crossing(edge, fraction<real50>({v}));
      if (u < real50(1e-6) || u > 1 - real50(1e-6)) continue;
      const auto first = [&](auto reached) {
        std::uint64_t low = 0, high = all_ones;
        while (low < high) {
          const std::uint64_t middle = low + (high - low) / 2;
          if (reached(wall.compare(edge, v, middle))) {
            high = middle;
          } else {
            low = middle + 1;
          }
        }
        return ordinate(edge, fraction<real50>({low}));
      };
      const real50 low = first([](side s) { return s != side::under; });
      const real50 high = first([](side s) { return s == side::over; });
      const real50 g = bell(z), error = abs((low + high) / 2 - g) / g;
      worst = std::max(worst, error);
      if (!(low < g && g < high)) CHECK(false);
      ++points;
    }
  }
  std::cout << "floored_gaussian: error of the bell in double precision at " << points << " points below 2^"
            << log2(worst) << " of itself\n";
  CHECK(points > 5000);
  CHECK(worst < real50(0x1p-38));
}

TEST_CASE("A forced fall-back is decided by later words, as 150 digits decide it", "[random][floored_gaussian]") {
  const gaussian_wall& wall = gaussian_wall::get();
  chacha20 bits({7}, 3);
  std::size_t forced = 0, kept = 0;
  const auto force = [&](const brick& b, std::size_t agree, auto&& start) {
    // v has one word more than the words that agree; u is the bell's own expansion, then changed in its last word.
    lazy_fraction v(agree + 1), u;
    for (std::uint64_t& word : v) word = bits();
    const real150 exact = crossing(b, fraction<real150>(v));
    if (exact < real150(0.01) || exact > real150(0.99)) return;
    real150 rest = exact;
    for (std::size_t i = 0; i <= agree; ++i) {
      rest *= real150(0x1p64);
      const real150 whole = floor(rest);
      u.push_back(static_cast<std::uint64_t>(whole));
      rest -= whole;
    }
    for (const bool under : {true, false}) {
      for (const std::uint64_t distance : {std::uint64_t{1} << 20, std::uint64_t{1} << 40, std::uint64_t{1} << 58}) {
        lazy_fraction changed = u;
        if (under ? changed[agree] < distance : changed[agree] > all_ones - distance) continue;
        changed[agree] = under ? changed[agree] - distance : changed[agree] + distance;
        const bool truth = ordinate(b, fraction<real150>(changed)) < bell(abscissa(b, fraction<real150>(v)));
        REQUIRE(truth == under);
        start(v, changed, truth);
        ++forced;
        kept += truth;
      }
    }
  };

  SECTION("in bricks that cross the bell") {
    for (std::uint64_t e = 0; e < wall.edges(); e += 3) {
      for (std::size_t agree = 1; agree <= 3; ++agree) {
        force(wall.edge(e), agree, [&](const lazy_fraction& v, const lazy_fraction& u, bool under) {
          const std::uint64_t index = wall.full() + e;
          REQUIRE(wall.compare(wall.edge(e), v[0], u[0]) == side::undecided);
          scripted script{{index << 50 | v[0] >> 15 << 1, v[0] << 49, u[0]}};
          for (std::size_t i = 1; i <= agree; ++i) script.words.insert(script.words.end(), {v[i], u[i]});
          const std::size_t all = script.words.size();
          script.words.push_back(std::uint64_t{1} << 49 | 1);  // a dropped point is followed by this one: -1/128
          const std::int64_t place = floored_gaussian(script, 55);
          CHECK(script.used == all + (under ? 0 : 1));
          CHECK(place == (under ? static_cast<std::int64_t>(std::uint64_t{wall.edge(e).left} << 49 | v[0] >> 15)
                                : ~(std::int64_t{1} << 48)));
        });
      }
    }
  }
  SECTION("in the tail") {
    for (std::uint32_t m = 0; m < 40; ++m) {
      for (std::size_t agree = 1; agree <= 3; ++agree) {
        force(tail_strip(m), agree, [&](const lazy_fraction& v, const lazy_fraction& u, bool under) {
          const std::uint64_t index = wall.full() + wall.edges() + m % 4;
          scripted script{{index << 50 | 1}};
          for (std::uint32_t i = 0; i < m; ++i) script.words.push_back(bits() | 1);
          script.words.push_back(bits() & ~std::uint64_t{1});
          for (std::size_t i = 0; i <= agree; ++i) script.words.insert(script.words.end(), {v[i], u[i]});
          const std::size_t all = script.words.size();
          script.words.push_back(std::uint64_t{1} << 49);
          const std::int64_t place = floored_gaussian(script, 55);
          CHECK(script.used == all + (under ? 0 : 1));
          CHECK(place == (under ? static_cast<std::int64_t>(~(std::uint64_t{16 + m} << 53 | v[0] >> 11))
                                : std::int64_t{1} << 48));
        });
      }
    }
  }
  CHECK(kept * 3 > forced);
  CHECK(kept * 3 < forced * 2);
  CHECK(forced > 10);
}

TEST_CASE("The exact comparison follows 150 digits in the tail", "[random][floored_gaussian]") {
  chacha20 bits({7}, 4);
  std::size_t kept = 0;
  for (int i = 0; i < 4000; ++i) {
    const brick b = tail_strip(static_cast<std::uint32_t>(i % 8));
    lazy_fraction v{bits()}, u{bits() >> (i % 16)};
    const bool under = dplda::detail::under_the_bell_exactly(b, v, u, bits);
    const bool truth = ordinate(b, fraction<real50>(u)) < bell(abscissa(b, fraction<real50>(v)));
    if (under != truth) CHECK(false);
    kept += truth;
  }
  CHECK(kept > 500);
  CHECK(kept < 3500);
}

TEST_CASE("A word of a full brick gives position and sign", "[random][floored_gaussian]") {
  scripted words{{0, 1, std::uint64_t{1} << 49, std::uint64_t{1} << 49 | 1}};
  CHECK(floored_gaussian(words, 55) == 0);
  CHECK(floored_gaussian(words, 55) == -1);
  CHECK(floored_gaussian(words, 7) == 1);   // z = 1/128
  CHECK(floored_gaussian(words, 7) == -2);  // just below -1/128
  CHECK(words.used == 4);
}

TEST_CASE("add_floored_gaussian adds what single draws give, modulo 2^64", "[random][floored_gaussian]") {
  const int s = GENERATE(0, 32, 55);
  chacha20 single({5}, 5), many({5}, 5);
  std::vector<std::uint64_t> cells(20000), expected(cells.size());
  chacha20 start({6}, 6);
  start.fill(cells);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    expected[i] = cells[i] + static_cast<std::uint64_t>(floored_gaussian(single, s));
  }
  dplda::add_floored_gaussian(many, s, cells);
  CHECK(cells == expected);
  CHECK(single() == many());
  dplda::add_floored_gaussian(many, s, {});
}

TEST_CASE("A coarser grid is the finer one, floored", "[random][floored_gaussian]") {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    chacha20 fine({8}, i), coarse({8}, i);
    const std::int64_t x = floored_gaussian(fine, 55);
    const int s = static_cast<int>(i % 56);
    CHECK(floored_gaussian(coarse, s) == x >> (55 - s));
  }
}

TEST_CASE("floored_gaussian refuses scales out of range", "[random][floored_gaussian]") {
  chacha20 bits({1}, 1);
  std::vector<std::uint64_t> cells(1);
  for (const int s : {-1, 56, 64, -1000000}) {
    CHECK_THROWS_AS(floored_gaussian(bits, s), std::invalid_argument);
    CHECK_THROWS_AS(dplda::add_floored_gaussian(bits, s, cells), std::invalid_argument);
  }
  CHECK(cells[0] == 0);
  CHECK_THROWS_WITH(floored_gaussian(bits, 56), "dplda::floored_gaussian: s is 56, but must lie in [0, 55]");
}
