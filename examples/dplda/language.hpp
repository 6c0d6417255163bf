// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_LANGUAGE_HPP
#define DPLDA_EXAMPLES_DPLDA_LANGUAGE_HPP

#include <dplda/io/tokenizer.hpp>

#include <string>
#include <vector>

namespace dplda_program {

/// Which languages --language takes: those with a list of stop words, and "other".
std::vector<std::string> known_languages();

/// Throws usage_error if a language is unknown, or if the program was built without ICU.
void check_languages(const std::vector<std::string>& languages);

/// Cuts text by the rules of Unicode, for the first of the languages: words as ICU's word breaker finds them (for Chinese
/// and Japanese by its dictionary), cut to runs of letters, in one form and with capitals folded (NFKC_Casefold). The
/// options' stop words are brought into that form. Precondition: check_languages(languages).
void cut_by_unicode_rules(dplda::tokenizer_options& tokens, const std::vector<std::string>& languages);

/// Throws usage_error if libstemmer does not know the language, or if the program was built without it.
void check_stemming(const std::string& language);

/// Reduces words to their stems, after stop words are dropped. Precondition: check_stemming(language).
void stem(dplda::tokenizer_options& tokens, const std::string& language);

}  // namespace dplda_program

#endif
