// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_CHECKPOINT_HPP
#define DPLDA_IO_CHECKPOINT_HPP

#include <dplda/core/errors.hpp>
#include <dplda/inference/private_topics/state.hpp>
#include <dplda/io/detail/ledger_json.hpp>

#include <cstdint>
#include <filesystem>

// A private fit between two steps on disk: a folder that holds
//   phi.npy, table.npy   topics x words: the topics so far, and the mean of the tables that were released,
//   words.npy            4 x words: the words' noisy counts as first released and as released with weights, these
//                        weights, and the weights of the table's columns,
//   ledger.json          the noise drawn so far,
//   state.json           steps done, the sizes of the noise, and the noisy gain by public topics.
// All of it was released, but the number of steps also tells when it was saved. If anything but earlier states decided
// that (a clock, an observer that looked at documents), keep the folder as secret as the documents. Otherwise it is no
// more secret than the model will be. A state that was inspected and then abandoned still counts as spent, with the
// whole of its plan. The key is not kept: a resumed fit has a fresh one. What is loaded equals what was saved, bit for
// bit; private_topics::resume refuses a state whose ledger differs from what its plan spends.

namespace dplda::inline v0_1 {

/// Saves a state and replaces an earlier one: the folder appears whole or not at all, as with save_model. Throws
/// std::runtime_error if the folder exists and is not a checkpoint, or if something cannot be written.
void save_checkpoint(const std::filesystem::path& folder, const private_topics_state& state);

namespace detail {

std::uint64_t settings_of(const strict_object& object);

}  // namespace detail

/// Loads a state that save_checkpoint wrote. Throws parse_error with the file and the reason if a file is missing or
/// damaged, or if the files do not fit each other.
private_topics_state load_checkpoint(const std::filesystem::path& folder);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/checkpoint.ipp>
#endif

#endif
