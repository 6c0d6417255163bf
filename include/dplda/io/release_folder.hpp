// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_RELEASE_FOLDER_HPP
#define DPLDA_IO_RELEASE_FOLDER_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/release_record.hpp>
#include <dplda/io/whole_files.hpp>
#include <dplda/mechanisms/release.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// Released topics on disk: a model folder (model_folder.hpp), which load_model reads, and in it
//   release.json   guarantee, ledger, settings, and the SHA-256 of model.json,
//   report.html    a page for people, if one was given (report/report.hpp makes it),
//   prevalence.json, prevalence.csv   the topics' shares, if they were released with them (analysis/prevalence_file.hpp).
// The program dplda writes and reads the same folders.

namespace dplda::inline v0_1 {

struct save_release_options {
  bool overwrite = false;   ///< replace a model or release folder of the same name
  std::string report = {};  ///< the content of report.html; empty: no such file
  /// The further files of the folder, given the SHA-256 of model.json: prevalence.json and prevalence.csv, no others.
  std::function<std::vector<file_text>(const std::string& model_sha256)> further = {};
  /// Called when everything is written, before the folder takes its place; if it throws, nothing changes.
  std::function<void()> before_commit = {};
};

/// Throws std::runtime_error if save_release would not write to this folder: it exists and must not be overwritten, or
/// holds other files.
void check_release_folder(const std::filesystem::path& folder, bool overwrite);

/// Saves released topics with their guarantee and ledger, as a folder that appears whole or not at all (save_model).
/// Throws std::runtime_error as check_release_folder does and if something cannot be written, parse_error if the guarantee
/// claims less than its ledger costs, so that load_release would refuse it, std::invalid_argument on a further file of
/// another name, and what options.further and options.before_commit throw.
void save_release(const std::filesystem::path& folder, const release<topic_model<>>& topics,
                  const release_details& details = {}, const save_release_options& options = {});

/// Saves topics that were learned without privacy as the same kind of folder: release.json says that nothing is
/// claimed, and load_release refuses it. (save_model writes the model alone.) Throws as save_release does.
void save_non_private(const std::filesystem::path& folder, const topic_model<>& model,
                      const release_details& details = {}, const save_release_options& options = {});

/// Released topics as they were saved.
struct saved_release {
  release<topic_model<>> topics;
  release_details details = {};
};

/// Loads what save_release wrote; the words know again whether they are public or released. Throws parse_error if a file is missing or damaged, if the files do not belong together,
/// if the guarantee does not follow from the ledger, and if the folder claims nothing.
saved_release load_release(const std::filesystem::path& folder);

/// Loads a list of words that `dplda vocabulary` released, with its guarantee and ledger from the record beside it,
/// FILE.release.json. Throws parse_error as load_release does.
release<vocabulary_ptr> load_released_words(const std::filesystem::path& file);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/release_folder.ipp>
#endif

#endif
