// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/labels.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using dplda::calendar_date;
using dplda::parse_date;
using dplda::period_of;
using dplda::periods_between;
using dplda::time_unit;

TEST_CASE("Dates are read in the forms that have one meaning", "[io][labels]") {
  const calendar_date day{2024, 5, 7}, month{2024, 5, 0}, year{2024, 0, 0};
  for (const char* text : {"2024-05-07", "2024-5-7", "2024/05/07", "07.05.2024", "7.5.2024", "2024-05-07T23:59:59Z",
                           "2024-05-07 10:00", "2024-05-07T10:00:00.123+02:00", "07.05.2024 10:00:00"}) {
    CAPTURE(text);
    CHECK(parse_date(text) == day);
  }
  CHECK(parse_date("2024-05") == month);
  CHECK(parse_date("05.2024") == month);
  CHECK(parse_date("2024") == year);
  CHECK(parse_date("2024-02-29") == calendar_date{2024, 2, 29});  // a leap year, as 2000 is
  CHECK(parse_date("29.02.2000") == calendar_date{2000, 2, 29});
  CHECK(day.known());
  CHECK_FALSE(calendar_date{}.known());
}

TEST_CASE("What is not a date, or has two meanings, is none", "[io][labels]") {
  for (const char* text : {"",
                           " ",
                           "May 2024",
                           "05/06/2024",
                           "5/2024",
                           "2024/05",
                           "2024-13",
                           "2024-00",
                           "2024-0-1",
                           "2024-05-00",
                           "2024-05-32",
                           "2023-02-29",
                           "1900-02-29",
                           "31.04.2024",
                           "00.05.2024",
                           "01.13.2024",
                           "0.2024",
                           "17.05.24",
                           "17.05.",
                           "17.",
                           "20240517",
                           "45429",
                           "0000",
                           "0000-01-01",
                           "-2024",
                           "+2024",
                           "2024-",
                           "2024-05-",
                           "2024-05/17",
                           "2024-05-17x",
                           "2024-05-17T",
                           "2024-05-17 ",
                           "2024-05-17 noon",
                           "2024-05T10:00",
                           "2024 10:00",
                           " 2024",
                           "2024 ",
                           "99999999999999999999",
                           "2024-99999999999999999999",
                           "1.99999999999999999999",
                           "2024-05-17\n"}) {
    CAPTURE(text);
    CHECK(parse_date(text) == std::nullopt);
  }
}

TEST_CASE("Periods are named so that the order of bytes is the order of time", "[io][labels]") {
  const calendar_date day{2024, 5, 17};
  CHECK(period_of(day, time_unit::year) == "2024");
  CHECK(period_of(day, time_unit::quarter) == "2024-Q2");
  CHECK(period_of(day, time_unit::month) == "2024-05");
  CHECK(period_of(day, time_unit::day) == "2024-05-17");
  CHECK(period_of({812, 10, 1}, time_unit::quarter) == "0812-Q4");
  CHECK(period_of({2024, 5, 0}, time_unit::day) == std::nullopt);
  CHECK(period_of({2024, 0, 0}, time_unit::quarter) == std::nullopt);
  CHECK(period_of({2024, 0, 0}, time_unit::year) == "2024");
  CHECK(period_of({}, time_unit::year) == std::nullopt);

  CHECK(to_string(day) == "2024-05-17");
  CHECK(to_string(calendar_date{2024, 5, 0}) == "2024-05");
  CHECK(to_string(calendar_date{2024, 0, 0}) == "2024");
  CHECK(to_string(calendar_date{}).empty());

  const std::vector<calendar_date> dates = {day, {}, {2023, 12, 31}, {2024, 0, 0}, {2024, 5, 1}};
  const auto periods = dplda::periods_of(dates, time_unit::month);
  const auto none = dplda::label_list::none;
  CHECK(periods.of_document == std::vector<std::uint32_t>{0, none, 1, none, 0});
  CHECK(periods.labels->word(0) == "2024-05");
  CHECK(periods.labels->word(1) == "2023-12");
}

TEST_CASE("A list of periods has no gap and no repetition", "[io][labels]") {
  using list = std::vector<std::string>;
  CHECK(periods_between({2023, 11, 30}, {2024, 2, 1}, time_unit::month) ==
        list{"2023-11", "2023-12", "2024-01", "2024-02"});
  CHECK(periods_between({2023, 9, 0}, {2024, 4, 0}, time_unit::quarter) ==
        list{"2023-Q3", "2023-Q4", "2024-Q1", "2024-Q2"});
  CHECK(periods_between({2023, 0, 0}, {2025, 0, 0}, time_unit::year) == list{"2023", "2024", "2025"});
  CHECK(periods_between({2024, 2, 28}, {2024, 3, 1}, time_unit::day) == list{"2024-02-28", "2024-02-29", "2024-03-01"});
  CHECK(periods_between({2024, 5, 2}, {2024, 5, 1}, time_unit::month) == list{"2024-05"});
  // 400 years have 146,097 days, whichever they are.
  const list days = periods_between({1999, 3, 1}, {2399, 2, 28}, time_unit::day);
  CHECK(days.size() == 146097);
  CHECK(std::is_sorted(days.begin(), days.end()));
  CHECK_THROWS_AS(periods_between({2024, 5, 2}, {2024, 5, 1}, time_unit::day), std::invalid_argument);
  CHECK_THROWS_AS(periods_between({2024, 0, 0}, {2024, 5, 1}, time_unit::month), std::invalid_argument);
  CHECK_THROWS_AS(periods_between({}, {}, time_unit::year), std::invalid_argument);
}
