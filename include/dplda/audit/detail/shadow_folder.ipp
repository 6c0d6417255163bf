// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_SHADOW_FOLDER_IPP
#define DPLDA_AUDIT_DETAIL_SHADOW_FOLDER_IPP

// Bodies of audit/shadow_folder.hpp.

#include <dplda/audit/shadow_folder.hpp>
#include <dplda/core/errors.hpp>

#include <bit>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

// FNV-1a over 64-bit words, with a rotation for their high bits.
class word_hash {
 public:
  void add(std::uint64_t word) { sum_ = std::rotl((sum_ ^ word) * 0x100000001b3u, 17); }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(256);
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325u;
};

inline std::uint64_t hash_of(const corpus& docs) {
  word_hash hash;
  for (std::size_t v = 0; v < docs.words(); ++v) hash.add(docs.vocab()->word(static_cast<word_id>(v)));
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    hash.add(doc.id);
    hash.add(docs.has_users() ? std::uint64_t{docs.user(d)} : ~std::uint64_t{0});
    hash.add(doc.size());
    for (std::size_t n = 0; n < doc.size(); ++n) hash.add(std::uint64_t{doc.words[n]} << 32 | doc.counts[n]);
  }
  return hash.value();
}

}  // namespace detail

DPLDA_INLINE shadow_folder::shadow_folder(std::filesystem::path folder, std::string label)
    : folder_(std::move(folder)), label_(std::move(label)) {
  detail::require(!label_.empty(), "shadow_folder", "label", "empty",
                  "must name the learner, its options and the query");
  std::filesystem::create_directories(folder_);
}

DPLDA_INLINE shadow_origin shadow_folder::origin(const corpus& docs, const shadow_options& options,
                                                 const random_source& halves) const {
  detail::word_hash settings;
  settings.add(options.shadows);
  settings.add(static_cast<std::uint64_t>(options.unit));
  settings.add(label_);
  return {detail::hash_of(docs), settings.value(), halves.seeded() ? halves.stream("shadow folder")() | 1 : 0};
}

DPLDA_INLINE void shadow_folder::save(const shadow_table& table, std::size_t model, const shadow_origin& from) const {
  const auto row = static_cast<Eigen::Index>(model);
  std::vector<std::uint64_t> words{
      magic,    static_cast<std::uint64_t>(table.members.cols()), table.statistics.size(), from.corpus, from.settings,
      from.seed};
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

DPLDA_INLINE shadow_table shadow_folder::load(std::size_t shadows, std::size_t documents,
                                              const shadow_origin& from) const {
  shadow_table table;
  const auto rows = static_cast<Eigen::Index>(shadows), columns = static_cast<Eigen::Index>(documents);
  for (std::size_t model = 0; model < shadows; ++model) {
    if (!std::filesystem::exists(file(model))) continue;
    const std::vector<std::uint64_t> words = read(model, documents, from);
    if (table.finished.empty()) {
      table.finished.assign(shadows, false);
      table.members.setConstant(rows, columns, false);
      table.statistics.assign(words[2], Eigen::MatrixXd::Zero(rows, columns));
    }
    if (words[2] != table.statistics.size()) damaged(model, "the number of statistics that the other files have");
    const auto row = static_cast<Eigen::Index>(model);
    auto next = words.begin() + head;
    for (Eigen::Index d = 0; d < columns; ++d) table.members(row, d) = *next++ != 0;
    for (auto& values : table.statistics) {
      for (Eigen::Index d = 0; d < columns; ++d) values(row, d) = std::bit_cast<double>(*next++);
    }
    table.finished[model] = true;
  }
  return table;
}

DPLDA_INLINE void shadow_folder::damaged(std::size_t model, const std::string& expected) const {
  throw parse_error(file(model).string(), 0, "expected " + expected);
}

DPLDA_INLINE std::uint64_t shadow_folder::checksum(const std::vector<std::uint64_t>& words, std::size_t count) {
  detail::word_hash hash;
  for (std::size_t i = 0; i < count; ++i) hash.add(words[i]);
  return hash.value();
}

DPLDA_INLINE std::vector<std::uint64_t> shadow_folder::read(std::size_t model, std::size_t documents,
                                                            const shadow_origin& from) const {
  const std::uintmax_t bytes = std::filesystem::file_size(file(model));
  if (bytes < 8 * (head + 1) || bytes % 8 != 0) damaged(model, "a complete shadow model file");
  std::vector<std::uint64_t> words(bytes / 8);
  std::ifstream in(file(model), std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(bytes)))
    damaged(model, "a file that can be read");
  if (words[0] != magic) damaged(model, "a shadow model file");
  if (words.back() != checksum(words, words.size() - 1)) damaged(model, "an undamaged file (delete it)");
  if (words[3] != from.corpus)
    damaged(model,
            "shadow models of this corpus, but the folder has those of another: use a separate folder per corpus");
  if (words[4] != from.settings)
    damaged(model,
            "shadow models of this number, unit and label, but the folder has those of another training: use a "
            "separate folder per training");
  if (words[5] != from.seed)
    damaged(model,
            "shadow models from this seed after as many forks, but the folder has those from another source: use that "
            "source, or another folder");
  if (words[1] != documents) damaged(model, detail::text(documents, " documents, but found ", words[1]));
  if (words[2] == 0 || words.size() - head - 1 != (words[2] + 1) * words[1])
    damaged(model, "statistics of all documents");
  return words;
}

}  // namespace dplda::inline v0_1

#endif
