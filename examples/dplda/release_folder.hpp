// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_RELEASE_FOLDER_HPP
#define DPLDA_EXAMPLES_DPLDA_RELEASE_FOLDER_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/topic_model.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>

#include "program.hpp"

// What `dplda fit` writes: a model folder (io/model_folder.hpp) with two files more,
//   release.json   what may be said of the model: guarantee, ledger, public settings, version, command,
//   report.html    all of it as a page for people.

namespace dplda_program {

/// The setting that says about how many documents or users there are, as somebody stated or as nobody did.
inline constexpr const char *stated_units = "units (stated, rounded)", *assumed_units = "units (assumed, not stated)";
/// Where its words come from, as the setting "words" has it.
inline constexpr const char *public_list = "a public list, taken on your word", *private_choice = "chosen privately";

/// What release.json holds.
struct release_record {
  std::optional<dplda::guarantee> claim = {};  ///< nothing: learned without privacy, not for release
  dplda::ledger ledger = {};
  std::string title = {};  ///< of the report; empty: it has the usual one
  json settings = json::object();
  std::string command = {};
  std::optional<bool> stands_out = {};  ///< whether the topics differ by more than noise explains; nothing: not known
  /// Of model.json, which holds the sums of the model's other files; of dplda vocabulary, of its list of words.
  std::string model_sha256 = {};
  std::string booked = {};  ///< the id of its entry in a budget book; empty: it is in none
};

json to_json(const release_record& record);

/// What the release cost, or why it is none, in a line.
std::string what_was_spent(const release_record& record);

/// Reads release.json of a folder, or the file itself. Throws parse_error if it is missing or none, or if it belongs to
/// another model than the folder's.
release_record read_release(const std::filesystem::path& path);

/// Throws std::runtime_error unless a release may be written to this folder.
void check_release_folder(const std::filesystem::path& folder, bool force);

/// Writes the folder, whole or not at all. Throws as check_release_folder, and interrupt.
void write_release_folder(const std::filesystem::path& folder, bool force, const dplda::topic_model<>& model,
                          release_record record, const std::string& page);

struct report_content;
/// What the report shows of a model (report.hpp), and the page itself.
report_content content_of(const dplda::topic_model<>& model, const release_record& record);
std::string page_of(const dplda::topic_model<>& model, const release_record& record);

/// The topics' `count` most probable words, for machines and for people.
json topics_json(const dplda::topic_model<>& model, std::size_t count);
/// The words that tell most about each topic, a line each: the most probable ones where lambda is 1, and for less those
/// that are more probable there than elsewhere (relevance, Sievert and Shirley 2014).
std::string topics_text(const dplda::topic_model<>& model, std::size_t count, double lambda = 0.5);

}  // namespace dplda_program

#endif
