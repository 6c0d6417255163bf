// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_LABELS_IPP
#define DPLDA_IO_DETAIL_LABELS_IPP

// Bodies of io/labels.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/labels.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

/// The digits at the beginning of the text, removed from it; nothing if there are fewer than `least` or more than `most`.
inline std::optional<unsigned> take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits < least || digits > most) return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(0, digits)) value = 10 * value + static_cast<unsigned>(c - '0');
  text.remove_prefix(digits);
  return value;
}

inline bool take_char(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// Whether this may stand after a day: nothing, or T or a blank and a time of day.
inline bool is_time_of_day(std::string_view text) {
  if (text.empty()) return true;
  if (text.front() != 'T' && text.front() != ' ') return false;
  text.remove_prefix(1);
  return !text.empty() && text.front() >= '0' && text.front() <= '9' &&
         text.find_first_not_of("0123456789:.,+-Z ") == std::string_view::npos;
}

inline unsigned last_day(int year, unsigned month) {
  return static_cast<unsigned>(
      std::chrono::year_month_day_last(std::chrono::year(year), std::chrono::month_day_last(std::chrono::month(month)))
          .day());
}

/// How many of year, month and day a date has.
inline unsigned precision(const calendar_date& date) {
  return date.year == 0 ? 0u : date.month == 0 ? 1u : date.day == 0 ? 2u : 3u;
}

inline unsigned precision(time_unit unit) { return unit == time_unit::year ? 1 : unit == time_unit::day ? 3 : 2; }

}  // namespace detail

DPLDA_INLINE std::optional<calendar_date> parse_date(std::string_view text) {
  using detail::take_char;
  using detail::take_digits;
  std::string_view rest = text;
  unsigned year = 0, month = 0, day = 0;
  if (const auto leading = take_digits(rest, 4, 4)) {  // 2024, 2024-05, 2024-05-17
    year = *leading;
    const char separator = rest.starts_with('/') ? '/' : '-';
    if (take_char(rest, separator)) {
      const auto second = take_digits(rest, 1, 2);
      if (!second || *second == 0) return std::nullopt;
      month = *second;
      if (take_char(rest, separator)) {
        const auto third = take_digits(rest, 1, 2);
        if (!third || *third == 0) return std::nullopt;
        day = *third;
      } else if (separator == '/') {
        return std::nullopt;
      }
    }
  } else {  // 05.2024, 17.05.2024
    rest = text;
    const auto first = take_digits(rest, 1, 2);
    if (!first || *first == 0 || !take_char(rest, '.')) return std::nullopt;
    month = *first;
    std::string_view after = rest;
    if (const auto second = take_digits(after, 1, 2)) {
      if (*second == 0 || !take_char(after, '.')) return std::nullopt;
      day = std::exchange(month, *second);
      rest = after;
    }
    const auto last = take_digits(rest, 4, 4);
    if (!last) return std::nullopt;
    year = *last;
  }
  if (day != 0 ? !detail::is_time_of_day(rest) : !rest.empty()) return std::nullopt;
  const calendar_date date{static_cast<int>(year), month, day};
  if (year == 0 || month > 12 || (day != 0 && day > detail::last_day(date.year, month))) return std::nullopt;
  return date;
}

DPLDA_INLINE std::optional<std::string> period_of(const calendar_date& date, time_unit unit) {
  if (detail::precision(date) < detail::precision(unit)) return std::nullopt;
  const auto digits = [](unsigned value, std::size_t size) {
    std::string number = std::to_string(value);
    return number.insert(0, size - std::min(size, number.size()), '0');
  };
  const std::string year = digits(static_cast<unsigned>(date.year), 4);
  switch (unit) {
    case time_unit::year:
      return year;
    case time_unit::quarter:
      return year + "-Q" + digits((date.month + 2) / 3, 1);
    case time_unit::month:
      return year + '-' + digits(date.month, 2);
    case time_unit::day:
      break;
  }
  return year + '-' + digits(date.month, 2) + '-' + digits(date.day, 2);
}

DPLDA_INLINE std::string to_string(const calendar_date& date) {
  constexpr time_unit units[] = {time_unit::year, time_unit::month, time_unit::day};
  const unsigned known = detail::precision(date);
  return known == 0 ? std::string() : *period_of(date, units[known - 1]);
}

DPLDA_INLINE label_list periods_of(std::span<const calendar_date> dates, time_unit unit) {
  label_list periods;
  periods.of_document.reserve(dates.size());
  vocabulary_builder names;
  for (const calendar_date& date : dates) {
    const auto period = period_of(date, unit);
    periods.of_document.push_back(period ? names.add(*period) : label_list::none);
  }
  periods.labels = names.build();
  return periods;
}

DPLDA_INLINE std::vector<std::string> periods_between(const calendar_date& first, const calendar_date& last,
                                                      time_unit unit) {
  const auto end = period_of(last, unit);
  auto now = period_of(first, unit);
  detail::require(now && end, "periods_between", "a date", "not precise enough", "must have the unit's precision");
  detail::require(*now <= *end, "periods_between", "last", *end, detail::text("must not be before ", *now));
  std::vector<std::string> names = {*now};
  for (calendar_date at = first; names.back() != *end;) {
    if (unit == time_unit::year) {
      ++at.year;
    } else if (unit != time_unit::day || ++at.day > detail::last_day(at.year, at.month)) {
      at.day = 1;
      if (++at.month > 12) {
        at.month = 1;
        ++at.year;
      }
    }
    if (const auto name = period_of(at, unit); *name != names.back()) names.push_back(*name);
  }
  return names;
}

}  // namespace dplda::inline v0_1

#endif
