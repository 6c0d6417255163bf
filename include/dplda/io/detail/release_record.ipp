// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_RELEASE_RECORD_IPP
#define DPLDA_IO_DETAIL_RELEASE_RECORD_IPP

// Bodies of io/release_record.hpp.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/weaknesses.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/release_record.hpp>
#include <dplda/io/sha256.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/version.hpp>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE const json_value* release_details::find(std::string_view name) const {
  for (const auto& [key, value] : settings) {
    if (key == name) return &value;
  }
  return nullptr;
}

DPLDA_INLINE std::uint64_t release_details::stated_units() const {
  const json_value* const units = find(setting::stated_units);
  const double* const number = units == nullptr ? nullptr : units->get_if<double>();
  const bool stated = number != nullptr && *number >= 1 && *number <= 1e15;
  return stated ? rounded_count(static_cast<std::uint64_t>(*number)) : 0;
}

DPLDA_INLINE json_value::object release_details::shown_settings() const {
  json_value::object shown = settings;
  for (auto& [name, value] : shown) {
    if (name == setting::stated_units) value = stated_units();
  }
  return shown;
}

DPLDA_INLINE json_value to_json(const release_record& record) {
  json_value::array weak;
  if (record.claim) {
    for (std::string& why : weaknesses(*record.claim, record.details.stated_units())) weak.emplace_back(std::move(why));
  }
  const release_details& details = record.details;
  return json_value::object{
      {"format", "dplda release"},
      {"format_version", 1},
      {"library_version", version_string},
      {"releasable",
       record.claim && !record.claim->seeded && record.claim->basis == basis::proven && !record.claim->gamma},
      {"guarantee", record.claim ? to_json(*record.claim) : json_value(nullptr)},
      {"weaknesses", std::move(weak)},
      {"ledger", to_json(record.ledger)},
      {"title", details.title},
      {"settings", details.shown_settings()},
      {"command", details.command},
      {"topics_stand_out", details.stands_out ? json_value(*details.stands_out) : json_value(nullptr)},
      {"model_sha256", record.model_sha256},
      {"word_origin", detail::name_of(record.words)},
      {"booked", details.booked.empty() ? json_value(nullptr) : json_value(details.booked)},
      {"remarks", json_value::array(details.remarks.begin(), details.remarks.end())}};
}

namespace detail {

DPLDA_INLINE void check_claim(const guarantee& claim, const ledger& book, const std::string& name) {
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

DPLDA_INLINE release_record release_record_from_json(const json_value& file, const std::string& name) {
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
    if (const json_value* const remarks = file.find("remarks")) {
      for (const json_value& each : remarks->as<json_value::array>())
        record.details.remarks.push_back(each.as<std::string>());
    }
    record.ledger = ledger_from_json(file.at("ledger"), name);
    if (const json_value& claim = file.at("guarantee"); !claim.is_null())
      record.claim = guarantee_from_json(claim, name);
  } catch (const std::invalid_argument&) {
    throw parse_error(name, 0, "expected a release of format version 1 with all its members");
  }
  if (record.claim) detail::check_claim(*record.claim, record.ledger, name);
  return record;
}

DPLDA_INLINE release_record read_release_record(const std::filesystem::path& path) {
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
