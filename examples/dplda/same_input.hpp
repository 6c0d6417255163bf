// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_SAME_INPUT_HPP
#define DPLDA_EXAMPLES_DPLDA_SAME_INPUT_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/distributed/process_group.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dplda_program {

// Processes must read the same documents: of different files, a person's document may be two, or none. These throw
// std::runtime_error in all processes where they differ, before anything is spent. They detect mistakes, not attacks.

/// For a file or folder of which each process reads its part: compares the bytes of each part (and what lies close behind
/// it) with those that process 0 finds there. So process 0 looks at all bytes, the others at their own.
void require_same_bytes(const std::filesystem::path& input);

/// For documents that all processes have read, and their groups.
void require_same_documents(const dplda::corpus& docs, const std::vector<std::uint32_t>& groups);

/// A text that tells documents, with their ids, users and groups, from others. Each process gives its own, and the text is
/// that of all together, whichever process has which.
std::string fingerprint_of(const dplda::corpus& docs, const std::vector<std::uint32_t>& groups,
                           const dplda::process_group& all);

}  // namespace dplda_program

#endif
