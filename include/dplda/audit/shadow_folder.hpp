// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_SHADOW_FOLDER_HPP
#define DPLDA_AUDIT_SHADOW_FOLDER_HPP

#include <dplda/audit/shadows.hpp>
#include <dplda/core/errors.hpp>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dplda {

/// A folder with a file for each shadow model that was queried, so that a training which was interrupted can go on. A
/// file holds which documents the model was trained on: keep the folder as secret as the corpus.
class shadow_folder {
 public:
  /// Makes the folder if it is not there. Throws std::filesystem::filesystem_error if that fails.
  explicit shadow_folder(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
  }

  /// Writes one model's row, all or nothing. Throws std::runtime_error if that fails.
  void save(const shadow_table& table, std::size_t model) const {
    const auto row = static_cast<Eigen::Index>(model);
    std::vector<std::uint64_t> words{magic, static_cast<std::uint64_t>(table.members.cols()), table.statistics.size()};
    for (Eigen::Index d = 0; d < table.members.cols(); ++d) words.push_back(table.members(row, d) ? 1 : 0);
    for (const auto& values : table.statistics) {
      for (Eigen::Index d = 0; d < values.cols(); ++d) words.push_back(std::bit_cast<std::uint64_t>(values(row, d)));
    }
    words.push_back(checksum(words, words.size()));
    const std::filesystem::path whole = file(model), part = whole.string() + ".part";
    std::ofstream out(part, std::ios::binary);
    out.write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(8 * words.size()));
    out.close();
    if (!out) throw std::runtime_error("dplda::shadow_folder: could not write " + part.string());
    std::filesystem::rename(part, whole);
  }

  /// The table of the models that are there, for resume_shadows; empty if none is. Throws parse_error if a file is
  /// damaged, or of another number of documents or statistics than the others.
  shadow_table load(std::size_t shadows, std::size_t documents) const {
    shadow_table table;
    const auto rows = static_cast<Eigen::Index>(shadows), columns = static_cast<Eigen::Index>(documents);
    for (std::size_t model = 0; model < shadows; ++model) {
      if (!std::filesystem::exists(file(model))) continue;
      const std::vector<std::uint64_t> words = read(model, documents);
      if (table.finished.empty()) {
        table.finished.assign(shadows, false);
        table.members.setConstant(rows, columns, false);
        table.statistics.assign(words[2], Eigen::MatrixXd::Zero(rows, columns));
      }
      if (words[2] != table.statistics.size()) damaged(model, "the number of statistics that the other files have");
      const auto row = static_cast<Eigen::Index>(model);
      auto next = words.begin() + 3;
      for (Eigen::Index d = 0; d < columns; ++d) table.members(row, d) = *next++ != 0;
      for (auto& values : table.statistics) {
        for (Eigen::Index d = 0; d < columns; ++d) values(row, d) = std::bit_cast<double>(*next++);
      }
      table.finished[model] = true;
    }
    return table;
  }

 private:
  static constexpr std::uint64_t magic = 0x31776f6461687364;  // "dshadow1"

  std::filesystem::path file(std::size_t model) const { return folder_ / ("shadow_" + std::to_string(model)); }

  [[noreturn]] void damaged(std::size_t model, const std::string& expected) const {
    throw parse_error(file(model).string(), 0, "expected " + expected);
  }

  // FNV-1a over words.
  static std::uint64_t checksum(const std::vector<std::uint64_t>& words, std::size_t count) {
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < count; ++i) sum = std::rotl((sum ^ words[i]) * 0x100000001b3u, 17);
    return sum;
  }

  std::vector<std::uint64_t> read(std::size_t model, std::size_t documents) const {
    const std::uintmax_t bytes = std::filesystem::file_size(file(model));
    if (bytes < 32 || bytes % 8 != 0) damaged(model, "a whole file of a shadow model");
    std::vector<std::uint64_t> words(bytes / 8);
    std::ifstream in(file(model), std::ios::binary);
    if (!in.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(bytes)))
      damaged(model, "a file that can be read");
    if (words[0] != magic) damaged(model, "a file of a shadow model");
    if (words.back() != checksum(words, words.size() - 1)) damaged(model, "a file that is not damaged");
    if (words[1] != documents) damaged(model, detail::text(documents, " documents, but found ", words[1]));
    if (words[2] == 0 || words.size() - 4 != (words[2] + 1) * words[1]) damaged(model, "statistics of all documents");
    return words;
  }

  std::filesystem::path folder_;
};

/// train_shadows that goes on with what is in the folder and saves each model there. The folder must be of the same
/// corpus, learner and query; use the same seed for the same bits as an uninterrupted training. Throws as train_shadows,
/// shadow_folder::load and shadow_folder::save do.
template <class Learner, class Query = fit_query>
shadow_table train_shadows(const shadow_folder& folder, const Learner& learner, const corpus& docs,
                           random_source& random, const Query& query = {}, const shadow_options& options = {},
                           const shadow_observer& watch = {}) {
  shadow_table table = folder.load(options.shadows, docs.size());
  resume_shadows(table, learner, docs, random, query, options, [&](const shadow_progress& now) {
    folder.save(table, now.model);
    return watch && watch(now);
  });
  return table;
}

}  // namespace dplda

#endif
