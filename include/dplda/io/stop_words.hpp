// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_STOP_WORDS_HPP
#define DPLDA_IO_STOP_WORDS_HPP

#include <dplda/core/config.hpp>

#include <string>
#include <vector>

namespace dplda::inline v0_1 {

/// English function words of three letters and more (the tokenizer drops shorter ones), with the stems that the
/// tokenizer makes of "don't" and the like. Small on purpose: it leaves out words that carry meaning in some subject.
std::vector<std::string> english_stop_words();

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/stop_words.ipp>
#endif

#endif
