// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_MODEL_FOLDER_IPP
#define DPLDA_IO_DETAIL_MODEL_FOLDER_IPP

// Bodies of io/model_folder.hpp.

#include <dplda/io/model_folder.hpp>

#include <algorithm>
#include <cmath>
#include <system_error>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE std::string model_checksum(json_value::object members) {
  std::erase_if(members, [](const json_value::member& m) { return m.first == "checksum"; });
  return sha256_hex(json_value(std::move(members)).dump());
}

DPLDA_INLINE model_description parse_model_json(std::string_view text_of_file, const std::string& name) {
  const json_value file = json_value::parse(text_of_file, name);
  const auto refuse = [&](const auto&... expected) { throw parse_error(name, 0, text("expected ", expected...)); };
  const auto member = [&](const json_value& in, const char* key) -> const json_value& {
    const json_value* found = in.find(key);
    if (found == nullptr) refuse("a member \"", key, "\"");
    return *found;
  };
  const auto string = [&](const json_value& in, const char* key) {
    const auto* value = member(in, key).get_if<std::string>();
    if (value == nullptr) refuse("text as \"", key, "\"");
    return *value;
  };
  const auto count = [&](const char* key) {
    const auto* value = member(file, key).get_if<double>();
    if (value == nullptr || !(*value >= 1 && *value <= 0x1p32) || *value != std::floor(*value)) {
      refuse("a whole number of 1 or more as \"", key, "\"");
    }
    return static_cast<std::size_t>(*value);
  };

  if (string(file, "format") != model_format) refuse("the format \"", model_format, "\"");
  if (const std::size_t found = count("format_version"); found != model_format_version) {
    refuse("format version ", model_format_version, ", found ", found, ", as dplda ", string(file, "library_version"),
           " writes it");
  }
  if (string(file, "checksum") != model_checksum(*file.get_if<json_value::object>()))
    refuse("a text that matches its checksum");

  model_description model;
  model.topics = count("topics");
  model.words = count("words");
  model.real = string(file, "real");
  if (const json_value& alpha = member(file, "alpha"); !alpha.is_null()) {
    const auto* values = alpha.get_if<json_value::array>();
    if (values == nullptr || values->size() != model.topics) refuse("null or a number for each topic as \"alpha\"");
    model.alpha.resize(static_cast<Eigen::Index>(values->size()));
    for (std::size_t k = 0; k < values->size(); ++k) {
      const auto* value = (*values)[k].get_if<double>();
      if (value == nullptr) refuse("numbers as \"alpha\"");
      model.alpha[static_cast<Eigen::Index>(k)] = *value;
    }
  }
  if (const json_value* const released = file.find("released")) {
    if (!released->is<bool>()) refuse("true or false as \"released\"");
    model.released = released->as<bool>();
  }
  if (file.find("word_origin") != nullptr) {
    try {
      model.words_from = origin_of(string(file, "word_origin"));
    } catch (const std::invalid_argument&) {
      refuse("\"documents\", \"public\" or \"released\" as \"word_origin\"");
    }
  }
  model.phi_sha256 = string(member(file, "sha256"), "phi.npy");
  model.vocabulary_sha256 = string(member(file, "sha256"), "vocabulary.txt");
  if (member(file, "sha256").find("counts.npy") != nullptr)
    model.counts_sha256 = string(member(file, "sha256"), "counts.npy");
  return model;
}

DPLDA_INLINE npy_matrix<double> matrix_of(const topic_counts& counts) {
  npy_matrix<double> rows(counts.cells.rows() + 3, counts.cells.cols());
  rows << counts.cells, counts.cell_noise.transpose(), counts.words.transpose(), counts.word_noise.transpose();
  return rows;
}

DPLDA_INLINE topic_counts counts_of(const npy_matrix<double>& rows, std::size_t topics) {
  const Eigen::Index k = static_cast<Eigen::Index>(topics);
  require(rows.rows() == k + 3, "counts_of", "the number of rows", rows.rows(),
          text("must be three more than the topics, ", topics));
  return {rows.topRows(k), rows.row(k), rows.row(k + 1), rows.row(k + 2)};
}

DPLDA_INLINE void check_sha256(std::istream& in, const std::string& name, const std::string& expected) {
  if (sha256_hex(in) != expected) throw parse_error(name, 0, "the checksum does not match model.json");
  in.clear();
  in.seekg(0);
}

DPLDA_INLINE void check_replaceable(const std::filesystem::path& folder, bool overwrite,
                                    std::initializer_list<std::string_view> ours) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(folder, ignored))) return;
  if (!overwrite)
    throw std::runtime_error(folder.string() +
                             ": the folder exists already; choose another name, or allow overwriting");
  bool only_ours = std::filesystem::is_directory(folder);
  if (only_ours) {
    for (const auto& file : std::filesystem::directory_iterator(folder))
      only_ours = only_ours && std::find(ours.begin(), ours.end(), file.path().filename().string()) != ours.end();
  }
  if (!only_ours)
    throw std::runtime_error(
        folder.string() +
        ": not overwritten, because it is not a dplda folder or holds other files; choose another name");
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
