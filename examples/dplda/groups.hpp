// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_GROUPS_HPP
#define DPLDA_EXAMPLES_DPLDA_GROUPS_HPP

#include <dplda/analysis/prevalence.hpp>
#include <dplda/analysis/private_prevalence.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/io/tables.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "input.hpp"

namespace CLI {
class App;
}

namespace dplda_program {

/// The groups of documents whose shares of topics are measured: where each document says its group, and the public list
/// of those to show. The columns are in input_options.
struct group_options {
  std::string labels;              ///< for inputs that are no tables: the file with the group of each document
  std::string list;                ///< the file with the public list
  std::vector<std::string> named;  ///< the same on the command line
  std::string by, from, to;        ///< periods between two public dates
  bool ordered = false;
};

/// Adds the options, with --group and --time.
void add_group_options(CLI::App& command, group_options& groups, input_options& input);

/// Whether groups are asked for. Throws usage_error if options contradict each other or something is missing.
bool check(const group_options& groups, const input_options& input);

/// Sets the names of the groups, and whether they follow each other. Reads no document. Throws usage_error if there is
/// no such list.
void set_groups(dplda::prevalence_options& options, const group_options& groups);

/// The number of each document's group in the public list; dplda::no_group for documents whose group or date is not in
/// it. How many these are is private. Throws parse_error if a file of labels does not fit the documents.
std::vector<std::uint32_t> group_numbers(const group_options& groups, const dplda::labelled_corpus& found,
                                         const std::vector<std::string>& names);

/// What the report says about the groups.
std::string groups_setting(const group_options& groups);

/// How wide intervals will be, for people.
std::string planned_widths(const dplda::prevalence_plan& plan);

/// The shares, for people.
std::string shares_text(const dplda::prevalence& found, const dplda::topic_model<>& topics);

}  // namespace dplda_program

#endif
