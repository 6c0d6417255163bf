// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_RELEASE_TEXT_HPP
#define DPLDA_EXAMPLES_DPLDA_RELEASE_TEXT_HPP

#include <dplda/core/topic_model.hpp>
#include <dplda/io/release_record.hpp>

#include <cstddef>
#include <string>

#include "program.hpp"

namespace dplda_program {

/// What the release cost, or why it is not private, in a line.
std::string what_was_spent(const dplda::release_record& record);

/// The topics' `count` most probable words, for machines.
json_value topics_json(const dplda::topic_model<>& model, std::size_t count);
/// The words that say most about each topic, a line for each topic: the most probable ones if lambda is 1, and for less
/// those that are more probable there than elsewhere (relevance, Sievert and Shirley 2014).
std::string topics_text(const dplda::topic_model<>& model, std::size_t count, double lambda = 0.5);

}  // namespace dplda_program

#endif
