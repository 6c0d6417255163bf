// SPDX-License-Identifier: Apache-2.0
#include "release_folder.hpp"

#include <dplda/accounting/accountant.hpp>
#include <dplda/io/ldavis.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/version.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "interrupts.hpp"
#include "report.hpp"
#include "weaknesses.hpp"

namespace dplda_program {

namespace fs = std::filesystem;

namespace {

constexpr const char* format = "dplda release";

fs::path without_slash(const fs::path& folder) {
  fs::path target = folder.lexically_normal();
  return target.has_filename() ? target : target.parent_path();
}

bool holds_only_a_release(const fs::path& folder) {
  constexpr std::array ours{"phi.npy", "vocabulary.txt", "model.json", "release.json", "report.html"};
  if (!fs::is_directory(folder)) return false;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (std::find(ours.begin(), ours.end(), file.path().filename()) == ours.end()) return false;
  }
  return true;
}

std::string sum_of_model(const fs::path& folder) {
  return dplda::detail::sha256_hex(dplda::detail::read_bytes(folder / "model.json"));
}

/// Throws parse_error if the claim is not that of the ledger beside it. One that is as published rests on a paper's
/// word, and so does not follow from any ledger.
void check_ledger(const std::string& name, const release_record& record) {
  const dplda::guarantee& claim = *record.claim;
  if (record.ledger.empty()) throw dplda::parse_error(name, 0, "claims a guarantee with nothing in the ledger");
  const dplda::privacy_event& first = record.ledger.entries().front().event;
  if (claim.unit != first.unit || claim.relation != first.relation)
    throw dplda::parse_error(name, 0, "claims a guarantee for another unit or other neighbours than its ledger's");
  if (claim.basis == dplda::basis::proven &&
      dplda::ledger_epsilon(record.ledger, claim.delta, dplda::accountant::best).lower > claim.epsilon)
    throw dplda::parse_error(name, 0, "claims less than what its ledger costs");
}

/// How many units there are, as was stated; 0 if nobody did.
std::uint64_t known_units(const release_record& record) {
  const auto units = record.settings.find(stated_units);
  return units != record.settings.end() && units->is_number_unsigned() ? units->get<std::uint64_t>() : 0;
}

}  // namespace

json to_json(const release_record& record) {
  const std::vector<std::string> weak =
      record.claim ? weaknesses(*record.claim, known_units(record)) : std::vector<std::string>();
  return {{"format", format},
          {"format_version", 1},
          {"library_version", dplda::version_string},
          {"releasable", record.claim.has_value() && !record.claim->seeded},
          {"guarantee", record.claim ? to_json(*record.claim) : json(nullptr)},
          {"weaknesses", weak},
          {"ledger", to_json(record.ledger)},
          {"title", record.title},
          {"settings", record.settings},
          {"command", record.command},
          {"topics_stand_out", record.stands_out ? json(*record.stands_out) : json(nullptr)},
          {"model_sha256", record.model_sha256},
          {"booked", record.booked.empty() ? json(nullptr) : json(record.booked)}};
}

std::string what_was_spent(const release_record& record) {
  if (!record.claim) return "NOT PRIVATE: this was made of the documents without noise. Do not publish it.\n";
  if (record.claim->seeded) return "NOT PRIVATE: the noise came from a known seed. For experiments only.\n";
  std::ostringstream out;
  out << "Spent: the whole of epsilon = " << dplda::detail::rounded_up(record.claim->epsilon)
      << ", delta = " << dplda::detail::rounded_up(record.claim->delta) << " for each " << record.claim->unit
      << ". Another release of the same data adds to it.\n";
  return out.str();
}

release_record read_release(const fs::path& path) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(path, ignored) ? path / "release.json" : path;
  const std::string name = file.string();
  const json object = json::parse(dplda::detail::read_bytes(file), nullptr, false);
  if (!object.is_object() || object.value("format", json()) != format)
    throw dplda::parse_error(name, 0, "expected a file release.json as dplda fit writes it");
  try {
    release_record record{.title = object.value("title", std::string()),
                          .settings = object.at("settings"),
                          .command = object.at("command").get<std::string>(),
                          .model_sha256 = object.at("model_sha256").get<std::string>()};
    if (const auto booked = object.find("booked"); booked != object.end() && !booked->is_null())
      record.booked = booked->get<std::string>();
    if (const json stands_out = object.value("topics_stand_out", json()); !stands_out.is_null())
      record.stands_out = stands_out.get<bool>();
    if (object.at("format_version") != 1 || !record.settings.is_object()) throw std::runtime_error("version");
    std::istringstream book(object.at("ledger").dump());
    record.ledger = dplda::read_ledger(book, name);
    if (const json& claim = object.at("guarantee"); !claim.is_null()) {
      std::istringstream text(claim.dump());
      record.claim = dplda::read_guarantee(text, name);
    }
    if (file != path && record.model_sha256 != sum_of_model(path))
      throw dplda::parse_error(name, 0, "is not of the model in this folder");
    if (record.claim) check_ledger(name, record);
    return record;
  } catch (const dplda::parse_error&) {
    throw;
  } catch (const std::exception&) {
    throw dplda::parse_error(name, 0, "expected a release of format version 1 with all its members");
  }
}

void check_release_folder(const fs::path& folder, bool force) {
  const fs::path target = without_slash(folder);
  check_writable(target, force, true);
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(target, ignored)) && !holds_only_a_release(target))
    throw std::runtime_error(target.string() + ": holds other files than dplda's, and is not replaced");
}

void write_release_folder(const fs::path& folder, bool force, const dplda::topic_model<>& model, release_record record,
                          const std::string& page) {
  check_release_folder(folder, force);
  const fs::path target = without_slash(folder);
  const deferred_interrupts deferred;
  const dplda::detail::folder_beside fresh(target);
  dplda::save_model(fresh.path(), model, {.overwrite = true});
  record.model_sha256 = sum_of_model(fresh.path());
  dplda::detail::write_file(fresh.path() / "release.json", [&](std::ostream& out) {
    out << to_json(record).dump(2, ' ', false, json::error_handler_t::replace) << '\n';
  });
  dplda::detail::write_file(fresh.path() / "report.html", [&](std::ostream& out) { out << page; });
  deferred.commit();
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(target, ignored))) {
    fs::rename(fresh.path(), target);
  } else {
    dplda::detail::replace_folder(
        fresh.path(), target,
        [](const fs::path& from, const fs::path& to, std::error_code& failure) { fs::rename(from, to, failure); });
  }
}

json topics_json(const dplda::topic_model<>& model, std::size_t count) {
  json topics = json::array();
  for (std::size_t k = 0; k < model.topics(); ++k) {
    json words = json::array();
    for (const auto& w : top_words(model, k, count))
      words.push_back({{"word", model.vocab()->word(w.word)}, {"probability", w.probability}});
    topics.push_back({{"topic", k}, {"words", std::move(words)}});
  }
  return topics;
}

std::string topics_text(const dplda::topic_model<>& model, std::size_t count, double lambda) {
  const Eigen::VectorXd shares = dplda::word_shares(model);
  const auto words = dplda::relevant_words(model, count, std::array{lambda});
  std::string lines;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto relevance = [&](dplda::word_id w) {
      const auto v = static_cast<Eigen::Index>(w);
      return std::log(model.phi()(static_cast<Eigen::Index>(k), v)) - (1 - lambda) * std::log(shares[v]);
    };
    std::vector<dplda::word_id> order = words[k];
    std::sort(order.begin(), order.end(), [&](dplda::word_id a, dplda::word_id b) {
      const double first = relevance(a), second = relevance(b);
      return first != second ? first > second : a < b;
    });
    lines.append("topic ").append(std::to_string(k)).append(":");
    for (const dplda::word_id w : order) lines.append(" ").append(model.vocab()->word(w));
    lines.append("\n");
  }
  return lines;
}

report_content content_of(const dplda::topic_model<>& model, const release_record& record) {
  report_content content{.topics = model,
                         .claim = record.claim,
                         .ledger = record.ledger,
                         .command = record.command,
                         .units = known_units(record),
                         .stands_out = record.stands_out};
  if (!record.title.empty()) content.title = record.title;
  for (const auto& [name, value] : record.settings.items())
    content.settings.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  return content;
}

std::string page_of(const dplda::topic_model<>& model, const release_record& record) {
  return report_html(content_of(model, record));
}

}  // namespace dplda_program
