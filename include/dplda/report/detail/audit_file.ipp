// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_AUDIT_FILE_IPP
#define DPLDA_REPORT_DETAIL_AUDIT_FILE_IPP

// Bodies of report/audit_file.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/report/audit_file.hpp>
#include <dplda/version.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

inline constexpr const char* audit_format = "dplda audit";

inline json_value roc_json(const audit_report& report) {
  const auto roc = report.roc();
  if (!roc) return nullptr;
  json_value::array points;
  const auto& all = roc->points();
  for (std::size_t i = 0; i < all.size(); ++i) {
    // A point between two corners adds nothing.
    const bool straight = i > 0 && i + 1 < all.size() &&
                          ((all[i - 1].false_positives == all[i + 1].false_positives) ||
                           (all[i - 1].true_positives == all[i + 1].true_positives));
    if (!straight) points.push_back(json_value::array{all[i].false_positives, all[i].true_positives});
  }
  return json_value::object{
      {"members", roc->members()}, {"others", roc->others()}, {"false_and_true_positives", std::move(points)}};
}

/// Checks the members one by one, and names the wrong one.
class audit_reader {
 public:
  audit_reader(const json_value& object, std::string file) : object_(object), file_(std::move(file)) {}

  [[noreturn]] void refuse(const std::string& why) const { throw parse_error(file_, 0, why); }

  const json_value& at(const char* name) const {
    const json_value* const found = object_.find(name);
    if (found == nullptr) refuse(std::string("expected a member \"") + name + '"');
    return *found;
  }
  /// A number from least to most; infinity is read as number_or_infinity writes it.
  double number(const char* name, double least, double most) const {
    const json_value& value = at(name);
    double x = std::numeric_limits<double>::quiet_NaN();
    if (const double* const written = value.get_if<double>()) x = *written;
    if (value == json_value("infinity")) x = std::numeric_limits<double>::infinity();
    if (!(x >= least && x <= most))
      refuse(text("expected \"", name, "\" to be a number from ", significant(least), " to ", significant(most)));
    return x;
  }
  const std::string& words(const char* name) const {
    const auto* const value = at(name).get_if<std::string>();
    if (value == nullptr) refuse(std::string("expected \"") + name + "\" to be a text");
    return *value;
  }

 private:
  const json_value& object_;
  std::string file_;
};

inline roc_line read_roc(const json_value& roc, const std::string& file) {
  const audit_reader in(roc, file);
  const auto count = [&](const json_value& value, double most) {
    const double* const number = value.get_if<double>();
    if (number == nullptr || !(*number >= 0 && *number <= most) || *number != std::floor(*number))
      in.refuse("expected counts in \"roc\"");
    return static_cast<std::uint64_t>(*number);
  };
  constexpr double largest = 1e12;
  const std::uint64_t members = count(in.at("members"), largest), others = count(in.at("others"), largest);
  const auto* const points = in.at("false_and_true_positives").get_if<json_value::array>();
  if (members == 0 || others == 0 || points == nullptr || points->size() < 2)
    in.refuse("expected \"roc\" to have members, others and points");
  roc_line line{"the attack on canaries", {}, members, others};
  std::uint64_t wrong = 0, right = 0;
  for (const json_value& point : *points) {
    const auto* const pair = point.get_if<json_value::array>();
    if (pair == nullptr || pair->size() != 2) in.refuse("expected each point of \"roc\" to be two counts");
    const std::uint64_t next_wrong = count((*pair)[0], static_cast<double>(others)),
                        next_right = count((*pair)[1], static_cast<double>(members));
    if (next_wrong < wrong || next_right < right || (line.points.empty() && (next_wrong > 0 || next_right > 0)))
      in.refuse("expected the points of \"roc\" to ascend from 0");
    wrong = next_wrong;
    right = next_right;
    line.points.push_back({static_cast<double>(wrong) / static_cast<double>(others),
                           static_cast<double>(right) / static_cast<double>(members)});
  }
  if (wrong != others || right != members)
    in.refuse("expected the points of \"roc\" to end with all members and all others");
  return line;
}

/// Plans stay slightly below their budget, so epsilons of the same budget may differ in the fifth digit.
inline bool same_epsilon(double a, double b) { return a == b || std::abs(a - b) <= 1e-3 * std::min(a, b); }

inline std::string in_short(const guarantee& claim) {
  return text("epsilon = ", rounded_up(claim.epsilon), ", delta = ", rounded_up(claim.delta), " for each ", claim.unit,
              claim.relation == neighbours::replace ? "'s content" : "");
}

}  // namespace detail

DPLDA_INLINE json_value audit_json(const audit_report& report, const guarantee& claim,
                                   const json_value::object& settings) {
  return json_value::object{{"format", detail::audit_format},
                            {"format_version", 1},
                            {"library_version", version_string},
                            {"releasable", false},
                            {"claimed", number_or_infinity(report.claimed)},
                            {"audited", number_or_infinity(report.audited)},
                            {"provable", number_or_infinity(report.provable)},
                            {"delta", report.delta},
                            {"confidence", report.confidence},
                            {"method", report.method},
                            {"undecided", report.undecided},
                            {"premise", report.premise},
                            {"by_ledger", report.by_ledger ? number_or_infinity(*report.by_ledger) : json_value()},
                            {"refuted", report.refuted()},
                            {"guarantee", to_json(claim)},
                            {"settings", release_details{.settings = settings}.shown_settings()},
                            {"roc", detail::roc_json(report)}};
}

DPLDA_INLINE audit_content read_audit(const std::filesystem::path& path, const release_record& release) {
  const std::string file = path.string();
  const json_value object = json_value::parse(read_bytes(path), file);
  const detail::audit_reader in(object, file);
  if (const json_value* const format = object.find("format"); format == nullptr || *format != detail::audit_format)
    in.refuse("expected what dplda audit --output writes or dplda audit --json prints");
  if (in.at("format_version") != json_value(1)) in.refuse("expected an audit of format version 1");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  audit_report report{.claimed = in.number("claimed", 0, infinity),
                      .audited = in.number("audited", 0, std::numeric_limits<double>::max()),
                      .delta = in.number("delta", 0, 1),
                      .confidence = in.number("confidence", 0, 1),
                      .method = in.words("method"),
                      .undecided = in.words("undecided"),
                      .provable = in.number("provable", 0, infinity)};
  if (object.find("premise") != nullptr) report.premise = in.words("premise");
  if (const auto* found = object.find("by_ledger"); found != nullptr && !found->is_null())
    report.by_ledger = in.number("by_ledger", 0, infinity);
  // Nearer to 0 or 1 than this, the remaining probability would vanish when it is shared among guesses.
  if (report.confidence < 1e-9 || report.confidence > 1 - 1e-9)
    in.refuse("expected \"confidence\" to be above 0 and below 1");
  if (report.audited > report.provable) in.refuse("expected \"audited\" to be at most \"provable\"");
  if (in.at("refuted") != json_value(report.refuted())) in.refuse("expected \"refuted\" to agree with the numbers");

  const guarantee attacked = guarantee_from_json(in.at("guarantee"), file);
  const auto& claim = release.claim;
  if (!claim) in.refuse("is an audit of a claim, but these topics claim nothing");
  if (report.claimed != attacked.epsilon || report.delta != attacked.delta)
    in.refuse("expected \"claimed\" and \"delta\" to agree with \"guarantee\"");
  if (!detail::same_epsilon(attacked.epsilon, claim->epsilon) || attacked.delta != claim->delta ||
      attacked.unit != claim->unit || attacked.relation != claim->relation || attacked.basis != claim->basis ||
      attacked.gamma != claim->gamma)
    in.refuse("is an audit of another claim (" + detail::in_short(attacked) + "), and these topics have " +
              detail::in_short(*claim));

  audit_content section{.report = std::move(report)};
  const json_value& settings = in.at("settings");
  if (!settings.is<json_value::object>()) in.refuse("expected \"settings\" to be an object");
  const json_value none,
      attacked_settings = release_details{.settings = settings.as<json_value::object>()}.shown_settings(),
      own_settings = release.details.shown_settings();
  for (const char* const name :
       {"engine", "topics", setting::words, "stop words", setting::stated_units, setting::assumed_units}) {
    const json_value *there = attacked_settings.find(name), *here = own_settings.find(name);
    if (there == nullptr) there = &none;
    if (here == nullptr) here = &none;
    if (*there != *here)
      in.refuse(std::string("is an audit of other settings (") + name + ": " + there->dump() +
                "), and these topics have " + here->dump());
  }
  for (const auto& [name, value] : attacked_settings.as<json_value::object>())
    section.settings.emplace_back(name, value.is<std::string>() ? value.as<std::string>() : value.dump());
  if (const json_value* const words = settings.find(setting::words); words && *words == setting::private_choice)
    section.caveat =
        "Where words are chosen privately, the rare words of a canary are dropped. This audit therefore tests the "
        "choice "
        "of words, and says next to nothing about the learning of topics.";
  if (const json_value& roc = in.at("roc"); !roc.is_null()) section.curves.push_back(detail::read_roc(roc, file));
  return section;
}

}  // namespace dplda::inline v0_1

#endif
