// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_FIT_FOLDER_IPP
#define DPLDA_IO_DETAIL_FIT_FOLDER_IPP

// Bodies of io/fit_folder.hpp, which has their claim, argument and test.

#include <dplda/io/checkpoint.hpp>
#include <dplda/io/detail/ledger_json.hpp>
#include <dplda/io/detail/locked_file.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/fit_folder.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/sha256.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/io/whole_files.hpp>

#include <algorithm>
#include <charconv>
#include <ostream>
#include <sstream>
#include <system_error>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

inline std::filesystem::path kept_state_folder(const std::filesystem::path& folder, std::size_t steps) {
  return folder / text("state-", steps);
}
inline std::filesystem::path kept_words(const std::filesystem::path& folder) { return folder / "words.txt"; }
inline std::filesystem::path kept_head(const std::filesystem::path& folder) { return folder / "fit.json"; }

/// The number in "state-12"; nothing for other names.
inline std::optional<std::size_t> steps_in(const std::string& name) {
  constexpr std::string_view begin = "state-";
  if (!name.starts_with(begin)) return {};
  std::size_t steps = 0;
  const auto read = std::from_chars(name.data() + begin.size(), name.data() + name.size(), steps);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return {};
  return steps;
}

/// Whether a folder that keeps a fit may have an entry of this name, remains of runs that were killed included.
inline bool is_kept_name(const std::string& name) {
  return name == "fit.json" || name == "fit.json.new" || name == "words.txt" ||
         steps_in(name.substr(0, name.find(".partial"))).has_value();
}

/// Removes what such a folder may have and, if nothing else is in it, the folder.
inline void remove_kept(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::vector<std::filesystem::path> own;
  for (const auto& each : std::filesystem::directory_iterator(folder, ignored))
    if (is_kept_name(each.path().filename().string())) own.push_back(each.path());
  for (const std::filesystem::path& each : own) std::filesystem::remove_all(each, ignored);
  std::filesystem::remove(folder, ignored);
}

inline std::filesystem::path removed_name(std::filesystem::path folder) { return folder += ".removed-fit"; }

}  // namespace detail

struct fit_folder::lock {
  explicit lock(const std::filesystem::path& folder) : held(folder), path(folder) { path += ".lock"; }
  ~lock() { detail::unlink_file(path); }  // whoever waits for it sees that it is gone
  detail::file_lock held;
  std::filesystem::path path;
};

DPLDA_INLINE fit_folder::fit_folder(const std::filesystem::path& folder, std::string_view plan)
    : folder_(detail::without_slash(folder)), plan_(sha256_hex(plan)), lock_(std::make_unique<lock>(folder_)) {
  namespace fs = std::filesystem;
  const fs::path removed = detail::removed_name(folder_);
  detail::remove_kept(removed);  // of a run that was killed in remove()
  detail::require(!fs::exists(removed), "fit_folder", removed.string(), "in the way", "must be moved elsewhere");
  if (fs::exists(detail::kept_head(folder_))) {
    read();
    return;
  }
  fs::create_directories(folder_);
  for (const fs::directory_entry& each : fs::directory_iterator(folder_))
    detail::require(each.path().filename() == "fit.json.new", "fit_folder", folder_.string(), "not empty",
                    "must be empty, or the checkpoint of a fit");
  fs::permissions(folder_, fs::perms::owner_all);
  write_head();
}

DPLDA_INLINE fit_folder::~fit_folder() {
  if (booked_.empty() && !steps_) detail::remove_kept(folder_);  // nothing was spent
}

DPLDA_INLINE void fit_folder::read() {
  namespace fs = std::filesystem;
  const std::string name = detail::kept_head(folder_).string();
  const json_value file = json_value::parse(read_bytes(name), name);
  detail::check_head(file, name, "dplda fit");
  const detail::strict_object top(
      file, name, "the checkpoint",
      {"format", "format_version", "library_version", "plan_sha256", "documents_sha256", "booked"});
  detail::require(
      top.text("plan_sha256") == plan_, "fit_folder", folder_.string(), "the checkpoint of another plan",
      "must be that of this plan: give the options that it was begun with, or, to begin anew, remove it (what "
      "it spent stays spent)");
  booked_ = top.text("booked");
  documents_ = top.text("documents_sha256");
  std::vector<fs::path> remains;  // of runs that were killed
  for (const fs::directory_entry& each : fs::directory_iterator(folder_)) {
    const std::string entry = each.path().filename().string();
    detail::require(detail::is_kept_name(entry), "fit_folder", each.path().string(), "not of the checkpoint",
                    "must be moved elsewhere");
    if (const std::optional<std::size_t> steps = detail::steps_in(entry)) {
      steps_ = std::max(steps_.value_or(0), *steps);
    } else if (entry.find(".partial") != std::string::npos) {
      remains.push_back(each.path());
    }
  }
  if (!steps_) remains.push_back(detail::kept_words(folder_));  // nobody has gone on from these words
  for (const fs::path& each : remains) fs::remove_all(each);
}

DPLDA_INLINE void fit_folder::write_head() const {
  json_value::object members = detail::json_head("dplda fit");
  members.emplace_back("plan_sha256", plan_);
  members.emplace_back("documents_sha256", documents_);
  members.emplace_back("booked", booked_);
  std::ostringstream out;
  detail::write_json(out, std::move(members));
  detail::replace_file(detail::kept_head(folder_), out.view());
}

DPLDA_INLINE void fit_folder::keep_documents(std::string_view documents) {
  const std::string sum = sha256_hex(documents);
  detail::require(
      documents_.empty() || documents_ == sum, "fit_folder", folder_.string(),
      "the checkpoint of a fit of other documents",
      "must be of these documents: give those that it was begun with, or, to begin anew, remove it (what it "
      "spent stays spent)");
  documents_ = sum;
  write_head();
}

DPLDA_INLINE void fit_folder::keep_booked(const std::string& id) {
  booked_ = id;
  write_head();
}

DPLDA_INLINE void fit_folder::keep(const private_topics_state& state, const vocabulary_ptr& words) {
  if (words != nullptr) write_vocabulary(detail::kept_words(folder_), *words);
  save_checkpoint(detail::kept_state_folder(folder_, state.steps()), state);
  if (steps_ && *steps_ != state.steps()) std::filesystem::remove_all(detail::kept_state_folder(folder_, *steps_));
  steps_ = state.steps();
}

DPLDA_INLINE void fit_folder::remove() {
  const std::filesystem::path removed = detail::removed_name(folder_);
  std::filesystem::rename(folder_, removed);  // at once, whenever this process is killed
  detail::remove_kept(removed);
  booked_.clear();
  documents_.clear();
  steps_.reset();
}

DPLDA_INLINE kept_state load_kept_state(const std::filesystem::path& folder, std::size_t steps) {
  const bool chosen = std::filesystem::exists(detail::kept_words(folder));
  return {load_checkpoint(detail::kept_state_folder(folder, steps)),
          chosen ? read_vocabulary(detail::kept_words(folder)) : nullptr};
}

DPLDA_INLINE std::vector<std::filesystem::path> kept_files(const std::filesystem::path& folder, std::size_t steps) {
  std::vector<std::filesystem::path> files = visible_files(detail::kept_state_folder(folder, steps));
  if (std::filesystem::exists(detail::kept_words(folder))) files.push_back(detail::kept_words(folder));
  return files;
}

}  // namespace dplda::inline v0_1

#endif
