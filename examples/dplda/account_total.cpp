// SPDX-License-Identifier: Apache-2.0
#include "account_total.hpp"

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/disjoint.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/io/budget_book.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/io/release_record.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

namespace dplda_program {

namespace {

/// Whether the ledger, or one inside it, has events that somebody analysed: nothing else says that the analysis is right.
bool has_own_analysis(const dplda::ledger& book) {
  return std::ranges::any_of(book.entries(), [](const dplda::ledger::entry& entry) {
    return std::visit(
        []<class Mechanism>(const Mechanism& noise) {
          if constexpr (requires { noise.run; }) return has_own_analysis(*noise.run);
          return std::is_same_v<Mechanism, dplda::dominating_pair> || std::is_same_v<Mechanism, dplda::renyi_curve>;
        },
        entry.event.noise);
  });
}

class counter {
 public:
  void add(const std::string& file) {
    std::error_code ignored;
    total_.sources.push_back({file});
    const bool folder = std::filesystem::is_directory(file, ignored);
    const json_value object = folder ? json_value() : json_value::parse(dplda::read_bytes(file), file);
    const json_value* const format = object.find("format");
    if (format != nullptr && *format == "dplda book") {
      add_book(file);
    } else if (folder || (format != nullptr && *format == "dplda release")) {
      add_release(file);
    } else {
      if (std::filesystem::exists(std::filesystem::path(file).parent_path() / "state.json", ignored))
        throw dplda::parse_error(file, 0,
                                 "is the ledger of a checkpoint, which lacks the steps to come; whoever saw the "
                                 "checkpoint has spent the whole plan, so count that");
      const dplda::ledger book = dplda::read_ledger(std::filesystem::path(file));
      if (!book.empty()) add_one(file, book, "");
    }
  }

  account_total finish(bool one_file) {
    total_.each_part = disjoint_parts();
    for (const part& one : parts_) {
      if (!one.claim.part.empty() && !among_parts(one.before)) total_.part = one.claim.part;
    }
    if (has_own_analysis(total_.ledger))
      total_.notes.push_back(
          "Some events are dominating pairs or Renyi curves: what they cost is taken on the word of "
          "whoever wrote the ledger.");
    if (one_file) total_.limited = std::move(limited_);
    return std::move(total_);
  }

 private:
  // A release that may be one of several of disjoint parts: its checksum, that of the release it went on from, and
  // whether its documents were declared to be others than those of all releases before.
  struct part {
    std::string own, before;
    bool disjoint;
    dplda::guarantee claim;
  };

  /// The parts are disjoint if each but the first goes on from another one, and no two from the same: two fits that go on
  /// from one release may be of the same documents.
  std::optional<dplda::guarantee> disjoint_parts() const {
    if (parts_.size() < 2 || parts_.size() != total_.releases()) return {};  // a book may hold others
    std::map<std::string, std::size_t> followers;
    for (const part& one : parts_) followers[one.own];
    std::vector<dplda::guarantee> firsts, claims;
    for (const part& one : parts_) {
      if (one.claim.relation != dplda::neighbours::add_remove) return {};
      const auto known = followers.find(one.before);
      (known == followers.end() ? firsts : claims).push_back(one.claim);
      if (known != followers.end() && (!one.disjoint || ++known->second > 1)) return {};
    }
    if (firsts.size() != 1 || followers.size() != parts_.size()) return {};
    claims.insert(claims.begin(), firsts.front());
    return disjoint_guarantee(claims);
  }

  bool among_parts(const std::string& sha256) const {
    return std::ranges::any_of(parts_, [&](const part& one) { return one.own == sha256; });
  }

  void add_book(const std::string& file) {
    const dplda::budget_book book = dplda::budget_book::open(file);
    check_kind(file, book.unit(), book.relation());
    for (std::size_t i = 0; i < book.entries().size(); ++i)
      add_one(file + ", entry " + std::to_string(i + 1), book.entries()[i].ledger, book.entries()[i].id);
    total_.delta += book.delta();
    if (book.limit()) limited_ = book;
  }

  void add_release(const std::string& file) {
    const dplda::release_record record = dplda::read_release_record(file);
    if (!record.claim)
      throw std::runtime_error(file + ": was made without privacy, so no epsilon, however large, covers it");
    const dplda::guarantee& claim = *record.claim;
    if (claim.basis != dplda::basis::proven || claim.gamma)
      throw std::runtime_error(file + ": claims a guarantee that is not proven for certain, so there is no total");
    dplda::ledger counted = record.ledger;
    // If it was stopped, its results decided what it cost: the plan's price holds, not the ledger's.
    if (price(record.ledger, claim.delta).epsilon < claim.epsilon * (1 - 1e-6)) {
      counted = dplda::ledger();
      counted.record({.noise = dplda::approximate_dp{claim.epsilon, claim.delta},
                      .unit = claim.unit,
                      .relation = claim.relation,
                      .label = "claim"});
      if (claim.seeded) counted.mark_seeded();
      total_.notes.push_back(file + " claims more than its ledger costs, as a stopped fit does, and is " +
                             "counted by its claim.");
    }
    total_.assumes_fixed_plans = total_.assumes_fixed_plans || claim.assumes_fixed_plans;
    const auto text_of = [&](const char* name) {
      const json_value* const found = record.details.find(name);
      const std::string* const text = found == nullptr ? nullptr : found->get_if<std::string>();
      return text == nullptr ? std::string() : *text;
    };
    const std::string rule = text_of(dplda::setting::disjoint);
    parts_.push_back({record.model_sha256, text_of(dplda::setting::earlier),
                      !rule.empty() && rule != dplda::setting::not_disjoint, claim});
    if (add_one(file, counted, record.details.booked, record.model_sha256)) total_.delta += claim.delta;
  }

  /// Whether it was counted now, rather than before. A release has the checksum of its model; two with one id are two.
  bool add_one(const std::string& name, const dplda::ledger& one, const std::string& id,
               const std::string& sha256 = {}) {
    const dplda::privacy_event& event = one.entries().front().event;
    check_kind(name, event.unit, event.relation);
    if (!id.empty()) {
      const auto [known, is_new] = by_id_.try_emplace(id, name, one);
      if (!is_new) {
        const auto& [where, what] = known->second;
        // A release that went on from another has its ledger, too; in a book both have entries of their own.
        if (!std::ranges::equal(what.entries(), one.entries()) && !(one.contains(what) && total_.ledger.contains(one)))
          throw std::runtime_error(name + ": has the id of " + where + ", but another ledger");
        if (sha256.empty() || model_of_.try_emplace(id, sha256).first->second == sha256) {
          total_.notes.push_back(name + " is the release of " + where + ", and is counted once.");
          return false;
        }
        total_.notes.push_back(name + " has the id of " + where +
                               ", but other topics; they are counted as two releases.");
      } else if (!sha256.empty()) {
        model_of_.emplace(id, sha256);
      }
    } else {
      for (const auto& [where, what] : without_id_) {
        if (!std::ranges::equal(what.entries(), one.entries())) continue;
        total_.notes.push_back(name + " has the same ledger as " + where + "; they are counted as two releases.");
        break;
      }
      without_id_.emplace_back(name, one);
    }
    total_.ledger.append(one);
    ++total_.sources.back().releases;
    return true;
  }

  void check_kind(const std::string& name, dplda::privacy_unit unit, dplda::neighbours relation) {
    if (first_.empty()) {
      first_ = name;
      total_.unit = unit;
      total_.relation = relation;
    }
    if (unit == total_.unit && relation == total_.relation) return;
    std::ostringstream text;
    text << name << ": protects each " << unit << " (neighbours: " << relation << "), but " << first_
         << " protects each " << total_.unit << " (" << total_.relation << "); losses of different kinds do not add up";
    throw std::runtime_error(text.str());
  }

  account_total total_;
  std::optional<dplda::budget_book> limited_;
  std::string first_;
  std::vector<part> parts_;
  std::map<std::string, std::pair<std::string, dplda::ledger>> by_id_;
  std::map<std::string, std::string> model_of_;  // the checksum of the release that was counted under an id
  std::vector<std::pair<std::string, dplda::ledger>> without_id_;
};

std::string count_of(std::size_t releases) {
  return std::to_string(releases) + (releases == 1 ? " release" : " releases");
}

bool admits(const account_total& total, const dplda::ledger& further) {
  return from_options([&] { return total.limited->admits(further); });
}

}  // namespace

std::size_t account_total::releases() const {
  std::size_t sum = 0;
  for (const source& one : sources) sum += one.releases;
  return sum;
}

dplda::ledger account_total::with(const dplda::ledger& further) const {
  dplda::ledger together = ledger;
  together.append(further);
  return together;
}

dplda::guarantee account_total::guarantee(const dplda::ledger& further, double at_delta) const {
  if (limited) {
    const dplda::guarantee whole = from_options([&] { return limited->guarantee(further); });
    if (!whole.assumes_fixed_plans) return whole;
  }
  dplda::guarantee priced = price(with(further), at_delta);
  priced.part = part;
  priced.assumes_fixed_plans = assumes_fixed_plans || releases() + (further.empty() ? 0 : 1) > 1;
  return priced;
}

account_total total_of(const std::vector<std::string>& files) {
  counter releases;
  for (const std::string& file : files) releases.add(file);
  return releases.finish(files.size() == 1);
}

json_value to_json(const account_total& total) {
  json_value::array sources;
  for (const auto& [name, releases] : total.sources)
    sources.push_back(json_value::object{{"file", name}, {"releases", releases}});
  json_value result = json_value::object{{"releases", total.releases()},
                                         {"sources", std::move(sources)},
                                         {"notes", json_value::array(total.notes.begin(), total.notes.end())},
                                         {"each_part", nullptr},
                                         {"limit", nullptr}};
  if (total.each_part)
    result.set("each_part",
               json_value::object{{"epsilon", total.each_part->epsilon}, {"delta", total.each_part->delta}});
  if (total.limited) {
    const dplda::privacy_filter& limit = *total.limited->limit();
    const dplda::guarantee promise = limit.promise();
    const dplda::filter_rest left = limit.left();
    result.set("limit", json_value::object{{"epsilon", promise.epsilon},
                                           {"delta", promise.delta},
                                           {"kept", limit.within()},
                                           {"left", json_value::object{{"epsilon", left.epsilon},
                                                                       {"delta_of_noise", left.noise_delta},
                                                                       {"delta_of_thresholds", left.opaque_delta}}}});
  }
  return result;
}

std::string paragraphs(const account_total& total) {
  std::ostringstream text;
  if (total.sources.size() > 1 || total.releases() != 1) {
    text << count_of(total.releases()) << " for each " << total.unit << ":\n";
    for (const auto& [name, releases] : total.sources) text << "  " << name << ": " << count_of(releases) << '\n';
    text << '\n';
  }
  for (const std::string& note : total.notes) text << paragraph(note) << '\n';
  if (total.each_part) {
    text << paragraph("These releases are of disjoint parts, on the word of whoever made them: each ", total.unit,
                      " is in one part only. For each ", total.unit,
                      ", all of them together cost at most epsilon = ", dplda::rounded_up(total.each_part->epsilon),
                      " at delta = ", number(total.each_part->delta),
                      ", if the budgets were fixed beforehand, or kept a bound of this size that was. The prices below "
                      "are for somebody who has a ",
                      total.unit, " in every part.", total.part.empty() ? "" : " " + dplda::one_part(total.part))
         << '\n';
  }
  if (total.limited) {
    const dplda::privacy_filter& limit = *total.limited->limit();
    const dplda::guarantee promise = limit.promise();
    const dplda::filter_rest left = limit.left();
    if (limit.within()) {
      text << paragraph("The limit of the book holds for all that is in it, however budgets were chosen: epsilon = ",
                        dplda::rounded_up(promise.epsilon), ", delta = ", number(promise.delta),
                        ". It still admits Gaussian noise on all units that costs epsilon = ", number(left.epsilon),
                        " at delta = ", number(left.noise_delta),
                        ", and also thresholds of delta = ", number(left.opaque_delta),
                        ". 'dplda fit --dry-run --book' says which fit is admitted.");
    } else {
      text << paragraph("The limit of the book is exceeded: epsilon = ", dplda::rounded_up(promise.epsilon),
                        " does not hold, and nothing more is admitted.");
    }
    text << '\n';
  }
  return text.str();
}

json_value further_json(const account_total& spent, const dplda::ledger& further, double delta) {
  const auto epsilon = [&](const dplda::ledger& more) {
    return dplda::number_or_infinity(spent.guarantee(more, delta).epsilon);
  };
  return json_value::object{{"epsilon_before", epsilon({})},
                            {"epsilon_with_it", epsilon(further)},
                            {"admitted", spent.limited ? json_value(admits(spent, further)) : json_value(nullptr)}};
}

std::string further_text(const account_total& spent, const dplda::ledger& further, double delta) {
  std::ostringstream text;
  if (spent.limited) {
    text << paragraph("The limit of the book ", admits(spent, further) ? "admits" : "does not admit",
                      " the further release. The prices below include it.");
  } else {
    text << paragraph("Without the further release, epsilon = ", dplda::rounded_up(spent.guarantee({}, delta).epsilon),
                      "; with it, epsilon = ", dplda::rounded_up(spent.guarantee(further, delta).epsilon),
                      ". The prices below include it.");
  }
  return text.str() + '\n';
}

}  // namespace dplda_program
