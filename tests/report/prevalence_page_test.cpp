// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/analysis/prevalence.hpp>
#include <dplda/report/report.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

#include <cstddef>
#include <string>
#include <utility>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

ledger with_noise(std::initializer_list<double> multipliers) {
  ledger spent;
  for (const double z : multipliers)
    spent.record({gaussian_noise{z}, all_units{}, privacy_unit::document, neighbours::add_remove, "x"});
  return spent;
}

report_content of_topics() {
  return {.topics = make_model({{.5, .3, .1, .1}, {.1, .1, .3, .5}}, {1, 1}),
          .claim = price(with_noise({4}), 1e-6),
          .ledger = with_noise({4})};
}

release<prevalence> shares(bool ordered, std::size_t topics = 2) {
  prevalence::parts parts{.groups = {"<May>", "June", "July", "August"},
                          .ordered = ordered,
                          .sums = Eigen::MatrixXd::Constant(4, static_cast<Eigen::Index>(topics), 50),
                          .noise = 3};
  parts.sums(0, 0) = 150;
  parts.sums.row(2).setConstant(1);  // too few
  return release<prevalence>(prevalence(std::move(parts)), price(with_noise({4, 9}), 2e-6), with_noise({4, 9}));
}

std::size_t count(const std::string& page, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("The page shows the shares of topics in groups, under the guarantee of both", "[report][prevalence]") {
  report_content content = of_topics();
  const double alone = content.claim->epsilon;
  add_prevalence(content, shares(false));
  CHECK(content.claim->epsilon > alone);
  CHECK(content.ledger == with_noise({4, 9}));
  const std::string page = report_html(content);
  CHECK_THAT(page, ContainsSubstring("&lt;May&gt;"));
  CHECK(page.find("<May>") == std::string::npos);
  CHECK(count(page, "class=\"fill\" x=") == 6);  // three groups of each topic
  CHECK(count(page, ">too few to tell<") == 3);  // once in the table, once for each topic
  CHECK_THAT(page, ContainsSubstring("A circle’s area is the topic’s share as it was measured"));
  CHECK_THAT(page, ContainsSubstring("of the documents"));
}

TEST_CASE("Groups in order are drawn as lines, with gaps", "[report][prevalence]") {
  report_content content = of_topics();
  add_prevalence(content, shares(true));
  const std::string page = report_html(content);
  CHECK(count(page, "class=\"trend\"") == 4);  // two pieces for each topic
  CHECK(count(page, "class=\"noise-band\"") == 4);
  CHECK(page.find("class=\"fill\" x=") == std::string::npos);
  CHECK(page.find(" nan") == std::string::npos);
  CHECK(page.find("Mnan") == std::string::npos);
}

TEST_CASE("Shares of other topics are refused", "[report][prevalence]") {
  report_content content = of_topics();
  CHECK_THAT(refusal([&] { add_prevalence(content, shares(false, 3)); }), ContainsSubstring("number of topics"));
  content.ledger = with_noise({5});
  CHECK_THAT(refusal([&] { add_prevalence(content, shares(false)); }), ContainsSubstring("ledger"));
  CHECK_FALSE(content.prevalence.has_value());
}
