// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/mechanisms/detail/unit_shares.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace {

using namespace dplda::detail;

using sums_type = std::vector<std::uint64_t>;

struct unit {
  std::vector<std::uint32_t> cells;
  std::vector<std::uint32_t> demands;
};

struct rule {
  std::uint64_t most, cap;
};

using policy = std::function<void(sums_type&, const unit&, const rule&)>;

void share(sums_type& sums, const unit& u, const rule& r, bool l1) {
  std::uint64_t demanded = 0;
  for (const std::uint64_t m : u.demands) demanded += l1 ? m : m * m;
  const std::uint64_t each = share_of(r.most, demanded, l1);
  for (std::size_t i = 0; i < u.cells.size(); ++i) add_up_to(sums[u.cells[i]], each * u.demands[i], r.cap);
}

const policy share_l1 = [](sums_type& s, const unit& u, const rule& r) { share(s, u, r, true); };
const policy share_l2 = [](sums_type& s, const unit& u, const rule& r) { share(s, u, r, false); };
const policy evenly = [](sums_type& s, const unit& u, const rule& r) {
  std::vector<std::uint64_t> work;
  pour_evenly(s, u.cells, r.most, r.cap, work);
};
const policy in_order = [](sums_type& s, const unit& u, const rule& r) { pour_in_order(s, u.cells, r.most, r.cap); };
const policy steps = [](sums_type& s, const unit& u, const rule& r) { step_to_cap(s, u.cells, r.most, r.cap); };

// Fills the cell with the least room first: its order depends on the sums, so it is not a contraction.
const policy nearly_full_first = [](sums_type& s, const unit& u, const rule& r) {
  std::vector<std::uint32_t> cells = u.cells;
  dplda::detail::stable_sort(cells.begin(), cells.end(), [&](auto a, auto b) { return s[a] > s[b]; });
  pour_in_order(s, cells, r.most, r.cap);
};

// One piece to each open cell in turn: what pour_evenly computes at once.
const policy one_by_one = [](sums_type& s, const unit& u, const rule& r) {
  std::uint64_t left = r.most;
  for (bool given = true; left > 0 && given;) {
    given = false;
    for (const std::uint32_t cell : u.cells) {
      if (left == 0 || s[cell] == r.cap) continue;
      ++s[cell];
      --left;
      given = true;
    }
  }
};

double norm(const sums_type& a, const sums_type& b, bool l1) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double d = a[i] > b[i] ? static_cast<long double>(a[i] - b[i]) : static_cast<long double>(b[i] - a[i]);
    sum += l1 ? d : d * d;
  }
  return static_cast<double>(l1 ? sum : std::sqrt(sum));
}

// Units of every size, often the same few cells, and caps that some reach and some do not.
class nasty {
 public:
  explicit nasty(unsigned seed) : bits_(seed) {}

  std::uint64_t below(std::uint64_t n) { return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(bits_); }

  rule make_rule() {
    const std::uint64_t most = 1 + below(below(2) == 0 ? 12 : 2000);
    return {most, 1 + below(4 * most)};
  }

  unit make_unit() {
    std::vector<std::uint32_t> all(cells);
    std::iota(all.begin(), all.end(), 0u);
    std::shuffle(all.begin(), all.end(), bits_);
    all.resize(1 + below(below(3) == 0 ? cells : 3));
    unit u{all, {}};
    const bool equal = below(2) == 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      u.demands.push_back(equal ? 1 : static_cast<std::uint32_t>(below(4) == 0 ? 0 : 1 + below(9)));
    return u;
  }

  std::vector<unit> make_units(std::size_t most) {
    std::vector<unit> units(below(most));
    for (unit& u : units) u = !units.empty() && &u != units.data() && below(3) == 0 ? units.front() : make_unit();
    return units;
  }

  static constexpr std::size_t cells = 9;

 private:
  std::mt19937_64 bits_;
};

sums_type run(const policy& give, const std::vector<unit>& units, const rule& r) {
  sums_type sums(nasty::cells, 0);
  for (const unit& u : units) give(sums, u, r);
  return sums;
}

// The largest distance, over many neighbours, beyond (or short of) `most`.
double worst_excess(
    const policy& give, bool l1, std::size_t pairs, unsigned seed,
    const std::function<double(std::size_t later)>& slack = [](std::size_t) { return 0.0; }) {
  nasty draw(seed);
  double worst = -1e300;
  for (std::size_t i = 0; i < pairs; ++i) {
    const rule r = draw.make_rule();
    const std::vector<unit> without = draw.make_units(40);
    std::vector<unit> with = without;
    const std::size_t place = draw.below(2) == 0 ? 0 : draw.below(without.size() + 1);
    with.insert(with.begin() + static_cast<std::ptrdiff_t>(place), draw.make_unit());
    const double bound = static_cast<double>(r.most) + slack(without.size() - place);
    worst = std::max(worst, norm(run(give, with, r), run(give, without, r), l1) - bound);
  }
  return worst;
}

constexpr double tiny = 1e-9;  // of the square root in norm()

}  // namespace

TEST_CASE("floor_sqrt is exact", "[unit_shares]") {
  std::mt19937_64 bits(1);
  std::vector<uint128> values{0, 1, 2, 3, 4, (uint128{1} << 124) - 1};
  for (int i = 0; i < 20000; ++i) {
    const uint128 root = bits() >> (2 + bits() % 62);
    values.insert(values.end(), {root * root, root * root + 1, root * root + 2 * root});
    if (root > 0) values.push_back(root * root - 1);
    values.push_back((uint128{bits()} << 64 | bits()) >> (4 + bits() % 120));
  }
  bool right = true;
  for (const uint128 x : values) {
    const uint128 root = floor_sqrt(x);
    right = right && root * root <= x && x < (root + 1) * (root + 1);
  }
  CHECK(right);
}

TEST_CASE("Shares stay within the bound and come as close as integers allow", "[unit_shares]") {
  std::mt19937_64 bits(2);
  bool within = true, close = true;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t most = bits() >> (6 + bits() % 50), demanded = 1 + bits() % 1000000;
    const std::uint64_t l1 = share_of(most, demanded, true), l2 = share_of(most, demanded, false);
    within = within && uint128{l1} * demanded <= most && uint128{l2} * l2 * demanded <= uint128{most} * most;
    close = close && uint128{l1 + 1} * demanded > most && uint128{l2 + 1} * (l2 + 1) * demanded > uint128{most} * most;
  }
  CHECK(within);
  CHECK(close);
  CHECK(share_of(100, 0, true) == 0);
  CHECK(share_of(100, 0, false) == 0);
}

TEST_CASE("Even pouring equals one piece at a time in turn", "[unit_shares]") {
  nasty draw(3);
  bool same = true;
  for (int i = 0; i < 3000; ++i) {
    const rule r = draw.make_rule();
    const std::vector<unit> units = draw.make_units(12);
    same = same && run(evenly, units, r) == run(one_by_one, units, r);
  }
  CHECK(same);
}

TEST_CASE("One unit more changes the integer sums by no more than its bound", "[unit_shares]") {
  CHECK(worst_excess(share_l1, true, 20000, 4) == 0);
  CHECK(worst_excess(share_l2, false, 20000, 5) <= tiny);
  CHECK(worst_excess(share_l2, false, 20000, 5) >= -tiny);
  CHECK(worst_excess(evenly, true, 20000, 6) == 0);
  CHECK(worst_excess(in_order, true, 20000, 7) == 0);
}

TEST_CASE("Rounding of steps stays within its slack, and exceeds the bound without it", "[unit_shares]") {
  CHECK(worst_excess(steps, false, 20000, 8,
                     [](std::size_t later) { return static_cast<double>(later * step_slack(nasty::cells)); }) <= tiny);
  CHECK(worst_excess(steps, false, 20000, 8) > 0.5);
}

TEST_CASE("An order that depends on the sums is caught", "[unit_shares]") {
  CHECK(worst_excess(nearly_full_first, true, 20000, 9) > 1);
}

TEST_CASE("Pouring moves no two sums apart, from wherever they are", "[unit_shares]") {
  nasty draw(10);
  for (const policy& give : {evenly, in_order}) {
    bool monotone = true, contracts = true;
    for (int i = 0; i < 20000; ++i) {
      const rule r = draw.make_rule();
      const unit u = draw.make_unit();
      sums_type a(nasty::cells), b(nasty::cells), more;
      for (std::uint64_t& x : a) x = draw.below(r.cap + 1);
      for (std::uint64_t& x : b) x = draw.below(r.cap + 1);
      more = a;
      std::uint64_t& raised = more[draw.below(more.size())];
      raised = std::min(raised + 1, r.cap);
      const double before = norm(a, b, true);
      give(a, u, r);
      give(b, u, r);
      give(more, u, r);
      contracts = contracts && norm(a, b, true) <= before;
      for (std::size_t c = 0; c < a.size(); ++c) monotone = monotone && a[c] <= more[c];
    }
    CHECK(monotone);
    CHECK(contracts);
  }
}

TEST_CASE("Steps go as far as they may, and never beyond the cap", "[unit_shares]") {
  const std::uint64_t most = std::uint64_t{1} << 48, cap = std::uint64_t{9} << 50;
  sums_type sums(256, 0);
  std::vector<std::uint32_t> cells(256);
  std::iota(cells.begin(), cells.end(), 0u);
  step_to_cap(sums, cells, most, cap);
  CHECK(std::all_of(sums.begin(), sums.end(), [&](std::uint64_t s) { return s == sums.front(); }));
  CHECK(std::abs(static_cast<double>(sums.front()) - static_cast<double>(most) / 16) < 4);
  for (int i = 0; i < 100000; ++i) step_to_cap(sums, std::span(cells).first(2), most, cap);
  CHECK(sums[0] == cap);
  CHECK(sums[1] == cap);
  CHECK(sums[2] < cap);
}

namespace {

// All sums of `cells` cells up to the cap.
std::vector<sums_type> all_sums(std::size_t cells, std::uint64_t cap) {
  std::vector<sums_type> all{{}};
  for (std::size_t c = 0; c < cells; ++c) {
    std::vector<sums_type> longer;
    for (const sums_type& begun : all) {
      for (std::uint64_t x = 0; x <= cap; ++x) {
        longer.push_back(begun);
        longer.back().push_back(x);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// All units of up to `cells` distinct cells, in every order, with every demand up to `demand`.
std::vector<unit> all_units_of(std::uint32_t cells, std::uint32_t demand) {
  std::vector<unit> all{{}};
  for (std::size_t begin = 0, end = 1; begin < end; begin = end, end = all.size()) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::uint32_t cell = 0; cell < cells; ++cell) {
        if (std::find(all[i].cells.begin(), all[i].cells.end(), cell) != all[i].cells.end()) continue;
        for (std::uint32_t m = 1; m <= demand; ++m) {
          unit longer = all[i];
          longer.cells.push_back(cell);
          longer.demands.push_back(m);
          all.push_back(std::move(longer));
        }
      }
    }
  }
  return all;
}

std::uint64_t distance(const sums_type& a, const sums_type& b, bool l1) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    sum += l1 ? d : d * d;
  }
  return sum;
}

struct exhausted {
  const char* name;
  const policy& give;
  bool l1;
  bool rounds;  // by up to step_slack
  std::uint32_t demand;
};

const exhausted kernels[] = {{"share, l1", share_l1, true, false, 2},
                             {"share, l2", share_l2, false, false, 2},
                             {"evenly", evenly, true, false, 1},
                             {"in order", in_order, true, false, 1},
                             {"steps", steps, false, true, 1}};

}  // namespace

TEST_CASE("All inputs at tiny caps: what a unit gives, and how far apart it moves any two sums", "[unit_shares]") {
  constexpr std::uint32_t cells = 3;
  for (const exhausted& kernel : kernels) {
    const std::vector<unit> units = all_units_of(cells, kernel.demand);
    std::size_t pairs = 0, beyond_cap = 0, too_much = 0, apart = 0, less = 0;
    for (std::uint64_t cap = 0; cap <= 3; ++cap) {
      const std::vector<sums_type> states = all_sums(cells, cap);
      for (std::uint64_t most = 0; most <= 5; ++most) {
        for (const unit& u : units) {
          std::vector<sums_type> after = states;
          for (sums_type& s : after) kernel.give(s, u, {most, cap});
          for (std::size_t i = 0; i < states.size(); ++i) {
            beyond_cap += std::any_of(after[i].begin(), after[i].end(), [&](std::uint64_t x) { return x > cap; });
            too_much += distance(after[i], states[i], kernel.l1) > (kernel.l1 ? most : most * most);
            for (std::size_t c = 0; c < cells; ++c) less += after[i][c] < states[i][c];
            for (std::size_t j = 0; j < i; ++j) {
              ++pairs;
              const std::uint64_t before = distance(states[i], states[j], kernel.l1);
              const std::uint64_t now = distance(after[i], after[j], kernel.l1);
              const double room = std::sqrt(static_cast<double>(before)) + static_cast<double>(step_slack(cells));
              apart += kernel.rounds ? static_cast<double>(now) > room * room : now > before;
            }
          }
        }
      }
    }
    CAPTURE(kernel.name, pairs);
    CHECK(beyond_cap == 0);
    CHECK(too_much == 0);
    CHECK(less == 0);
    CHECK(apart == 0);
    CHECK(pairs > 100000);
  }
}

TEST_CASE("All inputs at tiny caps: even pouring is one piece at a time, and nothing is held back", "[unit_shares]") {
  constexpr std::uint32_t cells = 3;
  std::size_t different = 0, held_back = 0;
  for (std::uint64_t cap = 0; cap <= 5; ++cap) {
    for (std::uint64_t most = 0; most <= 16; ++most) {
      for (const unit& u : all_units_of(cells, 1)) {
        for (const sums_type& state : all_sums(cells, cap)) {
          sums_type poured = state, piecewise = state, in_turn = state;
          evenly(poured, u, {most, cap});
          one_by_one(piecewise, u, {most, cap});
          in_order(in_turn, u, {most, cap});
          std::uint64_t room = 0;
          for (const std::uint32_t cell : u.cells) room += cap - state[cell];
          different += poured != piecewise;
          held_back += distance(poured, state, true) != std::min(most, room);
          held_back += distance(in_turn, state, true) != std::min(most, room);
        }
      }
    }
  }
  CHECK(different == 0);
  CHECK(held_back == 0);
}

TEST_CASE("All inputs at tiny caps: one unit more, at every place of all short sequences", "[unit_shares]") {
  constexpr std::uint32_t cells = 2;
  for (const exhausted& kernel : kernels) {
    const std::vector<unit> units = all_units_of(cells, kernel.demand);
    std::size_t pairs = 0, apart = 0;
    for (std::uint64_t cap = 1; cap <= 5; ++cap) {
      for (std::uint64_t most = 1; most <= 4; ++most) {
        // Two units without the additional one, which comes at one of three places.
        for (const unit& first : units) {
          for (const unit& second : units) {
            for (const unit& more : units) {
              sums_type without(cells, 0);
              for (const unit* u : {&first, &second}) kernel.give(without, *u, {most, cap});
              for (std::size_t place = 0; place <= 2; ++place) {
                std::vector<const unit*> sequence{&first, &second};
                sequence.insert(sequence.begin() + static_cast<std::ptrdiff_t>(place), &more);
                sums_type with(cells, 0);
                for (const unit* u : sequence) kernel.give(with, *u, {most, cap});
                const double bound = static_cast<double>(most) +
                                     (kernel.rounds ? static_cast<double>((2 - place) * step_slack(cells)) : 0.0);
                const auto moved = static_cast<double>(distance(with, without, kernel.l1));
                apart += moved > (kernel.l1 ? bound : bound * bound);
                ++pairs;
              }
            }
          }
        }
      }
    }
    CAPTURE(kernel.name, pairs);
    CHECK(apart == 0);
    CHECK(pairs >= 7500);
  }
}

TEST_CASE("All small roots and shares", "[unit_shares]") {
  std::size_t wrong = 0;
  for (std::uint64_t x = 0; x <= 70000; ++x) {
    const std::uint64_t root = floor_sqrt(x);
    wrong += root * root > x || (root + 1) * (root + 1) <= x;
  }
  for (std::uint64_t most = 0; most <= 150; ++most) {
    for (std::uint64_t demanded = 1; demanded <= 150; ++demanded) {
      const std::uint64_t l1 = share_of(most, demanded, true), l2 = share_of(most, demanded, false);
      wrong += l1 * demanded > most || (l1 + 1) * demanded <= most;
      wrong += l2 * l2 * demanded > most * most || (l2 + 1) * (l2 + 1) * demanded <= most * most;
    }
  }
  CHECK(wrong == 0);
}
