// SPDX-License-Identifier: Apache-2.0
#include "kept_fit.hpp"

#include <dplda/io/checkpoint.hpp>
#include <dplda/io/detail/locked_file.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/sha256.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/io/whole_files.hpp>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "processes.hpp"
#include "program.hpp"

namespace dplda_program {

namespace fs = std::filesystem;

struct kept_fit::lock {
  explicit lock(const fs::path& folder) : held(folder), path(folder.string() + ".lock") {}
  ~lock() { dplda::detail::unlink_file(path); }  // whoever waits for it looks whether it is still there
  dplda::detail::file_lock held;
  fs::path path;
};

namespace {

constexpr const char *format = "dplda kept fit", *state_name = "state-", *words_name = "words.txt";

std::string text_of(const json_value& object, const char* key) {
  const json_value* const member = object.find(key);
  const std::string* const text = member == nullptr ? nullptr : member->get_if<std::string>();
  return text == nullptr ? "" : *text;
}

/// The number in "state-12"; nothing for other names.
std::optional<std::size_t> steps_in(const std::string& name) {
  const std::size_t begin = std::string(state_name).size();
  if (!name.starts_with(state_name)) return {};
  std::size_t steps = 0;
  const auto read = std::from_chars(name.data() + begin, name.data() + name.size(), steps);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return {};
  return steps;
}

}  // namespace

kept_fit::kept_fit(const fs::path& folder, const std::string& plan) : folder_(dplda::detail::without_slash(folder)) {
  std::string found = together([&] { return is_first() ? take(plan) : std::string(); });
  processes().broadcast(found, 0);
  booked_ = found.substr(0, found.find(' '));
  if (const std::string steps = found.substr(found.find(' ') + 1); !steps.empty()) steps_ = std::stoull(steps);
  if (!steps_) return;
  const std::string sums = together([&] {
    state_ = dplda::load_checkpoint(state_folder(*steps_));
    std::string all;
    std::vector<fs::path> files = dplda::visible_files(state_folder(*steps_));
    if (fs::exists(folder_ / words_name)) {
      words_ = dplda::read_vocabulary(folder_ / words_name);
      files.push_back(folder_ / words_name);
    }
    for (const fs::path& file : files) all += dplda::sha256_hex(dplda::read_bytes(file));
    return all;
  });
  require_same_in_all(sums, "checkpoints");
}

kept_fit::~kept_fit() = default;

/// By process 0: checks or makes the folder, and says what is in it: the id in the book, a blank, the steps done.
std::string kept_fit::take(const std::string& plan) {
  lock_ = std::make_unique<lock>(folder_);
  plan_ = dplda::sha256_hex(plan);
  fs::remove_all(folder_.string() + ".done");
  if (!fs::exists(head())) {
    fs::create_directories(folder_);
    for (const fs::directory_entry& each : fs::directory_iterator(folder_)) {
      if (each.path().filename() != "fit.json.new")  // of a run that was killed at once
        throw usage_error(folder_.string() + ": is not a checkpoint of a fit, and not empty; name another folder");
    }
    fs::permissions(folder_, fs::perms::owner_all);
    write_head();
    return " ";
  }
  const json_value kept = json_value::parse(dplda::read_bytes(head()), head().string());
  if (text_of(kept, "format") != format)
    throw dplda::parse_error(head().string(), 0, "expected the checkpoint of a fit by this version of dplda");
  if (text_of(kept, "plan_sha256") != plan_)
    throw usage_error(folder_.string() +
                      ": holds a fit with another plan; give the options that it was begun with, or, to begin anew, "
                      "remove the folder: what it spent stays spent");
  booked_ = text_of(kept, "booked");
  std::vector<fs::path> others;
  for (const fs::directory_entry& each : fs::directory_iterator(folder_)) {
    const std::string name = each.path().filename().string();
    const std::optional<std::size_t> steps = steps_in(name);
    if (steps) {
      steps_ = std::max(steps_.value_or(0), *steps);
    } else if (name.find(".partial") != std::string::npos) {
      others.push_back(each.path());
    }
  }
  for (const fs::path& other : others) fs::remove_all(other);
  return booked_ + ' ' + (steps_ ? std::to_string(*steps_) : "");
}

fs::path kept_fit::state_folder(std::size_t steps) const { return folder_ / (state_name + std::to_string(steps)); }

void kept_fit::write_head() const {
  const json_value kept = json_value::object{{"format", format}, {"plan_sha256", plan_}, {"booked", booked_}};
  dplda::detail::replace_file(head(), kept.dump(2) + '\n');
}

void kept_fit::keep_booked(const std::string& id) {
  booked_ = id;
  if (is_first()) write_head();
}

void kept_fit::keep_begun(const dplda::private_topics_state& state, const dplda::vocabulary_ptr& words) {
  if (is_first() && words != nullptr) dplda::write_vocabulary(folder_ / words_name, *words);
  keep(state);
}

void kept_fit::keep(const dplda::private_topics_state& state) {
  if (!is_first()) return;
  dplda::save_checkpoint(state_folder(state.steps()), state);
  if (steps_ && *steps_ != state.steps()) fs::remove_all(state_folder(*steps_));
  steps_ = state.steps();
}

void kept_fit::remove() {
  if (!is_first()) return;
  const fs::path done = folder_.string() + ".done";
  fs::rename(folder_, done);
  fs::remove_all(done);
}

}  // namespace dplda_program
