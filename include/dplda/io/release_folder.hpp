// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_RELEASE_FOLDER_HPP
#define DPLDA_IO_RELEASE_FOLDER_HPP

#include <dplda/core/topic_model.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/release_record.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/io/whole_files.hpp>
#include <dplda/mechanisms/release.hpp>

#include <filesystem>
#include <functional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

// Released topics on disk: a model folder (model_folder.hpp), which load_model reads, and in it
//   release.json   guarantee, ledger, settings, and the SHA-256 of model.json,
//   report.html    a page for people, if one was given (report/report.hpp makes it).
// The program dplda writes and reads the same folders.

namespace dplda::inline v0_1 {

struct save_release_options {
  bool overwrite = false;   ///< replace a model or release folder of the same name
  std::string report = {};  ///< the content of report.html; empty: no such file
  /// Called when everything is written, before the folder takes its place; if it throws, nothing changes.
  std::function<void()> before_commit = {};
};

/// Throws std::runtime_error if save_release would not write to this folder: it exists and must not be overwritten, or
/// holds other files.
inline void check_release_folder(const std::filesystem::path& folder, bool overwrite) {
  detail::check_replaceable(detail::without_slash(folder), overwrite,
                            {"phi.npy", "vocabulary.txt", "model.json", "release.json", "report.html"});
}

namespace detail {

inline void save_with_record(const std::filesystem::path& folder, const topic_model<>& model, release_record record,
                             const save_release_options& options) {
  check_release_folder(folder, options.overwrite);
  record.words = model.vocab()->origin();
  const auto fill = [&](const std::filesystem::path& fresh) {
    record.model_sha256 = write_model_files(fresh, model);
    write_file(fresh / "release.json", [&](std::ostream& out) { out << to_json(record).dump(2) << '\n'; });
    if (!options.report.empty()) write_file(fresh / "report.html", [&](std::ostream& out) { out << options.report; });
  };
  write_whole_folder(folder, fill, options.before_commit);
}

}  // namespace detail

/// Saves released topics with their guarantee and ledger, as a folder that appears whole or not at all (save_model).
/// Throws std::runtime_error as check_release_folder does and if something cannot be written, parse_error if the guarantee
/// claims less than its ledger costs, so that load_release would refuse it, and what options.before_commit throws.
inline void save_release(const std::filesystem::path& folder, const release<topic_model<>>& topics,
                         const release_details& details = {}, const save_release_options& options = {}) {
  detail::check_claim(topics.guarantee(), topics.ledger(), (folder / "release.json").string());
  detail::save_with_record(folder, topics.value(), {topics.guarantee(), topics.ledger(), details, {}}, options);
}

/// Saves topics that were learned without privacy as the same kind of folder: release.json says that nothing is
/// claimed, and load_release refuses it. (save_model writes the model alone.) Throws as save_release does.
inline void save_non_private(const std::filesystem::path& folder, const topic_model<>& model,
                             const release_details& details = {}, const save_release_options& options = {}) {
  detail::save_with_record(folder, model, {.details = details}, options);
}

/// Released topics as they were saved.
struct saved_release {
  release<topic_model<>> topics;
  release_details details = {};
};

/// Loads what save_release wrote; the words know again whether they are public or released. Throws parse_error if a file is missing or damaged, if the files do not belong together,
/// if the guarantee does not follow from the ledger, and if the folder claims nothing.
inline saved_release load_release(const std::filesystem::path& folder) {
  release_record record = read_release_record(folder / "");
  const std::string name = (folder / "release.json").string();
  if (!record.claim)
    throw parse_error(name, 0, "claims nothing: the model was learned without privacy; load_model reads it");
  try {
    const topic_model<> model = load_model(folder);
    topic_model<> topics(model.phi(), detail::with_origin(*model.vocab(), record.words), model.alpha());
    return {release<topic_model<>>(std::move(topics), std::move(*record.claim), std::move(record.ledger)),
            std::move(record.details)};
  } catch (const std::invalid_argument& error) {
    throw parse_error(name, 0, detail::text("expected a release (", error.what(), ")"));
  }
}

/// Loads a list of words that `dplda vocabulary` released, with its guarantee and ledger from the record beside it,
/// FILE.release.json. Throws parse_error as load_release does.
inline release<vocabulary_ptr> load_released_words(const std::filesystem::path& file) {
  std::filesystem::path beside = file;
  beside += ".release.json";
  const release_record record = read_release_record(beside);
  const std::string list = read_bytes(file);
  if (!record.claim || record.words != word_origin::released)
    throw parse_error(beside.string(), 0, "expected the record of words that were chosen privately");
  if (record.model_sha256 != sha256_hex(list))
    throw parse_error(beside.string(), 0, detail::text("belongs to another list than ", file.string()));
  std::istringstream lines(list);
  return {detail::with_origin(*read_vocabulary(lines, file.string()), record.words), *record.claim, record.ledger};
}

}  // namespace dplda::inline v0_1

#endif
