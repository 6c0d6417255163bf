// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/io/dp_events.hpp>

#include <stdexcept>
#include <string>

#include "support/catch.hpp"

namespace {

using Catch::Matchers::ContainsSubstring;
using dplda::dp_events_from_json;
using dplda::json_value;
using dplda::ledger;

ledger read(const std::string& text, dplda::neighbours relation = dplda::neighbours::add_remove) {
  return dp_events_from_json(json_value::parse(text, "events"), "events", dplda::privacy_unit::document, relation);
}

const std::string gaussian = R"({"module_name": "dp_accounting.dp_event", "class_name": "GaussianDpEvent",
                                 "noise_multiplier": 2})";

TEST_CASE("A ledger is the same after a way through events of dp_accounting", "[dp_events]") {
  ledger book;
  book.record({.noise = dplda::gaussian_noise{1.25}, .sampling = dplda::poisson_sample{0.01}}, 1000);
  book.record({.noise = dplda::laplace_noise{3}});
  book.record({.noise = dplda::randomized_response{0.25, 7}, .sampling = dplda::poisson_sample{0.5}}, 3);
  book.record({.noise = dplda::approximate_dp{0.5, 1e-9}});
  CHECK(dp_events_from_json(to_dp_events(book), "events") == book);
  CHECK(dp_events_from_json(to_dp_events(ledger()), "events").empty());
}

TEST_CASE("Events are written in the form of to_named_tuple", "[dp_events]") {
  ledger book;
  book.record({.noise = dplda::gaussian_noise{2}, .sampling = dplda::poisson_sample{0.5}}, 10);
  const json_value whole = to_dp_events(book);
  CHECK(whole.at("module_name") == json_value("dp_accounting.dp_event"));
  CHECK(whole.at("class_name") == json_value("ComposedDpEvent"));
  const json_value& repeated = whole.at("events").as<json_value::array>().front();
  CHECK(repeated.at("class_name") == json_value("SelfComposedDpEvent"));
  CHECK(repeated.at("count") == json_value(10));
  CHECK(repeated.at("event").at("sampling_probability") == json_value(0.5));
  CHECK(repeated.at("event").at("event").at("noise_multiplier") == json_value(2.0));
}

TEST_CASE("Nested events become entries of a ledger", "[dp_events]") {
  const ledger book = read(R"({"class_name": "ComposedDpEvent", "events": [
    {"class_name": "NoOpDpEvent"},
    {"class_name": "SelfComposedDpEvent", "count": 3, "event":
      {"class_name": "SelfComposedDpEvent", "count": 5, "event":
        {"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.25, "event": )" +
                           gaussian + R"(}}},
    {"class_name": "DiscreteGaussianDpEvent", "sigma": 6, "sensitivity": 2},
    {"class_name": "DiscreteLaplaceDpEvent", "noise_parameter": 0.5, "sensitivity": 3}]})");
  REQUIRE(book.entries().size() == 3);
  CHECK(book.entries()[0].count == 15);
  CHECK(book.entries()[0].event.sampling == dplda::sampling(dplda::poisson_sample{0.25}));
  CHECK(std::get<dplda::discrete_gaussian_noise>(book.entries()[1].event.noise).multiplier ==
        Catch::Approx(3).epsilon(1e-15));
  const double epsilon = std::get<dplda::approximate_dp>(book.entries()[2].event.noise).epsilon;
  CHECK(epsilon >= 1.5);
  CHECK(epsilon == Catch::Approx(1.5).epsilon(1e-15));
}

TEST_CASE("Where a unit is replaced, a bound on its norm is half the sensitivity", "[dp_events]") {
  const ledger book = read(R"({"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 100,
                               "sample_size": 10, "event": )" +
                               gaussian + "}",
                           dplda::neighbours::replace);
  CHECK(book.entries()[0].event.noise == dplda::mechanism(dplda::gaussian_noise{1}));
  CHECK(book.entries()[0].event.sampling == dplda::sampling(dplda::fixed_size_sample{10, 100}));
}

TEST_CASE("What is not private costs everything", "[dp_events]") {
  CHECK(price(read(R"({"class_name": "NonPrivateDpEvent"})"), 0.5).epsilon == std::numeric_limits<double>::infinity());
}

TEST_CASE("Events without a counterpart are refused in words", "[dp_events]") {
  const auto refused = [](const std::string& text, const std::string& words) {
    CHECK_THROWS_WITH(read(text), ContainsSubstring(words));
  };
  refused(R"({"class_name": "SingleEpochTreeAggregationDpEvent", "noise_multiplier": 1})", "has no counterpart here");
  refused(R"({"class_name": "SampledWithReplacementDpEvent", "source_dataset_size": 9, "sample_size": 2, "event": )" +
              gaussian + "}",
          "SampledWithReplacementDpEvent");
  refused(
      R"({"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 9, "sample_size": 2, "event": )" +
          gaussian + "}",
      "only if a unit is replaced");
  refused(R"({"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.1, "event":
             {"class_name": "SelfComposedDpEvent", "count": 2, "event": )" +
              gaussian + "}}",
          "would share one sample");
  refused(R"({"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.1, "event":
             {"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.1, "event": )" +
              gaussian + "}}",
          "inside a sample");
  refused(R"({"class_name": "GaussianDpEvent", "noise_multiplier": -1})", "GaussianDpEvent");
  refused(R"({"class_name": "GaussianDpEvent", "sigma": 1})", "noise_multiplier");
  refused(R"({"class_name": "SelfComposedDpEvent", "count": 0, "event": )" + gaussian + "}", "count");
  refused("[]", "class_name");
  std::string deep = gaussian;
  for (int i = 0; i < 80; ++i) deep = R"({"class_name": "ComposedDpEvent", "events": [)" + deep + "]}";
  refused(deep, "levels of nesting");
}

TEST_CASE("Ledgers that the events cannot describe are refused in words", "[dp_events]") {
  ledger replaced, discrete;
  replaced.record({.noise = dplda::gaussian_noise{1}, .relation = dplda::neighbours::replace});
  CHECK_THROWS_WITH(to_dp_events(replaced), ContainsSubstring("add_remove"));
  discrete.record({.noise = dplda::discrete_gaussian_noise{1}});
  CHECK_THROWS_WITH(to_dp_events(discrete), ContainsSubstring("sensitivity"));

  ledger allocated, selected;
  allocated.record({.noise = dplda::gaussian_noise{1}, .sampling = dplda::random_allocation{10}});
  CHECK_THROWS_WITH(to_dp_events(allocated), ContainsSubstring("sampling"));
  ledger one_run;
  one_run.record({.noise = dplda::gaussian_noise{1}});
  selected.record({.noise = dplda::best_of{dplda::runs_with_mean(3), one_run}});
  CHECK_THROWS_WITH(to_dp_events(selected), ContainsSubstring("has no event of dp_accounting"));
}

}  // namespace
