// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/guarantee.hpp>
#include <dplda/core/rounding.hpp>

#include "support/catch.hpp"

#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>

using namespace dplda;

namespace {

std::string sentence(const guarantee& g) {
  std::ostringstream out;
  out << g;
  return out.str();
}

}  // namespace

TEST_CASE("A proven guarantee reads as one", "[accounting][guarantee]") {
  CHECK(sentence({.epsilon = 1, .delta = 1e-6}) ==
        "(epsilon = 1, delta = 1e-06) differential privacy holds for each document: whether one document is in the "
        "data or not changes the probability of any result by at most a factor of e^epsilon, up to delta. "
        "Accountant: best.");
  CHECK(sentence({.epsilon = 0.5,
                  .delta = 0,
                  .unit = privacy_unit::user,
                  .relation = neighbours::replace,
                  .accountant = accountant::linear}) ==
        "(epsilon = 0.5, delta = 0) differential privacy holds for each user: which content one user has changes the "
        "probability of any result by at most a factor of e^epsilon, up to delta. Accountant: linear.");
}

TEST_CASE("A published claim never reads as a proof", "[accounting][guarantee]") {
  const std::string says = sentence({.epsilon = 2,
                                     .delta = 0.25,
                                     .accountant = accountant::zcdp,
                                     .basis = basis::as_published,
                                     .caveat = "The topics of a document depend on the others."});
  CHECK(says ==
        "(epsilon = 2, delta = 0.25) differential privacy is claimed, not proven, for each document: whether one "
        "document is in the data or not changes the probability of any result by at most a factor of e^epsilon, up to "
        "delta. Accountant: zcdp. Why it is not a proof: The topics of a document depend on the others.");
  CHECK(says.find("holds") == std::string::npos);
}

TEST_CASE("Random differential privacy names its exception", "[accounting][guarantee]") {
  CHECK_THAT(sentence({.epsilon = 1, .delta = 0, .gamma = 0.05}),
             Catch::Matchers::ContainsSubstring(" This holds except with probability 0.05 over the data. Accountant"));
  CHECK_THAT(sentence({.epsilon = 1, .delta = 0}), !Catch::Matchers::ContainsSubstring("over the data"));
}

TEST_CASE("A guarantee from seeded noise says so", "[accounting][guarantee]") {
  CHECK_THAT(sentence({.epsilon = 1, .delta = 0, .seeded = true}),
             Catch::Matchers::EndsWith(" The noise came from a known seed: for experiments only, not private."));
  CHECK_THAT(sentence({.epsilon = 1, .delta = 0}), !Catch::Matchers::ContainsSubstring("seed"));
}

TEST_CASE("A guarantee of several releases says what it assumes", "[accounting][guarantee]") {
  CHECK_THAT(sentence({.epsilon = 1, .delta = 0, .assumes_fixed_plans = true}),
             Catch::Matchers::EndsWith(std::string(" Accountant: best. ") + fixed_plans));
  CHECK_THAT(sentence({.epsilon = 1, .delta = 0}), !Catch::Matchers::ContainsSubstring("assumes"));
}

TEST_CASE("A guarantee for one part of the data says so", "[accounting][guarantee]") {
  CHECK_THAT(sentence({.epsilon = 1, .delta = 0, .part = "received in February"}),
             Catch::Matchers::EndsWith(" Accountant: best. " + one_part("received in February")));
  CHECK_THAT(one_part("received in February"), Catch::Matchers::ContainsSubstring("(received in February)"));
}

TEST_CASE("Every accountant has a name of its own", "[accounting][guarantee]") {
  std::ostringstream out;
  for (const accountant rule : {accountant::linear, accountant::advanced, accountant::optimal, accountant::zcdp,
                                accountant::rdp, accountant::gaussian, accountant::pld, accountant::best}) {
    out << rule << ' ';
  }
  CHECK(out.str() == "linear advanced optimal zcdp rdp gaussian pld best ");
}

TEST_CASE("Numbers are printed rounded up", "[accounting][guarantee]") {
  using dplda::rounded_up;
  CHECK(rounded_up(1) == "1");
  CHECK(rounded_up(1.0000004) == "1.0001");
  CHECK(rounded_up(0.99999999) == "1");
  CHECK(rounded_up(1e-6) == "1e-06");
  CHECK(rounded_up(0) == "0");
  CHECK(rounded_up(std::numeric_limits<double>::infinity()) == "inf");
  for (double x = 4.9e-324; x < 1e308; x *= 1.7) {
    const double printed = std::strtod(rounded_up(x).c_str(), nullptr);
    CHECK(printed >= x);
    CHECK(printed <= x * (1 + 2e-4) + 5e-324);
  }
  CHECK(std::strtod(rounded_up(20241 * 5e-324).c_str(), nullptr) >= 20241 * 5e-324);  // once an endless loop
}
