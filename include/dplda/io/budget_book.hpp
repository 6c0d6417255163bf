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
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <filesystem>
#include <istream>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
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
filter_options default_book_filter(double delta);

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
void write_book(std::ostream& out, const book_content& book);

/// Reads a book. Throws parse_error as read_ledger does: nothing is optional and nothing unknown is skipped.
book_content read_book(std::istream& in, const std::string& name);

/// A release that its book's limit does not admit. Nothing was booked.
class budget_exceeded : public std::runtime_error {
 public:
  budget_exceeded(const std::string& book, const budget& limit, const filter_rest& left);

  const filter_rest& left() const noexcept { return left_; }

 private:
  filter_rest left_;
};

/// A budget book on disk.
///
///   dplda::budget_book::create("letters.book", {.delta = 1e-6, .limit = {{2, dplda::default_book_filter(1e-6)}}});
///   ...
///   auto book = dplda::budget_book::open("letters.book");
///   const auto id = book.spend("topics", learner.plan().ledger);  // throws if it exceeds the limit
///   const auto released = learner.fit(docs, random);               // only after spend()
///   book.confirm(id, released.ledger());                           // throws if something else was spent
///   std::cout << book.guarantee() << '\n';             // of all releases together
///
/// Use one object from one thread; several objects, threads and processes may share one file.
class budget_book {
 public:
  /// Creates a book without entries. Throws std::runtime_error if something of this name exists or the book cannot be
  /// written, and std::invalid_argument if delta is not in (0, 1), the limit is invalid (see privacy_filter), or there
  /// are entries.
  static budget_book create(const std::filesystem::path& path, book_content content = {});

  /// Throws parse_error if there is no book of this name or a member of it is not understood, and
  /// std::runtime_error if the file has a second name (a hard link).
  static budget_book open(const std::filesystem::path& path);

  /// Books a planned release and returns the id of its entry. Call it before any of the release's noise is drawn; if it
  /// throws, the release must not be made. Throws budget_exceeded if the limit does not admit the release,
  /// std::invalid_argument if the plan is empty, has another unit or other neighbours, or has noise from a seed (which
  /// protects nobody, so no total would hold), parse_error if the file was damaged meanwhile, and std::runtime_error if
  /// it cannot be written.
  std::string spend(const std::string& what, const ledger& planned);

  /// Whether spend() would book this plan, judged by the entries when this object last read or wrote the book. Always
  /// true without a limit. Throws std::invalid_argument as spend().
  bool admits(const ledger& planned) const;

  privacy_unit unit() const noexcept { return content_.unit; }
  neighbours relation() const noexcept { return content_.relation; }
  double delta() const noexcept { return content_.delta; }
  const std::vector<book_entry>& entries() const noexcept { return content_.entries; }
  /// The filter that enforces the limit, with all entries counted; empty without a limit.
  const std::optional<privacy_filter>& limit() const noexcept { return filter_; }

  /// Throws std::invalid_argument unless `released`, the ledger of a release, is what was booked under this id. If it is
  /// not, or is from a seed, the book does not count that release, which must then not be published. An entry counts one
  /// release: whoever fits twice books twice.
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
  /// them, whatever the budgets were chosen from; otherwise their price, which assumes fixed plans if they are several. (A plan
  /// with options.before assumes that by itself; its release says so.) Counted are the entries when this object last read
  /// or wrote the book: open it again to count what others booked since.
  dplda::guarantee guarantee(const ledger& further = {}) const {
    if (filter_ && filter_->within() && (further.empty() || admits(further))) {
      dplda::guarantee promise = filter_->promise();
      promise.unit = unit();  // a filter without events does not know them
      promise.relation = relation();
      return promise;
    }
    ledger together = total();
    together.append(further);
    if (together.empty()) return {.epsilon = 0, .delta = delta(), .unit = unit(), .relation = relation()};
    dplda::guarantee priced = price(together, delta());
    priced.assumes_fixed_plans = entries().size() + (further.empty() ? 0 : 1) > 1;
    return priced;
  }

  /// All booked events.
  ledger total() const;

 private:
  budget_book(std::filesystem::path path, book_content content);

  void check(const ledger& planned) const;

  static book_content read(const std::filesystem::path& real);

  void add(book_entry entry);

  void write() const;

  std::filesystem::path path_;
  book_content content_;
  std::optional<privacy_filter> filter_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/budget_book.ipp>
#endif

#endif
