// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_PREVALENCE_FILE_IPP
#define DPLDA_ANALYSIS_DETAIL_PREVALENCE_FILE_IPP

// Bodies of analysis/prevalence_file.hpp.

#include <dplda/analysis/prevalence_file.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/io/release_record.hpp>
#include <dplda/version.hpp>

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

inline constexpr const char* prevalence_format = "dplda prevalence";

inline json_value::array numbers_json(const Eigen::VectorXd& numbers) { return {numbers.begin(), numbers.end()}; }

inline Eigen::VectorXd numbers_from(const json_value& list) {
  const auto& items = list.as<json_value::array>();
  Eigen::VectorXd numbers(static_cast<Eigen::Index>(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) numbers[static_cast<Eigen::Index>(i)] = items[i].as<double>();
  return numbers;
}

/// A cell of a CSV file (RFC 4180).
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace detail

DPLDA_INLINE json_value prevalence_json(const release<prevalence>& measured, const prevalence_details& details) {
  const prevalence& found = measured.value();
  json_value::array groups;
  for (std::size_t g = 0; g < found.groups(); ++g) {
    json_value::array topics;
    for (std::size_t k = 0; k < found.topics(); ++k) {
      const share_interval noise = found.noise_interval(g, k), both = found.interval(g, k);
      topics.push_back(json_value::object{{"share", found.share(g, k)},
                                          {"noise_interval", json_value::array{noise.low, noise.high}},
                                          {"interval", json_value::array{both.low, both.high}}});
    }
    groups.push_back(json_value::object{
        {"group", found.get().groups[g]},
        {"units", found.units(g)},
        {"enough_to_tell", found.tells(g)},
        {"topics", std::move(topics)},
        {"sums", detail::numbers_json(found.get().sums.row(static_cast<Eigen::Index>(g)).transpose())}});
  }
  const dplda::guarantee& claim = measured.guarantee();
  return json_value::object{{"format", detail::prevalence_format},
                            {"format_version", 1},
                            {"library_version", version_string},
                            {"releasable", !claim.seeded && claim.basis == basis::proven},
                            {"guarantee", to_json(claim)},
                            {"own_guarantee", to_json(details.own)},
                            {"ledger", to_json(measured.ledger())},
                            {"settings", details.settings},
                            {"model_sha256", details.model_sha256},
                            {"booked", details.booked.empty() ? json_value(nullptr) : json_value(details.booked)},
                            {"confidence", 0.95},
                            {"ordered", found.get().ordered},
                            {"noise", found.get().noise},
                            {"noise_on_units", found.units_noise()},
                            {"groups", std::move(groups)},
                            {"squares", detail::numbers_json(found.get().squares)},
                            {"noise_on_squares", found.get().squares_noise}};
}

DPLDA_INLINE std::string prevalence_csv(const prevalence& measured) {
  std::string lines = "group,units,enough_to_tell,topic,share,noise_low,noise_high,low,high\n";
  for (std::size_t g = 0; g < measured.groups(); ++g) {
    for (std::size_t k = 0; k < measured.topics(); ++k) {
      lines += detail::csv_cell(measured.get().groups[g]);
      lines += ',' + with_decimals(measured.units(g), 1) + (measured.tells(g) ? ",yes," : ",no,") + std::to_string(k);
      const share_interval noise = measured.noise_interval(g, k), both = measured.interval(g, k);
      for (const double x : {measured.share(g, k), noise.low, noise.high, both.low, both.high})
        lines += ',' + with_decimals(x, 5);
      lines += '\n';
    }
  }
  return lines;
}

DPLDA_INLINE saved_prevalence read_prevalence(const std::filesystem::path& path) {
  const std::string name = path.string();
  const json_value file = json_value::parse(read_bytes(path), name);
  const json_value* const format = file.find("format");
  if (format == nullptr || *format != json_value(detail::prevalence_format))
    throw parse_error(name, 0, "expected the file of JSON that dplda prevalence writes");
  try {
    prevalence::parts parts{.ordered = file.at("ordered").as<bool>(), .noise = file.at("noise").as<double>()};
    const auto& groups = file.at("groups").as<json_value::array>();
    std::vector<Eigen::VectorXd> rows;
    for (const json_value& group : groups) {
      rows.push_back(detail::numbers_from(group.at("sums")));
      if (rows.back().size() != rows.front().size()) throw std::invalid_argument("rows of different length");
      parts.groups.push_back(group.at("group").as<std::string>());
    }
    parts.sums.resize(static_cast<Eigen::Index>(rows.size()), rows.empty() ? 0 : rows.front().size());
    for (std::size_t g = 0; g < rows.size(); ++g) parts.sums.row(static_cast<Eigen::Index>(g)) = rows[g].transpose();
    parts.squares = detail::numbers_from(file.at("squares"));
    parts.squares_noise = file.at("noise_on_squares").as<double>();
    guarantee claim = guarantee_from_json(file.at("guarantee"), name);
    prevalence_details details{.own = guarantee_from_json(file.at("own_guarantee"), name),
                               .model_sha256 = file.at("model_sha256").as<std::string>(),
                               .settings = file.at("settings").as<json_value::object>()};
    if (const json_value& booked = file.at("booked"); !booked.is_null()) details.booked = booked.as<std::string>();
    ledger spent = ledger_from_json(file.at("ledger"), name);
    detail::check_claim(claim, spent, name);
    return {release<prevalence>(prevalence(std::move(parts)), std::move(claim), std::move(spent)), std::move(details)};
  } catch (const std::invalid_argument& wrong) {
    throw parse_error(
        name, 0, detail::text("expected a prevalence of format version 1 with all its parts (", wrong.what(), ')'));
  }
}

}  // namespace dplda::inline v0_1

#endif
