// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_BUDGET_BOOK_IPP
#define DPLDA_IO_DETAIL_BUDGET_BOOK_IPP

// Bodies of io/budget_book.hpp, which has their claim, argument and test.

#include <dplda/io/budget_book.hpp>
#include <dplda/io/detail/ledger_json.hpp>
#include <dplda/io/detail/locked_file.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <system_error>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE filter_options default_book_filter(double delta) {
  return {.rule = filter_rule::gaussian, .reserved_delta = delta / 4 * (1 + 1e-14)};
}

DPLDA_INLINE void write_book(std::ostream& out, const book_content& book) {
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

DPLDA_INLINE book_content read_book(std::istream& in, const std::string& name) {
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

DPLDA_INLINE budget_exceeded::budget_exceeded(const std::string& book, const budget& limit, const filter_rest& left)
    : std::runtime_error(detail::text(
          book, ": this release would exceed the book's limit, epsilon = ", limit.epsilon, " at delta = ", limit.delta,
          ". The rest admits Gaussian noise on all units with epsilon = ", left.epsilon,
          " at delta = ", left.noise_delta, ", and thresholds with delta = ", left.opaque_delta,
          ". Plan a smaller release, or work with earlier releases, which costs nothing")),
      left_(left) {}

DPLDA_INLINE budget_book budget_book::create(const std::filesystem::path& path, book_content content) {
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

DPLDA_INLINE budget_book budget_book::open(const std::filesystem::path& path) {
  std::error_code failure;
  const std::filesystem::path real = std::filesystem::canonical(path, failure);
  if (failure) throw parse_error(path.string(), 0, "there is no such book; create it first");
  return budget_book(real, read(real));
}

DPLDA_INLINE std::string budget_book::spend(const std::string& what, const ledger& planned) {
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

DPLDA_INLINE bool budget_book::admits(const ledger& planned) const {
  check(planned);
  return !filter_ || privacy_filter(*filter_).spend(planned);
}

DPLDA_INLINE ledger budget_book::total() const {
  ledger sum;
  for (const book_entry& entry : entries()) sum.append(entry.ledger);
  return sum;
}

DPLDA_INLINE budget_book::budget_book(std::filesystem::path path, book_content content)
    : path_(std::move(path)), content_(std::move(content)) {
  if (content_.limit) filter_.emplace(budget{content_.limit->epsilon, content_.delta}, content_.limit->filter);
  for (const book_entry& entry : content_.entries)
    if (filter_) filter_->count(entry.ledger);
}

DPLDA_INLINE void budget_book::check(const ledger& planned) const {
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

DPLDA_INLINE book_content budget_book::read(const std::filesystem::path& real) {
  std::error_code unknown;
  if (std::filesystem::is_regular_file(real, unknown) && std::filesystem::hard_link_count(real, unknown) > 1 &&
      !unknown)
    throw std::runtime_error(real.string() +
                             ": this file has a second name (a hard link), which would keep an old book; "
                             "remove the other name, or make it a symbolic link");
  auto in = open_to_read(real);
  return read_book(in, real.string());
}

DPLDA_INLINE void budget_book::add(book_entry entry) {
  if (filter_) filter_->count(entry.ledger);
  content_.entries.push_back(std::move(entry));
}

DPLDA_INLINE void budget_book::write() const {
  std::ostringstream text;
  write_book(text, content_);
  detail::replace_file(path_, text.str());
}

}  // namespace dplda::inline v0_1

#endif
