// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_MODEL_FOLDER_HPP
#define DPLDA_IO_MODEL_FOLDER_HPP

#include <dplda/core/topic_model.hpp>
#include <dplda/io/detail/files.hpp>
#include <dplda/io/detail/json.hpp>
#include <dplda/io/detail/sha256.hpp>
#include <dplda/io/npy.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/version.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <istream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

// A topic model on disk: a folder that holds
//   phi.npy          the topics (topics x words), which NumPy opens,
//   vocabulary.txt   a word on each line,
//   model.json       sizes, type, prior, versions, and the SHA-256 of the two files and of itself.
// What is loaded equals what was saved, bit for bit. The checksums find damage; they do not prove who wrote the folder.

namespace dplda {

struct save_model_options {
  bool overwrite = false;  ///< replace a model folder of the same name
};

namespace detail {

inline constexpr std::string_view model_format = "dplda topic model";
inline constexpr int model_format_version = 1;

template <class Real>
inline constexpr const char* real_name = std::is_same_v<Real, float> ? "float32" : "float64";

/// The SHA-256 of model.json: of its members without "checksum", on one line.
inline std::string model_checksum(json::object members) {
  std::erase_if(members, [](const json::member& m) { return m.first == "checksum"; });
  return sha256_hex(json(std::move(members)).dump());
}

template <class Real>
std::string model_json(const topic_model<Real>& model, const std::string& phi_sha256,
                       const std::string& vocabulary_sha256) {
  json alpha = nullptr;
  if (model.alpha().size() > 0) alpha = json::array(model.alpha().begin(), model.alpha().end());
  json::object members = {{"format", std::string(model_format)},
                          {"format_version", model_format_version},
                          {"library_version", version_string},
                          {"topics", model.topics()},
                          {"words", model.words()},
                          {"real", real_name<Real>},
                          {"alpha", std::move(alpha)},
                          {"sha256", json::object{{"phi.npy", phi_sha256}, {"vocabulary.txt", vocabulary_sha256}}}};
  members.emplace_back("checksum", model_checksum(members));
  return json(std::move(members)).dump(2) + '\n';
}

/// What model.json says, checked as far as it can be without the other files.
struct model_description {
  std::size_t topics = 0;
  std::size_t words = 0;
  std::string real;
  Eigen::VectorXd alpha;
  std::string phi_sha256;
  std::string vocabulary_sha256;
};

inline model_description parse_model_json(std::string_view text_of_file, const std::string& name) {
  const json file = json::parse(text_of_file, name);
  const auto refuse = [&](const auto&... expected) { throw parse_error(name, 0, text("expected ", expected...)); };
  const auto member = [&](const json& in, const char* key) -> const json& {
    const json* found = in.find(key);
    if (found == nullptr) refuse("a member \"", key, "\"");
    return *found;
  };
  const auto string = [&](const json& in, const char* key) {
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
  if (string(file, "checksum") != model_checksum(*file.get_if<json::object>()))
    refuse("the text that the checksum was made of");

  model_description model;
  model.topics = count("topics");
  model.words = count("words");
  model.real = string(file, "real");
  if (const json& alpha = member(file, "alpha"); !alpha.is_null()) {
    const auto* values = alpha.get_if<json::array>();
    if (values == nullptr || values->size() != model.topics) refuse("null or a number for each topic as \"alpha\"");
    model.alpha.resize(static_cast<Eigen::Index>(values->size()));
    for (std::size_t k = 0; k < values->size(); ++k) {
      const auto* value = (*values)[k].get_if<double>();
      if (value == nullptr) refuse("numbers as \"alpha\"");
      model.alpha[static_cast<Eigen::Index>(k)] = *value;
    }
  }
  model.phi_sha256 = string(member(file, "sha256"), "phi.npy");
  model.vocabulary_sha256 = string(member(file, "sha256"), "vocabulary.txt");
  return model;
}

/// Throws parse_error unless the stream has this checksum; leaves it at its beginning.
inline void check_sha256(std::istream& in, const std::string& name, const std::string& expected) {
  if (sha256_hex(in) != expected) throw parse_error(name, 0, "expected the bytes that model.json has the checksum of");
  in.clear();
  in.seekg(0);
}

/// Puts a model together from its three files; the names stand for them in messages.
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
    return topic_model<Real>(std::move(matrix), words, description.alpha);
  } catch (const std::invalid_argument& error) {
    throw parse_error(json_name, 0, text("expected a topic model, found one of which ", error.what()));
  }
}

/// A new, empty folder beside `target`, removed with all that is in it unless it is renamed or kept.
class folder_beside {
 public:
  explicit folder_beside(const std::filesystem::path& target) {
    if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path());
    for (int n = 0; path_.empty(); ++n) {
      std::filesystem::path candidate = target;
      candidate += ".partial" + std::to_string(n);
      if (std::filesystem::create_directory(candidate)) path_ = std::move(candidate);
    }
  }
  folder_beside(const folder_beside&) = delete;
  folder_beside& operator=(const folder_beside&) = delete;
  ~folder_beside() {
    if (kept_) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const noexcept { return path_; }
  void keep() noexcept { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

/// Whether there is nothing in a folder but the files of a model.
inline bool holds_only_a_model(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) return false;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const auto name = file.path().filename();
    if (name != "phi.npy" && name != "vocabulary.txt" && name != "model.json") return false;
  }
  return true;
}

/// Puts the folder `fresh` in the place of the folder `target`, which is removed. rename(from, to, error_code) is
/// std::filesystem::rename, or what a test has in its place. Throws std::runtime_error if that fails: `target` is then
/// as it was or, where it cannot be put back, stays under the name that the error gives.
template <class Rename>
void replace_folder(const std::filesystem::path& fresh, const std::filesystem::path& target, Rename&& rename) {
  using std::filesystem::filesystem_error;
  folder_beside former(target);
  std::error_code failure;
  std::filesystem::remove(former.path(), failure);  // Windows renames no folder onto another, not even an empty one
  rename(target, former.path(), failure);
  if (failure) throw filesystem_error("the former folder cannot be put aside", target, former.path(), failure);
  rename(fresh, target, failure);
  if (!failure) return;
  former.keep();  // the one copy of the former folder; nothing is there once it is put back
  std::error_code stuck;
  rename(former.path(), target, stuck);
  if (!stuck) throw filesystem_error("the new folder cannot be put in place", fresh, target, failure);
  throw std::runtime_error(text(target.string(), ": the new folder cannot be put in place (", failure.message(),
                                "), nor the former one put back (", stuck.message(), "), which is kept as ",
                                former.path().string()));
}

}  // namespace detail

/// Saves a model as a folder, which appears whole or not at all: it is written under another name beside and then
/// renamed. Folders on the way to it are made. With `overwrite`, the former folder is put aside, and back again if the
/// new one cannot take its place; if that fails too, it is kept, and the error says where.
///
/// Saving is atomic against interruption, not against power loss: nothing makes the system write its buffers to the
/// disk. A program that is stopped leaves no half model under this name; it may leave a folder `<name>.partial<number>`
/// beside it which, if it was stopped between the two renames of an overwrite, holds the former model.
///
/// Throws std::runtime_error (also as std::filesystem::filesystem_error) if the folder exists and is not to be
/// overwritten, if it holds other files than a model's, or if something cannot be written; std::invalid_argument as
/// write_vocabulary does.
template <class Real>
void save_model(const std::filesystem::path& folder, const topic_model<Real>& model,
                const save_model_options& options = {}) {
  namespace fs = std::filesystem;
  fs::path target = folder.lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  const bool replaces = fs::exists(target);
  if (replaces && !options.overwrite) throw std::runtime_error(target.string() + ": the folder exists already");
  if (replaces && !detail::holds_only_a_model(target)) {
    throw std::runtime_error(target.string() +
                             ": this is no model folder, or holds other files too, and is not overwritten");
  }
  const detail::folder_beside fresh(target);
  write_npy(fresh.path() / "phi.npy", model.phi());
  write_vocabulary(fresh.path() / "vocabulary.txt", *model.vocab());
  // Windows renames no folder in which a file is open.
  const auto checksum = [&](const char* name) {
    auto file = detail::open_to_read(fresh.path() / name);
    return detail::sha256_hex(file);
  };
  const std::string description = detail::model_json(model, checksum("phi.npy"), checksum("vocabulary.txt"));
  detail::write_file(fresh.path() / "model.json", [&](std::ostream& out) { out << description; });
  if (!replaces) {
    fs::rename(fresh.path(), target);
    return;
  }
  detail::replace_folder(fresh.path(), target, [](const fs::path& from, const fs::path& to, std::error_code& failure) {
    fs::rename(from, to, failure);
  });
}

/// Loads a model that save_model<Real> wrote. Throws parse_error with the file and the reason if a file is missing,
/// damaged, of another real type or of a newer format, or if the files do not fit each other.
template <class Real = double>
topic_model<Real> load_model(const std::filesystem::path& folder) {
  const std::filesystem::path json_file = folder / "model.json", phi_file = folder / "phi.npy",
                              vocab_file = folder / "vocabulary.txt";
  const std::string description = detail::read_bytes(json_file);
  auto phi = detail::open_to_read(phi_file);
  auto vocab = detail::open_to_read(vocab_file);
  return detail::assemble_model<Real>(description, json_file.string(), phi, phi_file.string(), vocab,
                                      vocab_file.string());
}

}  // namespace dplda

#endif
