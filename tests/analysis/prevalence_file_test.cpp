// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/prevalence_file.hpp>

#include <dplda/accounting/accountant.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/files.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>

using namespace dplda;
using Catch::Matchers::ContainsSubstring;

namespace {

ledger spent_on_it() {
  ledger spent;
  spent.record({gaussian_noise{5}, all_units{}, privacy_unit::user, neighbours::add_remove, "topics of groups"});
  return spent;
}

release<prevalence> measured(double squares_noise) {
  prevalence::parts parts{.groups = {"a, \"b\"", "ü"},
                          .ordered = true,
                          .sums = (Eigen::MatrixXd(2, 3) << 100.125, 30, -4, 7, 1, 2).finished(),
                          .noise = 4.5,
                          .squares_noise = squares_noise};
  if (squares_noise > 0) parts.squares = Eigen::Vector3d(10, 5, -1);
  return release<prevalence>(prevalence(std::move(parts)), price(spent_on_it(), 1e-6), spent_on_it());
}

// A file of this text, which is removed at the end.
class text_file {
 public:
  explicit text_file(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / "dplda_prevalence_file_test.json") {
    write_file(path_, [&](std::ostream& out) { out << text; });
  }
  ~text_file() { std::filesystem::remove(path_); }
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string fault(const json_value& changed) {
  const text_file file(changed.dump(2));
  try {
    read_prevalence(file.path());
  } catch (const parse_error& refused) {
    return refused.what();
  }
  return {};
}

}  // namespace

TEST_CASE("Prevalence is read as it was written", "[analysis][prevalence]") {
  for (const double squares_noise : {0.0, 2.0}) {
    const release<prevalence> before = measured(squares_noise);
    const text_file file(
        prevalence_json(
            before,
            {.own = before.guarantee(), .model_sha256 = "abc", .settings = {{"groups", "public"}}, .booked = "entry"})
            .dump(2));
    const saved_prevalence after = read_prevalence(file.path());
    const prevalence::parts &was = before.value().get(), &is = after.measured.value().get();
    CHECK(is.groups == was.groups);
    CHECK(is.ordered);
    CHECK(is.sums == was.sums);
    CHECK(is.noise == was.noise);
    CHECK(is.squares == was.squares);
    CHECK(is.squares_noise == was.squares_noise);
    CHECK(after.measured.guarantee() == before.guarantee());
    CHECK(std::ranges::equal(after.measured.ledger().entries(), before.ledger().entries()));
    CHECK(after.details.own == before.guarantee());
    CHECK(after.details.model_sha256 == "abc");
    CHECK(after.details.booked == "entry");
    CHECK(json_value(after.details.settings) == json_value(json_value::object{{"groups", "public"}}));
  }
}

TEST_CASE("The table has a line for each group and topic", "[analysis][prevalence]") {
  const std::string table = prevalence_csv(measured(0).value());
  CHECK(std::count(table.begin(), table.end(), '\n') == 7);
  CHECK_THAT(table, ContainsSubstring("\n\"a, \"\"b\"\"\",126.1,yes,0,0.76945,"));  // 100.125 of 130.125
  CHECK_THAT(table, ContainsSubstring("\nü,10.0,no,0,"));
  CHECK_THAT(table, ContainsSubstring(",0.00000,1.00000,0.00000,1.00000\n"));
}

TEST_CASE("A damaged file of prevalence is refused", "[analysis][prevalence]") {
  const release<prevalence> whole = measured(2);
  const json_value file = prevalence_json(whole, {.own = whole.guarantee()});
  CHECK(fault(file).empty());
  const auto with = [&](const char* name, json_value value) {
    json_value changed = file;
    changed.set(name, std::move(value));
    return fault(changed);
  };
  CHECK_THAT(with("format", "dplda release"), ContainsSubstring("that dplda prevalence writes"));
  CHECK_THAT(with("noise", 0.0), ContainsSubstring("noise"));
  CHECK_THAT(with("noise", "much"), ContainsSubstring("must be a number"));
  CHECK_THAT(with("groups", json_value::array()), ContainsSubstring("number of groups"));
  CHECK_THAT(with("squares", json_value::array{1.0}), ContainsSubstring("number of squares"));
  json_value uneven = file;
  json_value::array groups = file.at("groups").as<json_value::array>();
  groups[1].set("sums", json_value::array{1.0, 2.0});
  uneven.set("groups", groups);
  CHECK_THAT(fault(uneven), ContainsSubstring("different length"));
  // A guarantee below the price of the ledger.
  guarantee cheaper = whole.guarantee();
  cheaper.epsilon /= 2;
  CHECK_THAT(fault(prevalence_json(release<prevalence>(whole.value(), cheaper, whole.ledger()), {.own = cheaper})),
             ContainsSubstring("claims less than its ledger costs"));
}
