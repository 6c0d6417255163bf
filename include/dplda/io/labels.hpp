// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_LABELS_HPP
#define DPLDA_IO_LABELS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/vocabulary.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What stands beside each document: a group (department, newsgroup) and a date. They are read off the documents, so they
// are as private as these: which labels there are, and from when to when the dates run, may be shown only if that is
// public or was released.

namespace dplda::inline v0_1 {

/// The label of each document, in the documents' order. Labels are numbered as they first appear.
struct label_list {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();  ///< the document has no label

  std::vector<std::uint32_t> of_document;
  vocabulary_ptr labels = std::make_shared<const vocabulary>();  ///< label g is labels->word(g)

  std::size_t size() const noexcept { return of_document.size(); }
};

/// A day, a month or a year of the Gregorian calendar.
struct calendar_date {
  int year = 0;        ///< 1 to 9999; 0: unknown
  unsigned month = 0;  ///< 1 to 12; 0: only the year is known
  unsigned day = 0;    ///< 1 to 31; 0: only the month is known

  bool known() const noexcept { return year != 0; }
  friend auto operator<=>(const calendar_date&, const calendar_date&) = default;
};

/// Reads 2024-05-17, 2024/05/17, 17.05.2024, 2024-05, 05.2024 or 2024; a month or a day may have one digit. A day of the
/// form 2024-05-17 or 17.05.2024 may be followed by a time of day, after T or a blank, which is not looked at. Nothing
/// for other text: 05/06/2024 is May in one country and June in another.
std::optional<calendar_date> parse_date(std::string_view text);

/// What parse_date reads, for messages.
inline constexpr const char* dates_that_are_read = "a date such as 2024-05-17, 17.05.2024, 2024-05 or 2024";

/// 2024-05-17, 2024-05 or 2024, as far as the date is known; empty if it is unknown.
std::string to_string(const calendar_date& date);

enum class time_unit { year, quarter, month, day };

/// The name of the period that a date lies in: 2024, 2024-Q2, 2024-05 or 2024-05-17. In the order of their bytes periods
/// are in the order of time. Nothing if the date is unknown or not precise enough.
std::optional<std::string> period_of(const calendar_date& date, time_unit unit);

/// The periods of documents as labels; a document whose date is unknown or not precise enough has none.
label_list periods_of(std::span<const calendar_date> dates, time_unit unit);

/// The names of all periods from the one of `first` to the one of `last`, a public list if both are public. Throws
/// std::invalid_argument if a date is not precise enough, or if `last` is before `first`.
std::vector<std::string> periods_between(const calendar_date& first, const calendar_date& last, time_unit unit);

/// Documents with what stands beside each of them.
struct labelled_corpus {
  corpus docs;
  vocabulary_ptr users = std::make_shared<const vocabulary>();  ///< user u is users->word(u); empty if not named
  label_list groups = {};                 ///< the group of each document; empty if no column was named for it
  std::vector<calendar_date> dates = {};  ///< the date of each document; empty if no column was named for it
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/labels.ipp>
#endif

#endif
