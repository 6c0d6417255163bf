// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_SHADOW_FOLDER_HPP
#define DPLDA_AUDIT_SHADOW_FOLDER_HPP

#include <dplda/audit/shadows.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/random/source.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dplda::inline v0_1 {

/// Hashes of what shadow models were made from. They detect mistakes, not attacks.
struct shadow_origin {
  std::uint64_t corpus = 0;    ///< words, documents, their ids and users
  std::uint64_t settings = 0;  ///< number of models, unit of the halves, the folder's label
  std::uint64_t seed = 0;      ///< seed and earlier forks; 0 for a source without a seed

  bool operator==(const shadow_origin&) const = default;
};

/// A folder with a file for each shadow model that was queried, so that an interrupted training can be resumed. A file
/// says which documents the model was trained on: keep the folder as secret as the corpus.
class shadow_folder {
 public:
  /// Creates the folder if it does not exist. The label names what no hash covers: the learner with its options, and
  /// the query. A folder can only be resumed under the same label. Throws std::invalid_argument if the label is empty,
  /// and std::filesystem::filesystem_error if the folder cannot be created.
  shadow_folder(std::filesystem::path folder, std::string label);

  /// The origin of models trained on these documents with these options. `halves` is the first fork of the training's
  /// source: forking does not change a source's own streams, but it changes those of its next fork.
  shadow_origin origin(const corpus& docs, const shadow_options& options, const random_source& halves) const;

  /// Writes one model's row, completely or not at all. Throws std::runtime_error if that fails.
  void save(const shadow_table& table, std::size_t model, const shadow_origin& from) const;

  /// The table of the models in the folder, for resume_shadows; empty if there are none. Throws parse_error if a file
  /// is damaged, of another origin, or has another number of documents or statistics than the others. (Models from a
  /// source without a seed may be resumed from any other such source.)
  shadow_table load(std::size_t shadows, std::size_t documents, const shadow_origin& from) const;

 private:
  static constexpr std::uint64_t magic = 0x32776f6461687364;  // "dshadow2"
  static constexpr std::size_t head = 6;                      // words before those of documents

  std::filesystem::path file(std::size_t model) const { return folder_ / ("shadow_" + std::to_string(model)); }

  [[noreturn]] void damaged(std::size_t model, const std::string& expected) const;

  static std::uint64_t checksum(const std::vector<std::uint64_t>& words, std::size_t count);

  std::vector<std::uint64_t> read(std::size_t model, std::size_t documents, const shadow_origin& from) const;

  std::filesystem::path folder_;
  std::string label_;
};

/// train_shadows that resumes from the folder and saves each model there. The corpus, options, label, seed and number
/// of earlier forks must be the folder's, which is checked. The learner and query must also be the same; only the label
/// identifies them. The result then has the bits of an uninterrupted training. Throws as train_shadows,
/// shadow_folder::load and shadow_folder::save do.
template <AuditableLearner Learner, class Query = fit_query>
shadow_table train_shadows(const shadow_folder& folder, const Learner& learner, const corpus& docs,
                           random_source& random, const Query& query = {}, const shadow_options& options = {},
                           const shadow_observer& watch = {}) {
  const random_source halves = random.fork();
  const shadow_origin from = folder.origin(docs, options, halves);
  shadow_table table = folder.load(options.shadows, docs.size(), from);
  detail::train_missing(table, learner, docs, halves, random, query, options, [&](const shadow_progress& now) {
    folder.save(table, now.model, from);
    return watch && watch(now);
  });
  return table;
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/shadow_folder.ipp>
#endif

#endif
