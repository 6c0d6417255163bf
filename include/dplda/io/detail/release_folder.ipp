// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_RELEASE_FOLDER_IPP
#define DPLDA_IO_DETAIL_RELEASE_FOLDER_IPP

// Bodies of io/release_folder.hpp.

#include <dplda/io/release_folder.hpp>
#include <dplda/io/vocabulary.hpp>

#include <ostream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE void check_release_folder(const std::filesystem::path& folder, bool overwrite) {
  detail::check_replaceable(detail::without_slash(folder), overwrite,
                            {"phi.npy", "vocabulary.txt", "counts.npy", "model.json", "release.json", "report.html",
                             "prevalence.json", "prevalence.csv"});
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
    if (!options.further) return;
    for (const file_text& file : options.further(record.model_sha256)) {
      require(file.path == "prevalence.json" || file.path == "prevalence.csv", "save_release", "a further file",
              file.path.string(), "must be prevalence.json or prevalence.csv");
      write_file(fresh / file.path, [&](std::ostream& out) { out << file.text; });
    }
  };
  write_whole_folder(folder, fill, options.before_commit);
}

}  // namespace detail

DPLDA_INLINE void save_release(const std::filesystem::path& folder, const release<topic_model<>>& topics,
                               const release_details& details, const save_release_options& options) {
  detail::check_claim(topics.guarantee(), topics.ledger(), (folder / "release.json").string());
  release_record record{topics.guarantee(), topics.ledger(), details, {}};
  record.details.remarks = topics.remarks();
  detail::save_with_record(folder, topics.value(), std::move(record), options);
}

DPLDA_INLINE void save_non_private(const std::filesystem::path& folder, const topic_model<>& model,
                                   const release_details& details, const save_release_options& options) {
  detail::save_with_record(folder, model, {.details = details}, options);
}

DPLDA_INLINE saved_release load_release(const std::filesystem::path& folder) {
  release_record record = read_release_record(folder / "");
  const std::string name = (folder / "release.json").string();
  if (!record.claim)
    throw parse_error(name, 0, "claims nothing: the model was learned without privacy; load_model reads it");
  try {
    const topic_model<> model = load_model(folder);
    topic_model<> topics(model.phi(), detail::with_origin(*model.vocab(), record.words), model.alpha());
    return {release<topic_model<>>(topics.with_counts(model.counts()), std::move(*record.claim),
                                   std::move(record.ledger), record.details.remarks),
            std::move(record.details)};
  } catch (const std::invalid_argument& error) {
    throw parse_error(name, 0, detail::text("expected a release (", error.what(), ")"));
  }
}

DPLDA_INLINE release<vocabulary_ptr> load_released_words(const std::filesystem::path& file) {
  std::filesystem::path beside = file;
  beside += ".release.json";
  const release_record record = read_release_record(beside);
  const std::string list = read_bytes(file);
  if (!record.claim || record.words != word_origin::released)
    throw parse_error(beside.string(), 0, "expected the record of words that were chosen privately");
  if (record.model_sha256 != sha256_hex(list))
    throw parse_error(beside.string(), 0, detail::text("belongs to another list than ", file.string()));
  std::istringstream lines(list);
  return {read_vocabulary(lines, file.string()), *record.claim, record.ledger};
}

}  // namespace dplda::inline v0_1

#endif
