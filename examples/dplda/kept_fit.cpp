// SPDX-License-Identifier: Apache-2.0
#include "kept_fit.hpp"

#include <dplda/io/files.hpp>
#include <dplda/io/sha256.hpp>

#include <cstddef>

#include "processes.hpp"
#include "program.hpp"

namespace dplda_program {

kept_fit::kept_fit(const std::filesystem::path& folder, const std::string& plan) {
  std::string steps = together([&]() -> std::string {
    if (!is_first()) return {};
    from_options([&] { folder_ = std::make_unique<dplda::fit_folder>(folder, plan); });
    booked_ = folder_->booked();
    return folder_->steps() ? std::to_string(*folder_->steps()) : "";
  });
  processes().broadcast(steps, 0);
  processes().broadcast(booked_, 0);
  if (steps.empty()) return;
  const std::string sums = together([&] {
    const std::size_t number = std::stoull(steps);
    found_ = dplda::load_kept_state(folder, number);
    std::string all;
    for (const auto& file : dplda::kept_files(folder, number)) all += dplda::sha256_hex(dplda::read_bytes(file));
    return all;
  });
  require_same_in_all(sums, "checkpoints");
}

void kept_fit::keep_documents(const std::string& documents) {
  together([&] {
    if (folder_ != nullptr) from_options([&] { folder_->keep_documents(documents); });
  });
}

void kept_fit::keep_booked(const std::string& id) {
  booked_ = id;
  if (folder_ != nullptr) folder_->keep_booked(id);
}

void kept_fit::keep(const dplda::private_topics_state& state, const dplda::vocabulary_ptr& words) {
  if (folder_ != nullptr) folder_->keep(state, words);
}

void kept_fit::remove() {
  if (folder_ != nullptr) folder_->remove();
}

}  // namespace dplda_program
