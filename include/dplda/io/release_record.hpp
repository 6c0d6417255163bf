// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_RELEASE_RECORD_HPP
#define DPLDA_IO_RELEASE_RECORD_HPP

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/accounting/weaknesses.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/io/sha256.hpp>
#include <dplda/version.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

// release.json: the privacy of a release, beside the files that hold its value.

namespace dplda::inline v0_1 {

/// Settings that have a meaning beyond being shown.
namespace setting {
/// Approximate number of documents or users: as stated, or as the plan assumed. A stated number is rounded wherever it is
/// shown (rounded_count).
inline constexpr const char *stated_units = "units (stated, rounded)", *assumed_units = "units (assumed, not stated)";
/// The source of the words, and its values.
inline constexpr const char* words = "words";
inline constexpr const char *public_list = "a public list, taken on your word", *private_choice = "chosen privately";
}  // namespace setting

/// What is recorded about a release besides guarantee and ledger. All of it is published with the release: put nothing
/// private in here, such as an exact number of documents.
struct release_details {
  std::string title = {};               ///< of the report; empty: the default
  json_value::object settings = {};     ///< names and values, in the order in which they are shown
  std::string command = {};             ///< that made the release; empty if unknown
  std::optional<bool> stands_out = {};  ///< whether the topics differ by more than noise explains; empty: not compared
  std::string booked = {};              ///< the id of the release's entry in a budget book; empty: none

  /// The setting of this name, or null.
  const json_value* find(std::string_view name) const {
    for (const auto& [key, value] : settings) {
      if (key == name) return &value;
    }
    return nullptr;
  }
  /// Stated number of documents or users, rounded; 0 if not stated.
  std::uint64_t stated_units() const {
    const json_value* const units = find(setting::stated_units);
    const double* const number = units == nullptr ? nullptr : units->get_if<double>();
    const bool stated = number != nullptr && *number >= 1 && *number <= 1e15;
    return stated ? rounded_count(static_cast<std::uint64_t>(*number)) : 0;
  }
  /// The settings as they are shown: with the rounded number of units.
  json_value::object shown_settings() const {
    json_value::object shown = settings;
    for (auto& [name, value] : shown) {
      if (name == setting::stated_units) value = stated_units();
    }
    return shown;
  }
};

/// The content of release.json.
struct release_record {
  std::optional<guarantee> claim = {};  ///< empty: made without privacy, not for release
  dplda::ledger ledger = {};
  release_details details = {};
  /// The SHA-256 of model.json, which holds the checksums of the model's other files; for a released list of words, the
  /// SHA-256 of the list.
  std::string model_sha256 = {};
  /// Where the words come from. A record of an older version does not say; `documents` is then assumed, which no private
  /// learner takes.
  word_origin words = word_origin::documents;
};

namespace detail {

/// The origins as release.json names them.
inline constexpr std::pair<word_origin, const char*> named_origins[] = {
    {word_origin::documents, "documents"}, {word_origin::public_list, "public"}, {word_origin::released, "released"}};

inline const char* name_of(word_origin origin) {
  return std::ranges::find(named_origins, origin, &std::pair<word_origin, const char*>::first)->second;
}

inline word_origin origin_of(const std::string& name) {
  for (const auto& [origin, known] : named_origins) {
    if (name == known) return origin;
  }
  throw std::invalid_argument("another origin of words");
}

}  // namespace detail

/// release.json as a value. Text that is not UTF-8 is replaced when it is written.
inline json_value to_json(const release_record& record) {
  json_value::array weak;
  if (record.claim) {
    for (std::string& why : weaknesses(*record.claim, record.details.stated_units())) weak.emplace_back(std::move(why));
  }
  const release_details& details = record.details;
  return json_value::object{
      {"format", "dplda release"},
      {"format_version", 1},
      {"library_version", version_string},
      {"releasable", record.claim.has_value() && !record.claim->seeded},
      {"guarantee", record.claim ? to_json(*record.claim) : json_value(nullptr)},
      {"weaknesses", std::move(weak)},
      {"ledger", to_json(record.ledger)},
      {"title", details.title},
      {"settings", details.shown_settings()},
      {"command", details.command},
      {"topics_stand_out", details.stands_out ? json_value(*details.stands_out) : json_value(nullptr)},
      {"model_sha256", record.model_sha256},
      {"word_origin", detail::name_of(record.words)},
      {"booked", details.booked.empty() ? json_value(nullptr) : json_value(details.booked)}};
}

namespace detail {

/// Throws parse_error if the claim does not follow from its ledger. An as-published claim rests on a paper's word, so
/// it does not follow from any ledger.
inline void check_claim(const guarantee& claim, const ledger& book, const std::string& name) {
  if (book.empty()) throw parse_error(name, 0, "claims a guarantee, but its ledger is empty");
  const privacy_event& first = book.entries().front().event;
  if (claim.unit != first.unit || claim.relation != first.relation)
    throw parse_error(name, 0, "claims a guarantee for another unit or other neighbours than its ledger's");
  // A millionth is for the rounding of another machine's elementary functions.
  const double cost = claim.basis == basis::proven ? price(book, claim.delta).epsilon : 0;
  if (cost > claim.epsilon * (1 + 1e-6))
    throw parse_error(name, 0, text("claims less than its ledger costs: epsilon = ", claim.epsilon, ", not ", cost));
}

}  // namespace detail

/// The record that a JSON value holds; `name` stands for its file in messages. Throws parse_error if it is invalid, or
/// if the guarantee does not follow from the ledger.
inline release_record release_record_from_json(const json_value& file, const std::string& name) {
  const json_value* const format = file.find("format");
  if (format == nullptr || *format != json_value("dplda release"))
    throw parse_error(name, 0, "expected a release.json of the format \"dplda release\"");
  release_record record;
  try {
    if (file.at("format_version") != json_value(1)) throw std::invalid_argument("another version");
    if (const json_value* const title = file.find("title")) record.details.title = title->as<std::string>();
    record.details.settings = file.at("settings").as<json_value::object>();
    record.details.command = file.at("command").as<std::string>();
    record.model_sha256 = file.at("model_sha256").as<std::string>();
    if (const json_value* const from = file.find("word_origin"))
      record.words = detail::origin_of(from->as<std::string>());
    if (const json_value* const booked = file.find("booked"); booked != nullptr && !booked->is_null())
      record.details.booked = booked->as<std::string>();
    if (const json_value* const stands_out = file.find("topics_stand_out"); stands_out && !stands_out->is_null())
      record.details.stands_out = stands_out->as<bool>();
    record.ledger = ledger_from_json(file.at("ledger"), name);
    if (const json_value& claim = file.at("guarantee"); !claim.is_null())
      record.claim = guarantee_from_json(claim, name);
  } catch (const std::invalid_argument&) {
    throw parse_error(name, 0, "expected a release of format version 1 with all its members");
  }
  if (record.claim) detail::check_claim(*record.claim, record.ledger, name);
  return record;
}

/// Reads release.json of a folder, or the file itself. Throws parse_error as release_record_from_json does, if it cannot be
/// read, and if it belongs to another model than the folder's.
inline release_record read_release_record(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path file = folder ? path / "release.json" : path;
  const std::string name = file.string();
  release_record record = release_record_from_json(json_value::parse(read_bytes(file), name), name);
  if (folder && record.model_sha256 != sha256_hex(read_bytes(path / "model.json")))
    throw parse_error(name, 0, "belongs to another model than the one in this folder");
  return record;
}

}  // namespace dplda::inline v0_1

#endif
