// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_DISTRIBUTED_OWN_PART_HPP
#define DPLDA_DISTRIBUTED_OWN_PART_HPP

// Which documents of a corpus a process of a group works on. Together the processes have each document once. Which one
// has it changes no result: ids and user numbers stay, and sums are exact.

#include <dplda/core/corpus.hpp>
#include <dplda/distributed/process_group.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1 {

/// The positions of this process's documents, ascending: a run of documents or, if `by_user`, all documents of a run of
/// users. Runs have about equally many entries.
std::vector<std::size_t> own_documents(const corpus& docs, bool by_user, const process_group& processes);

/// These documents. A process that is alone has all.
corpus own_part(const corpus& docs, bool by_user, const process_group& processes);

/// Where processes have read parts of a corpus, with users numbered as in the whole (in_whole): all documents of this
/// process's users, a run of users as above, in the order of the processes. `labels` has a number for each document, or none.
/// All documents travel to all processes once, in pieces.
corpus users_together(const corpus& part, std::vector<std::uint32_t>& labels, const process_group& processes);

/// The words of the vocabularies of all processes, each once: those of process 0 in their order, then those of process 1
/// that are new, and so on. All processes must hold all words. They travel once each.
vocabulary_ptr words_of_all(const vocabulary_ptr& own, const process_group& processes);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/distributed/detail/own_part.ipp>
#endif

#endif
