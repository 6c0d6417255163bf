// SPDX-License-Identifier: Apache-2.0
// The table of mechanisms, events in words, and the canonical form of a ledger.
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/describe.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

using namespace dplda;
using detail::canonical_ledger;

namespace {

ledger one_gaussian_run() {
  ledger book;
  book.record({.noise = gaussian_noise{3}});
  return book;
}

/// One value of every mechanism. A new mechanism needs a line here.
const std::vector<mechanism> every_mechanism = {gaussian_noise{1.5},
                                                laplace_noise{2},
                                                discrete_gaussian_noise{3},
                                                randomized_response{0.5, 3},
                                                approximate_dp{0.7, 1e-9},
                                                best_of{negative_binomial_runs{1, 0.25}, one_gaussian_run()},
                                                best_of{poisson_runs{3}, one_gaussian_run()},
                                                integer_gaussian_noise{4.5, 2},
                                                dominating_pair{{0.5, 0.3, 0.2}, {0.4, 0.2, 0.4}},
                                                renyi_curve{{1.5, 2, 8, 40}, {0.01, 0.02, 0.1, 0.6}}};

}  // namespace

TEST_CASE("every mechanism has a kind and words of its own", "[accounting][mechanisms]") {
  REQUIRE(every_mechanism.size() == std::variant_size_v<mechanism>);
  std::set<std::string> kinds, words;
  for (std::size_t i = 0; i < every_mechanism.size(); ++i) {
    REQUIRE(every_mechanism[i].index() == i);
    std::visit([&]<class M>(const M&) { kinds.insert(std::string(detail::mechanism_entry<M>::kind)); },
               every_mechanism[i]);
    words.insert(describe(every_mechanism[i]));
  }
  CHECK(kinds.size() == every_mechanism.size());
  CHECK(words.size() == every_mechanism.size());
}

TEST_CASE("the numbers of an entry agree with each other", "[accounting][mechanisms]") {
  for (const mechanism& each : every_mechanism) {
    CAPTURE(describe(each));
    std::visit(
        []<class M>(const M& noise) {
          using entry = detail::mechanism_entry<M>;
          const double rho = entry::rho(noise), limit = detail::rdp_limit_of(noise);
          CHECK(rho > 0);
          for (const double alpha : {1.01, 1.5, 2.0, 7.0, 40.0, 1000.0}) {
            CAPTURE(alpha);
            const double rdp = entry::rdp(noise, alpha);
            CHECK(rdp > 0);
            CHECK(rdp <= alpha * rho * (1 + 1e-9));
            CHECK(rdp <= limit * (1 + 1e-12));
          }
          if constexpr (detail::HasPureEpsilon<M>) CHECK(std::abs(limit / entry::pure_epsilon(noise) - 1) < 1e-12);
          if constexpr (detail::HasPair<M>) {
            // The masses of the atoms, and the total variation that they have at most.
            const std::optional<detail::base_pair> found = entry::pair(noise);
            REQUIRE(found.has_value());
            const detail::base_pair& pair = *found;
            double a = pair.a_only, b = pair.b_only, variation = pair.b_only;
            for (const auto& [y, log_a] : pair.atoms) {
              a += std::exp(log_a);
              b += std::exp(log_a + y);
              variation += std::max(0.0, std::exp(log_a + y) - std::exp(log_a));
            }
            CHECK(a <= 1 + 1e-12);
            CHECK(std::abs(a - b) < 1e-12);
            CHECK(variation <= pair.variation * (1 + 1e-12));
          }
        },
        each);
  }
}

TEST_CASE("every mechanism is priced by linear, zcdp and rdp, sampled or not", "[accounting][mechanisms]") {
  for (const mechanism& each : every_mechanism) {
    CAPTURE(describe(each));
    for (const sampling& sample : {sampling(all_units{}), sampling(poisson_sample{0.1})}) {
      const bool nested = std::visit(
          []<class M>(const M& noise) {
            return requires { detail::mechanism_entry<M>::inside(noise); };
          },
          each);
      if (nested && !std::holds_alternative<all_units>(sample)) continue;
      ledger book;
      book.record({.noise = each, .sampling = sample}, 3);
      for (const accountant rule : {accountant::linear, accountant::zcdp, accountant::rdp, accountant::best}) {
        if (rule == accountant::zcdp && (nested || std::holds_alternative<renyi_curve>(each))) continue;
        CAPTURE(rule);
        CHECK(ledger_epsilon(book, 1e-6, rule).upper < 100);
        CHECK(ledger_epsilon(book, 1e-6, rule).upper > 0);
      }
    }
  }
}

TEST_CASE("events are described in words", "[accounting][mechanisms]") {
  CHECK(describe(gaussian_noise{1.23456}) == "Gaussian, multiplier 1.235");
  CHECK(describe(laplace_noise{2}) == "Laplace, multiplier 2");
  CHECK(describe(discrete_gaussian_noise{1e-6}) == "discrete Gaussian, multiplier 1e-06");
  CHECK(describe(randomized_response{0.25, 3}) == "randomized response, 3 answers, noise 0.25");
  CHECK(describe(approximate_dp{1.000001, 1e-6}) == "a mechanism with epsilon 1.0001, delta 1e-06");
  CHECK(describe(sampling(all_units{})) == "all of the data");
  CHECK(describe(sampling(poisson_sample{0.01})) == "a secret sample, each with probability 0.01");
  CHECK(describe(sampling(fixed_size_sample{5, 70})) == "a secret sample of 5 of 70");
  CHECK(describe(sampling(random_allocation{10})) == "10 batches, each unit secretly in one of them");
}

TEST_CASE("a canonical ledger counts equal events together, without labels", "[accounting][mechanisms]") {
  ledger book;
  book.record({.noise = gaussian_noise{1}, .label = "first"}, 2);
  book.record({.noise = laplace_noise{4}});
  book.record({.noise = gaussian_noise{1}, .sampling = poisson_sample{1}, .label = "second"}, 3);
  book.record({.noise = approximate_dp{0, 0}}, 7);
  book.record({.noise = approximate_dp{0, 1e-9}});
  book.record({.noise = randomized_response{1, 4}}, 9);
  book.record({.noise = gaussian_noise{1}, .sampling = poisson_sample{0.5}}, 4);
  const canonical_ledger plain(book);
  REQUIRE(plain.uses().size() == 4);
  CHECK(plain.uses()[0].event.noise == mechanism(gaussian_noise{1}));
  CHECK(plain.uses()[0].event.sampling == sampling(all_units{}));
  CHECK(plain.uses()[0].count == 5);
  CHECK(plain.uses()[1].event.noise == mechanism(laplace_noise{4}));
  CHECK(plain.uses()[2].event.noise == mechanism(approximate_dp{0, 1e-9}));
  CHECK(plain.uses()[3].event.sampling == sampling(poisson_sample{0.5}));
  CHECK(plain.uses()[3].count == 4);
}

TEST_CASE("counts that exceed 2^64 - 1 together stay apart", "[accounting][mechanisms]") {
  ledger book;
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  book.record({.noise = gaussian_noise{1e12}, .label = "a"}, most - 1);
  book.record({.noise = gaussian_noise{1e12}, .label = "b"}, 1);
  book.record({.noise = gaussian_noise{1e12}, .label = "c"}, 5);
  book.record({.noise = gaussian_noise{1e12}, .label = "d"}, 6);
  const canonical_ledger plain(book);
  REQUIRE(plain.uses().size() == 2);
  CHECK(plain.uses()[0].count == most);
  CHECK(plain.uses()[1].count == 11);
  CHECK(ledger_epsilon(book, 1e-6).upper > 0);
  CHECK(ledger_epsilon(book, 1e-6).upper < 1);
}
