// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_BUDGET_BOOK_HPP
#define DPLDA_IO_BUDGET_BOOK_HPP

// A budget book: one file for one data set, to which every release of it is written before its noise is drawn. Sets that
//   share a document (or, for users, a user) are one data set.
//
// Why: a fit's epsilon is the price of that fit alone. Several fits on the same documents cost the price of all of
//   them, even if only one is published: the choice was made by looking at the others.
// Claim: (1) When spend() returns, the release is in the book and stays there, whatever happens to this process, to
//   concurrent writers, or to the machine. When it throws, the release must not be made. (2) The file is complete at
//   every moment. (3) In a book with a limit, all booked releases together are (epsilon, delta)-DP for the book's unit
//   and neighbours, even if each was planned with knowledge of all earlier results. (4) Without a limit, the price of
//   total() by an accountant is the cost of all releases together, if no plan depends on earlier results. guarantee()
//   says which of the two holds, and what it assumes.
// Preconditions: noise is drawn after spend() returned, and no more is spent than was booked. All releases of the data
//   set are in this one book: it is not edited, not replaced by an older copy, and no copy is used beside it. The file
//   system honours rename, flock and fsync, as local ones do.
// Argument: (1, 2) spend() holds a lock that one process at a time can have, reads the file again, checks, and replaces
//   it by a new file (detail/locked_file.hpp): written beside it, flushed to the disk, renamed, the folder flushed. A
//   crash before the rename leaves the former book and no release; a crash after it may leave an entry without a
//   release. So the book errs on the safe side. Links to the file are resolved first. A file with two names is refused,
//   because renaming would separate them. (3) The limit is a privacy filter (accounting/filter.hpp) over the entries in
//   their order; its rule and reserve are in the file, fixed by create(). Processes may overlap: a plan booked while
//   another release is being made only knows less than a plan that waits. (4) accounting/accountant.hpp.
// The file's content follows from public plans, apart from random ids: nothing in it depends on the data.
// Test: tests/io/budget_book_test.cpp, tests/examples/dplda/book_test.sh, tests/examples/dplda/book_crashes.sh

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/filter.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/io/detail/ledger_json.hpp>
#include <dplda/io/detail/locked_file.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <ostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// What all releases of a book together may cost, at the book's delta.
struct book_limit {
  double epsilon;
  /// How it is kept; see default_book_filter.
  filter_options filter;
};

/// The Gaussian rule. It reserves a quarter of delta, and slightly more against rounding, for opaque events: this is
/// what fully_private_topics spends on the thresholds of its words. So a book admits one fit planned for its whole
/// limit, if no step is on a sample of the units: the rule counts samples as if they were all units.
inline filter_options default_book_filter(double delta) {
  return {.rule = filter_rule::gaussian, .reserved_delta = delta / 4 * (1 + 1e-14)};
}

/// One booked release.
struct book_entry {
  std::string id;    ///< 32 random hexadecimal digits that link a release to its entry
  std::string what;  ///< for the reader
  dplda::ledger ledger;
  bool operator==(const book_entry&) const = default;
};

/// What a book's file holds.
struct book_content {
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  /// The delta of reported totals and of the limit.
  double delta = 1e-6;
  std::optional<book_limit> limit = {};
  std::vector<book_entry> entries = {};
};

/// Writes a book. Throws std::invalid_argument if words are not UTF-8, and std::runtime_error if the stream fails.
inline void write_book(std::ostream& out, const book_content& book) {
  json_value limit = nullptr;
  if (book.limit) {
    const filter_options& filter = book.limit->filter;
    limit = json_value::object{{"epsilon", book.limit->epsilon},
                               {"rule", filter.rule == filter_rule::gaussian ? "gaussian" : "renyi"},
                               {"order", filter.order ? json_value(*filter.order) : json_value(nullptr)},
                               {"reserved_delta", filter.reserved_delta}};
  }
  json_value::array entries;
  for (const book_entry& entry : book.entries) {
    detail::require_utf8(entry.what, "write_book", "what");
    entries.push_back(json_value::object{
        {"id", entry.id}, {"what", entry.what}, {"events", detail::entries_json(entry.ledger, "write_book")}});
  }
  json_value::object members = detail::json_head("dplda book");
  members.emplace_back("unit", detail::text(book.unit));
  members.emplace_back("neighbours", detail::text(book.relation));
  members.emplace_back("delta", book.delta);
  members.emplace_back("limit", std::move(limit));
  members.emplace_back("entries", std::move(entries));
  detail::write_json(out, std::move(members));
}

namespace detail {

inline book_limit read_book_limit(const json_value& value, const std::string& name, double delta) {
  const strict_object limit(value, name, "\"limit\"", {"epsilon", "rule", "order", "reserved_delta"});
  book_limit read{limit.number("epsilon"), {.reserved_delta = limit.number("reserved_delta")}};
  if (limit.text("rule") == "gaussian") {
    read.filter.rule = filter_rule::gaussian;
    if (!limit.at("order").is_null()) limit.refuse("null as \"order\" of the Gaussian rule");
  } else if (limit.text("rule") == "renyi") {
    read.filter.order = limit.number("order");
  } else {
    limit.refuse("\"gaussian\" or \"renyi\" as \"rule\"");
  }
  try {
    const privacy_filter checked({read.epsilon, delta}, read.filter);
  } catch (const std::invalid_argument& error) {
    limit.refuse("a valid limit (", error.what(), ')');
  }
  return read;
}

/// 32 hexadecimal digits from the operating system's random numbers.
inline std::string random_id() {
  std::random_device bits;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    const auto word = static_cast<std::uint32_t>(bits());
    for (int shift = 28; shift >= 0; shift -= 4) id += "0123456789abcdef"[(word >> shift) & 15];
  }
  return id;
}

}  // namespace detail

/// Reads a book. Throws parse_error as read_ledger does: nothing is optional and nothing unknown is skipped.
inline book_content read_book(std::istream& in, const std::string& name) {
  const json_value file = json_value::parse(detail::rest_of(in, name), name);
  detail::check_head(file, name, "dplda book");
  const detail::strict_object top(
      file, name, "the book",
      {"format", "format_version", "library_version", "unit", "neighbours", "delta", "limit", "entries"});
  top.text("library_version");
  book_content book{.unit = detail::read_unit(top), .relation = detail::read_neighbours(top)};
  book.delta = top.number("delta");
  if (!(book.delta > 0 && book.delta < 1)) top.refuse("a number between 0 and 1 as \"delta\"");
  if (!top.at("limit").is_null()) book.limit = detail::read_book_limit(top.at("limit"), name, book.delta);
  const auto* entries = top.at("entries").get_if<json_value::array>();
  if (entries == nullptr) top.refuse("a list as \"entries\"");
  std::optional<privacy_filter> filter;
  if (book.limit) filter.emplace(budget{book.limit->epsilon, book.delta}, book.limit->filter);
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const std::string place = detail::text("entry ", i + 1);
    const detail::strict_object entry((*entries)[i], name, place, {"id", "what", "events"});
    book_entry read{entry.text("id"), entry.text("what"), {}};
    if (read.id.size() != 32 || read.id.find_first_not_of("0123456789abcdef") != std::string::npos)
      entry.refuse("32 hexadecimal digits as \"id\"");
    if (std::ranges::any_of(book.entries, [&](const book_entry& other) { return other.id == read.id; }))
      entry.refuse("an \"id\" that no earlier entry has");
    detail::read_entries(entry, "events", place + ", event ", book.unit, book.relation, read.ledger);
    if (read.ledger.empty()) entry.refuse("at least one event");
    try {
      if (filter) filter->count(read.ledger);
    } catch (const std::invalid_argument& error) {
      entry.refuse("events that the limit's rule can count (", error.what(), ')');
    }
    book.entries.push_back(std::move(read));
  }
  return book;
}

/// A release that its book's limit does not admit. Nothing was booked.
class budget_exceeded : public std::runtime_error {
 public:
  budget_exceeded(const std::string& book, const budget& limit, const filter_rest& left)
      : std::runtime_error(detail::text(
            book, ": this release would exceed the book's limit, epsilon = ", limit.epsilon,
            " at delta = ", limit.delta, ". The rest admits Gaussian noise on all units with epsilon = ", left.epsilon,
            " at delta = ", left.noise_delta, ", and thresholds with delta = ", left.opaque_delta,
            ". Plan a smaller release, or work with earlier releases, which costs nothing")),
        left_(left) {}

  const filter_rest& left() const noexcept { return left_; }

 private:
  filter_rest left_;
};

/// What the price of several releases assumes.
inline constexpr const char* budgets_fixed_beforehand =
    "This total assumes that no budget, and no decision to make a further release, was chosen from the results of an "
    "earlier one. A book with a limit needs no such assumption.";

/// What holds for several releases together.
struct total_guarantee {
  guarantee claim;
  std::string assumption = {};  ///< empty: none

  friend std::ostream& operator<<(std::ostream& out, const total_guarantee& total) {
    return out << total.claim << (total.assumption.empty() ? "" : " ") << total.assumption;
  }
};

/// A budget book on disk.
///
///   dplda::budget_book::create("letters.book", {.delta = 1e-6, .limit = {{2, dplda::default_book_filter(1e-6)}}});
///   ...
///   auto book = dplda::budget_book::open("letters.book");
///   book.spend("topics", learner.plan().ledger);       // throws if it exceeds the limit
///   const auto released = learner.fit(docs, random);   // only after spend()
///   std::cout << book.guarantee() << '\n';             // of all releases together
///
/// Use one object from one thread; several objects, threads and processes may share one file.
class budget_book {
 public:
  /// Creates a book without entries. Throws std::runtime_error if something of this name exists or the book cannot be
  /// written, and std::invalid_argument if delta is not in (0, 1), the limit is invalid (see privacy_filter), or there
  /// are entries.
  static budget_book create(const std::filesystem::path& path, book_content content = {}) {
    const char* const function = "budget_book::create";
    detail::require(content.delta > 0 && content.delta < 1, function, "delta", content.delta, "must lie in (0, 1)");
    detail::require(content.entries.empty(), function, "the number of entries", content.entries.size(), "must be 0");
    if (content.limit)  // with its order, because a later version might choose another
      content.limit->filter = privacy_filter({content.limit->epsilon, content.delta}, content.limit->filter).options();
    const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    budget_book book(std::filesystem::canonical(parent) / path.filename(), std::move(content));
    const auto check_free = [&] {
      if (std::filesystem::exists(std::filesystem::symlink_status(book.path_)))
        throw std::runtime_error(
            path.string() +
            ": exists already, and a book is never replaced. If it is the book of these documents, use it: "
            "a second book for them would count too little");
    };
    check_free();  // before a lock is left beside somebody's file
    const detail::file_lock lock(book.path_);
    check_free();
    book.write();
    return book;
  }

  /// Throws parse_error if there is no book of this name or a member of it is not understood, and
  /// std::runtime_error if the file has a second name (a hard link).
  static budget_book open(const std::filesystem::path& path) {
    std::error_code failure;
    const std::filesystem::path real = std::filesystem::canonical(path, failure);
    if (failure) throw parse_error(path.string(), 0, "there is no such book; create it first");
    return budget_book(real, read(real));
  }

  /// Books a planned release and returns the id of its entry. Call it before any of the release's noise is drawn; if it
  /// throws, the release must not be made. Throws budget_exceeded if the limit does not admit the release,
  /// std::invalid_argument if the plan is empty, has another unit or other neighbours, or has noise from a seed (which
  /// protects nobody, so no total would hold), parse_error if the file was damaged meanwhile, and std::runtime_error if
  /// it cannot be written.
  std::string spend(const std::string& what, const ledger& planned) {
    check(planned);
    const detail::file_lock lock(path_);
    budget_book fresh(path_, read(path_));
    if (!fresh.admits(planned))
      throw budget_exceeded(path_.string(), {fresh.content_.limit->epsilon, fresh.delta()}, fresh.filter_->left());
    fresh.add({detail::random_id(), what, planned});
    fresh.write();
    *this = std::move(fresh);
    return entries().back().id;
  }

  /// Whether spend() would book this plan, judged by the entries when this object last read or wrote the book. Always
  /// true without a limit. Throws std::invalid_argument as spend().
  bool admits(const ledger& planned) const {
    check(planned);
    return !filter_ || privacy_filter(*filter_).spend(planned);
  }

  privacy_unit unit() const noexcept { return content_.unit; }
  neighbours relation() const noexcept { return content_.relation; }
  double delta() const noexcept { return content_.delta; }
  const std::vector<book_entry>& entries() const noexcept { return content_.entries; }
  /// The filter that enforces the limit, with all entries counted; empty without a limit.
  const std::optional<privacy_filter>& limit() const noexcept { return filter_; }

  /// Throws std::invalid_argument unless `released`, the ledger of a release, is what was booked under this id. If it is
  /// not, or is from a seed, the book does not count that release, which must then not be published.
  void confirm(const std::string& id, const ledger& released) const {
    const char* const function = "budget_book::confirm";
    const auto booked = std::ranges::find(entries(), id, &book_entry::id);
    detail::require(booked != entries().end(), function, "id", id, "must be one that spend() returned");
    detail::require(!released.seeded(), function, "the release's noise", "from a seed",
                    "must be secret, so do not publish it: fit again with secure_random()");
    detail::require(std::ranges::equal(released.entries(), booked->ledger.entries()), function,
                    "the ledger of the release", "another than the booked one",
                    "must be the booked one, so do not publish it: book what a release will spend");
  }

  /// What holds for all booked releases together, and for `further`, a planned one: the limit, if there is one that admits
  /// them, whatever the budgets were chosen from; otherwise their price, and what that assumes.
  total_guarantee guarantee(const ledger& further = {}) const {
    if (filter_ && filter_->within() && (further.empty() || admits(further))) {
      dplda::guarantee promise = filter_->promise();
      promise.unit = unit();  // a filter without events does not know them
      promise.relation = relation();
      return {std::move(promise)};
    }
    ledger together = total();
    together.append(further);
    if (together.empty()) return {{.epsilon = 0, .delta = delta(), .unit = unit(), .relation = relation()}};
    const bool several = entries().size() + (further.empty() ? 0 : 1) > 1;
    return {price(together, delta()), several ? budgets_fixed_beforehand : ""};
  }

  /// All booked events.
  ledger total() const {
    ledger sum;
    for (const book_entry& entry : entries()) sum.append(entry.ledger);
    return sum;
  }

 private:
  budget_book(std::filesystem::path path, book_content content) : path_(std::move(path)), content_(std::move(content)) {
    if (content_.limit) filter_.emplace(budget{content_.limit->epsilon, content_.delta}, content_.limit->filter);
    for (const book_entry& entry : content_.entries)
      if (filter_) filter_->count(entry.ledger);
  }

  void check(const ledger& planned) const {
    const char* const function = "budget_book::spend";
    detail::require(!planned.empty(), function, "the plan", "empty", "must hold what the release will cost");
    detail::require(!planned.seeded(), function, "the plan's noise", "from a seed",
                    "that protects nobody, so no book can count it");
    const privacy_event& event = planned.entries().front().event;
    detail::require(event.unit == unit(), function, "the plan's unit", event.unit,
                    detail::text("the book is for the unit ", unit(), ", and losses of different units do not add up"));
    detail::require(event.relation == relation(), function, "the plan's neighbours", event.relation,
                    detail::text("the book is for neighbours by ", relation()));
  }

  static book_content read(const std::filesystem::path& real) {
    std::error_code unknown;
    if (std::filesystem::is_regular_file(real, unknown) && std::filesystem::hard_link_count(real, unknown) > 1 &&
        !unknown)
      throw std::runtime_error(real.string() +
                               ": this file has a second name (a hard link), which would keep an old book; "
                               "remove the other name, or make it a symbolic link");
    auto in = open_to_read(real);
    return read_book(in, real.string());
  }

  void add(book_entry entry) {
    if (filter_) filter_->count(entry.ledger);
    content_.entries.push_back(std::move(entry));
  }

  void write() const {
    std::ostringstream text;
    write_book(text, content_);
    detail::replace_file(path_, text.str());
  }

  std::filesystem::path path_;
  book_content content_;
  std::optional<privacy_filter> filter_;
};

}  // namespace dplda::inline v0_1

#endif
