// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_CHECKPOINT_IPP
#define DPLDA_IO_DETAIL_CHECKPOINT_IPP

// Bodies of io/checkpoint.hpp.

#include <dplda/io/checkpoint.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/npy.hpp>

#include <Eigen/Core>

#include <charconv>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE void save_checkpoint(const std::filesystem::path& folder, const private_topics_state& state) {
  namespace fs = std::filesystem;
  fs::path target = folder.lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  const bool replaces = fs::exists(target);
  if (replaces && !fs::exists(target / "state.json"))
    throw std::runtime_error(target.string() +
                             ": not overwritten, because it is not a checkpoint; choose another folder");
  const private_topics_state::parts parts = state.get();
  const detail::folder_beside fresh(target);
  write_npy(fresh.path() / "phi.npy", parts.phi);
  write_npy(fresh.path() / "table.npy", parts.table);
  Eigen::MatrixXd words(4, parts.background.size());
  words << parts.background.transpose(), parts.weighted_background.transpose(), parts.background_weights.transpose(),
      parts.word_weights.transpose();
  write_npy(fresh.path() / "words.npy", words);
  write_ledger(fresh.path() / "ledger.json", parts.ledger);
  json_value::object members = detail::json_head("dplda checkpoint");
  members.emplace_back("settings", detail::text(parts.settings));
  members.emplace_back("steps", whole_number(parts.steps));
  members.emplace_back("table_variance", parts.table_variance);
  members.emplace_back("background_noise", parts.background_noise);
  members.emplace_back("weighted_noise", parts.weighted_noise);
  members.emplace_back("gain", parts.gain);
  write_file(fresh.path() / "state.json", [&](std::ostream& out) { detail::write_json(out, std::move(members)); });
  const auto rename = [](const fs::path& from, const fs::path& to, std::error_code& failure) {
    fs::rename(from, to, failure);
  };
  if (replaces) return detail::replace_folder(fresh.path(), target, rename);
  fs::rename(fresh.path(), target);
}

namespace detail {

DPLDA_INLINE std::uint64_t settings_of(const strict_object& object) {
  const std::string& digits = object.text("settings");
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) object.refuse("digits as \"settings\"");
  return value;
}

}  // namespace detail

DPLDA_INLINE private_topics_state load_checkpoint(const std::filesystem::path& folder) {
  const std::string name = (folder / "state.json").string();
  const json_value file = json_value::parse(read_bytes(folder / "state.json"), name);
  detail::check_head(file, name, "dplda checkpoint");
  const detail::strict_object top(file, name, "the checkpoint",
                                  {"format", "format_version", "library_version", "settings", "steps", "table_variance",
                                   "background_noise", "weighted_noise", "gain"});
  const auto words = read_npy(folder / "words.npy");
  if (words.rows() != 4)
    throw parse_error((folder / "words.npy").string(), 0, detail::text("expected 4 rows, found ", words.rows()));
  try {
    return private_topics_state({read_npy(folder / "phi.npy"), read_npy(folder / "table.npy"),
                                 top.number("table_variance"), words.row(0), top.number("background_noise"),
                                 words.row(1), top.number("weighted_noise"), words.row(2), words.row(3),
                                 top.number("gain"), detail::settings_of(top),
                                 static_cast<std::size_t>(top.whole("steps")), read_ledger(folder / "ledger.json")});
  } catch (const std::invalid_argument& error) {
    throw parse_error(folder.string(), 0, detail::text("expected a valid checkpoint: ", error.what()));
  }
}

}  // namespace dplda::inline v0_1

#endif
