// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_RELEASE_TEXT_HPP
#define DPLDA_EXAMPLES_DPLDA_RELEASE_TEXT_HPP

#include <dplda/core/topic_model.hpp>
#include <dplda/io/ldavis.hpp>
#include <dplda/io/release_record.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "program.hpp"

namespace dplda_program {

/// What the release cost, or why it is not private, in a line.
std::string what_was_spent(const dplda::release_record& record);

/// The topics' `count` most relevant words in their order (dplda::ordered_words), and their names, if they have some.
json_value topics_json(const dplda::topic_model<>& model, std::size_t count, double lambda = dplda::usual_lambda,
                       const std::vector<std::string>& names = {});
/// The same for people, a line for each topic.
std::string topics_text(const dplda::topic_model<>& model, std::size_t count, double lambda = dplda::usual_lambda,
                        const std::vector<std::string>& names = {});

}  // namespace dplda_program

#endif
