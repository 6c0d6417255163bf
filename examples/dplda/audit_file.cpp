// SPDX-License-Identifier: Apache-2.0
#include "audit_file.hpp"

#include <dplda/io/detail/files.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/version.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

namespace dplda_program {

namespace {

constexpr const char* audit_format = "dplda audit";

json roc_json(const dplda::audit_report& report) {
  const auto roc = report.roc();
  if (!roc) return nullptr;
  json points = json::array();
  const auto& all = roc->points();
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Between two corners there is nothing to be told.
    const bool straight = i > 0 && i + 1 < all.size() &&
                          ((all[i - 1].false_positives == all[i + 1].false_positives) ||
                           (all[i - 1].true_positives == all[i + 1].true_positives));
    if (!straight) points.push_back({all[i].false_positives, all[i].true_positives});
  }
  return {{"members", roc->members()}, {"others", roc->others()}, {"false_and_true_positives", std::move(points)}};
}

/// Checks one number after another, and names the one that is wrong.
class member_reader {
 public:
  member_reader(const json& object, std::string file) : object_(object), file_(std::move(file)) {}

  [[noreturn]] void refuse(const std::string& why) const { throw dplda::parse_error(file_, 0, why); }

  const json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) refuse(std::string("expected a member \"") + name + '"');
    return *found;
  }
  /// A number from least to most, infinity as the program writes it.
  double number(const char* name, double least, double most) const {
    const json& value = at(name);
    double x = std::numeric_limits<double>::quiet_NaN();
    if (value.is_number()) x = value.get<double>();
    if (value == "infinity") x = std::numeric_limits<double>::infinity();
    if (!(x >= least && x <= most))
      refuse(std::string("expected \"") + name + "\" to be a number from " + dplda_program::number(least) + " to " +
             dplda_program::number(most));
    return x;
  }
  std::string text(const char* name) const {
    if (!at(name).is_string()) refuse(std::string("expected \"") + name + "\" to be a text");
    return at(name).get<std::string>();
  }

 private:
  const json& object_;
  std::string file_;
};

roc_line read_roc(const json& roc, const std::string& file) {
  const member_reader in(roc, file);
  const auto count = [&](const json& value, double most) {
    if (!value.is_number_unsigned() || !(value.get<double>() <= most)) in.refuse("expected counts in \"roc\"");
    return value.get<std::uint64_t>();
  };
  constexpr double largest = 1e12;
  const std::uint64_t members = count(in.at("members"), largest), others = count(in.at("others"), largest);
  const json& points = in.at("false_and_true_positives");
  if (members == 0 || others == 0 || !points.is_array() || points.size() < 2)
    in.refuse("expected \"roc\" to have members, others and points");
  roc_line line{"the attack on canaries", {}, members, others};
  std::uint64_t wrong = 0, right = 0;
  for (const json& point : points) {
    if (!point.is_array() || point.size() != 2) in.refuse("expected each point of \"roc\" to be two counts");
    const std::uint64_t next_wrong = count(point[0], static_cast<double>(others)),
                        next_right = count(point[1], static_cast<double>(members));
    if (next_wrong < wrong || next_right < right || (line.points.empty() && (next_wrong > 0 || next_right > 0)))
      in.refuse("expected the points of \"roc\" to ascend from 0");
    wrong = next_wrong;
    right = next_right;
    line.points.push_back({static_cast<double>(wrong) / static_cast<double>(others),
                           static_cast<double>(right) / static_cast<double>(members)});
  }
  if (wrong != others || right != members) in.refuse("expected the points of \"roc\" to end with all of them");
  return line;
}

/// Plans meet a budget from below, each by a hair, so that epsilons of one budget differ in the fifth digit.
bool same_epsilon(double a, double b) { return a == b || std::abs(a - b) <= 1e-3 * std::min(a, b); }

std::string in_short(const dplda::guarantee& claim) {
  std::ostringstream out;
  out << "epsilon = " << dplda::detail::rounded_up(claim.epsilon)
      << ", delta = " << dplda::detail::rounded_up(claim.delta) << " for each " << claim.unit;
  if (claim.relation == dplda::neighbours::replace) out << "'s content";
  return out.str();
}

}  // namespace

json audit_json(const dplda::audit_report& report, const dplda::guarantee& claim, const json& settings) {
  return {{"format", audit_format},
          {"format_version", 1},
          {"library_version", dplda::version_string},
          {"releasable", false},
          {"claimed", finite(report.claimed)},
          {"audited", finite(report.audited)},
          {"provable", finite(report.provable)},
          {"delta", report.delta},
          {"confidence", report.confidence},
          {"method", report.method},
          {"undecided", report.undecided},
          {"refuted", report.refuted()},
          {"guarantee", to_json(claim)},
          {"settings", settings},
          {"roc", roc_json(report)}};
}

audit_section read_audit(const std::filesystem::path& path, const release_record& release) {
  const std::string file = path.string();
  const json object = json::parse(dplda::detail::read_bytes(path), nullptr, false);
  const member_reader in(object, file);
  if (!object.is_object() || object.value("format", json()) != audit_format)
    in.refuse("expected what dplda audit --output writes or dplda audit --json prints");
  if (in.at("format_version") != 1) in.refuse("expected an audit of format version 1");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  dplda::audit_report report{.claimed = in.number("claimed", 0, infinity),
                             .audited = in.number("audited", 0, std::numeric_limits<double>::max()),
                             .delta = in.number("delta", 0, 1),
                             .confidence = in.number("confidence", 0, 1),
                             .method = in.text("method"),
                             .undecided = in.text("undecided"),
                             .provable = in.number("provable", 0, infinity)};
  // Nearer to 0 or 1 than this, what is left would vanish when it is shared among guesses.
  if (report.confidence < 1e-9 || report.confidence > 1 - 1e-9)
    in.refuse("expected \"confidence\" to be above 0 and below 1");
  if (report.audited > report.provable) in.refuse("expected \"audited\" to be at most \"provable\"");
  if (in.at("refuted") != report.refuted()) in.refuse("expected \"refuted\" to be what the numbers say");

  std::istringstream text(in.at("guarantee").dump());
  const dplda::guarantee attacked = dplda::read_guarantee(text, file);
  const auto& claim = release.claim;
  if (!claim) in.refuse("is an audit of a claim, and nothing is claimed of these topics");
  if (report.claimed != attacked.epsilon || report.delta != attacked.delta)
    in.refuse("expected \"claimed\" and \"delta\" to be those of \"guarantee\"");
  if (!same_epsilon(attacked.epsilon, claim->epsilon) || attacked.delta != claim->delta ||
      attacked.unit != claim->unit || attacked.relation != claim->relation || attacked.basis != claim->basis ||
      attacked.gamma != claim->gamma)
    in.refuse("is an audit of another claim (" + in_short(attacked) + "), and these topics have " + in_short(*claim));

  audit_section section{.report = std::move(report)};
  const json& settings = in.at("settings");
  if (!settings.is_object()) in.refuse("expected \"settings\" to be an object");
  for (const char* const name : {"engine", "topics", "words", "stop words", stated_units, assumed_units}) {
    const json there = settings.value(name, json()), here = release.settings.value(name, json());
    if (there != here)
      in.refuse(std::string("is an audit of other settings (") + name + ": " + there.dump() +
                "), and these topics have " + here.dump());
  }
  for (const auto& [name, value] : settings.items())
    section.settings.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  if (settings.value("words", json()) == private_choice)
    section.caveat =
        "Where words are chosen privately, a canary's rare words are dropped: this tells about the choice of words, "
        "and "
        "next to nothing about the learning of topics.";
  if (const json& roc = in.at("roc"); !roc.is_null()) section.curves.push_back(read_roc(roc, file));
  return section;
}

}  // namespace dplda_program
