// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_MODEL_FOLDER_HPP
#define DPLDA_IO_MODEL_FOLDER_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/npy.hpp>
#include <dplda/io/sha256.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/io/whole_files.hpp>
#include <dplda/version.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <istream>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// A topic model on disk: a folder that holds
//   phi.npy          the topics (topics x words), which NumPy opens,
//   vocabulary.txt   a word on each line,
//   counts.npy       if the learner kept the noisy counts behind the topics (core/topic_model.hpp): a row for each topic,
//                    then the noise on these, the words' own counts, and the noise on those,
//   model.json       sizes, type, prior, where topics and words come from, versions, and the SHA-256 of the other files
//                    and of itself.
// What is loaded equals what was saved, bit for bit. The checksums detect damage; they do not prove who wrote the
// folder.

namespace dplda::inline v0_1 {

struct save_model_options {
  bool overwrite = false;  ///< replace a model folder of the same name
};

namespace detail {

inline constexpr std::string_view model_format = "dplda topic model";
inline constexpr int model_format_version = 1;

template <class Real>
inline constexpr const char* real_name = std::is_same_v<Real, float> ? "float32" : "float64";

/// The SHA-256 of model.json: of its members without "checksum", on one line.
std::string model_checksum(json_value::object members);

template <class Real>
std::string model_json(const topic_model<Real>& model, const std::string& phi_sha256,
                       const std::string& vocabulary_sha256, const std::string& counts_sha256 = {}) {
  json_value alpha = nullptr;
  if (model.alpha().size() > 0) alpha = json_value::array(model.alpha().begin(), model.alpha().end());
  json_value::object checksums{{"phi.npy", phi_sha256}, {"vocabulary.txt", vocabulary_sha256}};
  if (!counts_sha256.empty()) checksums.emplace_back("counts.npy", counts_sha256);
  json_value::object members = {{"format", std::string(model_format)},
                                {"format_version", model_format_version},
                                {"library_version", version_string},
                                {"topics", model.topics()},
                                {"words", model.words()},
                                {"real", real_name<Real>},
                                {"alpha", std::move(alpha)},
                                {"released", model.released()},
                                {"word_origin", name_of(model.vocab()->origin())},
                                {"sha256", std::move(checksums)}};
  members.emplace_back("checksum", model_checksum(members));
  return json_value(std::move(members)).dump(2) + '\n';
}

/// The content of model.json, checked as far as possible without the other files.
struct model_description {
  std::size_t topics = 0;
  std::size_t words = 0;
  std::string real;
  Eigen::VectorXd alpha;
  bool released = false;  // older versions did not write it, nor the words' origin
  word_origin words_from = word_origin::documents;
  std::string phi_sha256;
  std::string vocabulary_sha256;
  std::string counts_sha256;  // empty: there are none
};

/// The counts as one matrix, in the order of counts.npy, and back.
npy_matrix<double> matrix_of(const topic_counts& counts);

/// Throws std::invalid_argument if the rows are not three more than the topics.
topic_counts counts_of(const npy_matrix<double>& rows, std::size_t topics);

model_description parse_model_json(std::string_view text_of_file, const std::string& name);

/// Throws parse_error unless the stream has this checksum; leaves it at its beginning.
void check_sha256(std::istream& in, const std::string& name, const std::string& expected);

/// Builds a model from its three files; the names stand for them in messages.
template <class Real>
topic_model<Real> assemble_model(std::string_view json_text, const std::string& json_name, std::istream& phi,
                                 const std::string& phi_name, std::istream& vocab, const std::string& vocab_name) {
  const model_description description = parse_model_json(json_text, json_name);
  if (description.real != real_name<Real>) {
    throw parse_error(json_name, 0, text("expected a model of ", real_name<Real>, ", found ", description.real));
  }
  check_sha256(vocab, vocab_name, description.vocabulary_sha256);
  check_sha256(phi, phi_name, description.phi_sha256);
  const vocabulary_ptr words = read_vocabulary(vocab, vocab_name);
  if (words->size() != description.words) {
    throw parse_error(vocab_name, 0, text("expected ", description.words, " words, found ", words->size()));
  }
  npy_matrix<Real> matrix = read_npy<Real>(phi, phi_name);
  if (static_cast<std::size_t>(matrix.rows()) != description.topics ||
      static_cast<std::size_t>(matrix.cols()) != description.words) {
    throw parse_error(phi_name, 0,
                      text("expected ", description.topics, " x ", description.words, " numbers, found ", matrix.rows(),
                           " x ", matrix.cols()));
  }
  try {
    topic_model<Real> model(std::move(matrix), with_origin(*words, description.words_from), description.alpha);
    return description.released ? as_released(std::move(model)) : model;
  } catch (const std::invalid_argument& error) {
    throw parse_error(json_name, 0, text("expected a valid topic model: ", error.what()));
  }
}

/// Throws std::runtime_error if no folder may be written under this name: it exists and must not be overwritten, or it
/// holds anything but the files in `ours`.
void check_replaceable(const std::filesystem::path& folder, bool overwrite,
                       std::initializer_list<std::string_view> ours);

/// Writes the files of a model, and returns the SHA-256 of model.json.
template <class Real>
std::string write_model_files(const std::filesystem::path& folder, const topic_model<Real>& model) {
  write_npy(folder / "phi.npy", model.phi());
  write_vocabulary(folder / "vocabulary.txt", *model.vocab());
  // Windows cannot rename a folder that holds an open file.
  const auto checksum = [&](const char* name) {
    auto file = open_to_read(folder / name);
    return sha256_hex(file);
  };
  if (model.counts() != nullptr) write_npy(folder / "counts.npy", matrix_of(*model.counts()));
  const std::string description = model_json(model, checksum("phi.npy"), checksum("vocabulary.txt"),
                                             model.counts() != nullptr ? checksum("counts.npy") : "");
  write_file(folder / "model.json", [&](std::ostream& out) { out << description; });
  return sha256_hex(description);
}

}  // namespace detail

/// Saves a model as a folder that appears whole or not at all: it is written beside its place under another name, then
/// renamed. Parent folders are created. With `overwrite`, the former folder is put aside, and put back if the new one
/// cannot take its place; if that fails too, it is kept, and the error says where.
///
/// What remains if the program is stopped meanwhile: see whole_files.hpp.
///
/// Throws std::runtime_error (also as std::filesystem::filesystem_error) if the folder exists and must not be
/// overwritten, if it holds files other than a model's, or if something cannot be written; std::invalid_argument as
/// write_vocabulary does.
template <class Real>
void save_model(const std::filesystem::path& folder, const topic_model<Real>& model,
                const save_model_options& options = {}) {
  const std::filesystem::path target = detail::without_slash(folder);
  detail::check_replaceable(target, options.overwrite, {"phi.npy", "vocabulary.txt", "counts.npy", "model.json"});
  write_whole_folder(target, [&](const std::filesystem::path& fresh) { detail::write_model_files(fresh, model); });
}

/// Loads a model that save_model<Real> wrote. Topics and words know again whether they were released; in folders of
/// versions that did not record it, they count as made from documents. Without counts.npy the model has no counts.
/// Throws parse_error with the file and the reason if another file is missing, if one is damaged, of another real type or
/// of a newer format, or if the files do not fit each other.
template <class Real = double>
topic_model<Real> load_model(const std::filesystem::path& folder) {
  const std::filesystem::path json_file = folder / "model.json", phi_file = folder / "phi.npy",
                              vocab_file = folder / "vocabulary.txt";
  const std::string description = read_bytes(json_file);
  auto phi = open_to_read(phi_file);
  auto vocab = open_to_read(vocab_file);
  topic_model<Real> model =
      detail::assemble_model<Real>(description, json_file.string(), phi, phi_file.string(), vocab, vocab_file.string());
  const std::string checksum = detail::parse_model_json(description, json_file.string()).counts_sha256;
  const std::filesystem::path counts_file = folder / "counts.npy";
  if (checksum.empty() || !std::filesystem::exists(counts_file)) return model;  // topics are complete without
  auto counts = open_to_read(counts_file);
  detail::check_sha256(counts, counts_file.string(), checksum);
  const auto rows = read_npy<double>(counts, counts_file.string());
  try {
    return model.with_counts(std::make_shared<const topic_counts>(detail::counts_of(rows, model.topics())));
  } catch (const std::invalid_argument& error) {
    throw parse_error(counts_file.string(), 0, detail::text("expected the counts of the model: ", error.what()));
  }
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/model_folder.ipp>
#endif

#endif
