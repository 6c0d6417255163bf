// SPDX-License-Identifier: Apache-2.0
#include "language.hpp"

#include <dplda/io/stop_words.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "program.hpp"

#ifdef DPLDA_WITH_ICU
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include <array>
#include <limits>
#include <utility>
#endif
#ifdef DPLDA_WITH_STEMMER
#include <libstemmer.h>
#endif

namespace dplda_program {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

bool has_no_blanks(const std::string& language) { return language == "chinese" || language == "japanese"; }

}  // namespace

std::vector<std::string> known_languages() {
  std::vector<std::string> names;
  for (const std::string_view name : dplda::stop_word_languages()) names.emplace_back(name);
  names.emplace_back("other");
  return names;
}

#ifdef DPLDA_WITH_ICU

namespace {

void require_success(UErrorCode code) {
  if (U_FAILURE(code)) throw std::runtime_error(std::string("ICU failed: ") + u_errorName(code));
}

/// Text in UTF-16, as ICU takes it.
std::u16string utf16(std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() / 20))
    throw std::runtime_error("a document has more than a hundred million bytes, which is more than one may have");
  std::u16string wide(text.size(), u'\0');
  std::int32_t size = 0;
  UErrorCode code = U_ZERO_ERROR;
  u_strFromUTF8(wide.data(), static_cast<std::int32_t>(wide.size()), &size, text.data(),
                static_cast<std::int32_t>(text.size()), &code);
  require_success(code);
  wide.resize(static_cast<std::size_t>(size));
  return wide;
}

/// What `write(buffer, capacity, &code)` writes and gives the size of.
template <class Write>
std::u16string filled(std::size_t guess, Write&& write) {
  std::u16string out(guess, u'\0');
  for (;;) {
    UErrorCode code = U_ZERO_ERROR;
    const auto size = static_cast<std::size_t>(write(out.data(), static_cast<std::int32_t>(out.size()), &code));
    const bool small = code == U_BUFFER_OVERFLOW_ERROR;
    if (!small) require_success(code);
    out.resize(size);
    if (!small) return out;
  }
}

const char* locale_of(const std::string& language) {
  return language == "turkish" ? "tr" : language == "chinese" ? "zh" : language == "japanese" ? "ja" : "";
}

class unicode_cutter {
 public:
  explicit unicode_cutter(std::string language) : locale_(locale_of(language)) {
    UErrorCode code = U_ZERO_ERROR;
    fold_ = unorm2_getNFKCCasefoldInstance(&code);
    breaker_.reset(ubrk_open(UBRK_WORD, locale_, nullptr, 0, &code));
    require_success(code);
  }

  /// One form for all spellings that differ in capitals or in how letters are encoded.
  std::u16string folded(std::string_view text) const {
    std::u16string wide = utf16(text);
    if (std::string_view(locale_) == "tr")  // there I is the capital of the dotless i
      wide = filled(wide.size() + 16, [&](UChar* to, std::int32_t space, UErrorCode* code) {
        return u_strToLower(to, space, wide.data(), static_cast<std::int32_t>(wide.size()), locale_, code);
      });
    return filled(wide.size() + wide.size() / 8 + 16, [&](UChar* to, std::int32_t space, UErrorCode* code) {
      return unorm2_normalize(fold_, wide.data(), static_cast<std::int32_t>(wide.size()), to, space, code);
    });
  }

  template <class Take>
  void cut(std::string_view text, Take&& take) const {
    const std::u16string all = folded(text);
    UErrorCode code = U_ZERO_ERROR;
    ubrk_setText(breaker_.get(), all.data(), static_cast<std::int32_t>(all.size()), &code);
    require_success(code);
    std::string token;
    for (std::int32_t begin = ubrk_first(breaker_.get()), end; (end = ubrk_next(breaker_.get())) != UBRK_DONE;
         begin = end) {
      for (std::int32_t at = begin; at < end;) {
        UChar32 c;
        U16_NEXT(all.data(), at, end, c);
        const bool mark = (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0;
        if (u_isUAlphabetic(c) || (mark && !token.empty())) {
          append(token, c);
        } else {
          pass_on(token, take);
        }
      }
      pass_on(token, take);
    }
  }

 private:
  static void append(std::string& token, UChar32 c) {
    std::array<char, U8_MAX_LENGTH> bytes;
    std::int32_t size = 0;
    U8_APPEND_UNSAFE(bytes.data(), size, c);
    token.append(bytes.data(), static_cast<std::size_t>(size));
  }
  template <class Take>
  static void pass_on(std::string& token, Take& take) {
    if (!token.empty()) take(std::string_view(token));
    token.clear();
  }

  struct closer {
    void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
  };
  const char* locale_;
  const UNormalizer2* fold_ = nullptr;
  std::unique_ptr<UBreakIterator, closer> breaker_;
};

}  // namespace

void check_languages(const std::vector<std::string>& languages) {
  const auto known = known_languages();
  for (const std::string& language : languages) {
    if (language == "auto")
      throw usage_error(
          "--language auto: there is no such choice, because it would be made from private text; name the languages");
    if (std::ranges::find(known, language) == known.end())
      throw usage_error("--language " + language + " is not known; known are " + listed(known) +
                        " (Unicode rules without stop words)");
  }
}

void cut_by_unicode_rules(dplda::tokenizer_options& tokens, const std::vector<std::string>& languages) {
  const auto cutter = std::make_shared<const unicode_cutter>(languages.front());
  std::vector<std::string> stop_words;
  for (const std::string& word : tokens.stop_words)
    cutter->cut(word, [&](std::string_view part) { stop_words.emplace_back(part); });
  tokens.stop_words = std::move(stop_words);
  tokens.cut = [cutter](std::string_view text, const std::function<void(std::string_view)>& take) {
    cutter->cut(text, take);
  };
  if (std::ranges::any_of(languages, has_no_blanks)) tokens.min_length = 2;  // most words have two characters
}

#else

void check_languages(const std::vector<std::string>& languages) {
  if (!languages.empty())
    throw usage_error(
        "--language: this dplda was built without ICU (Debian: libicu-dev), so it has no rules for languages; "
        "--stop-words " +
        languages.front() + " works without it");
}

void cut_by_unicode_rules(dplda::tokenizer_options&, const std::vector<std::string>& languages) {
  check_languages(languages);
}

#endif

#ifdef DPLDA_WITH_STEMMER

namespace {

struct stemmer_closer {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using stemmer_ptr = std::unique_ptr<sb_stemmer, stemmer_closer>;

}  // namespace

void check_stemming(const std::string& language) {
  if (stemmer_ptr(sb_stemmer_new(language.c_str(), "UTF_8")) != nullptr) return;
  std::vector<std::string> names;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) names.emplace_back(*name);
  throw usage_error("--stem " + language + " is not known; known are " + listed(names));
}

void stem(dplda::tokenizer_options& tokens, const std::string& language) {
  const std::shared_ptr<sb_stemmer> stemmer(sb_stemmer_new(language.c_str(), "UTF_8"), stemmer_closer{});
  tokens.filter = [stemmer](std::string& token) {
    const auto* const bytes = reinterpret_cast<const sb_symbol*>(token.data());
    const sb_symbol* const stem_of = sb_stemmer_stem(stemmer.get(), bytes, static_cast<int>(token.size()));
    if (stem_of == nullptr) throw std::bad_alloc();
    token.assign(reinterpret_cast<const char*>(stem_of), static_cast<std::size_t>(sb_stemmer_length(stemmer.get())));
    return !token.empty();
  };
}

#else

void check_stemming(const std::string& language) {
  throw usage_error("--stem " + language + ": this dplda was built without libstemmer (Debian: libstemmer-dev)");
}

void stem(dplda::tokenizer_options&, const std::string& language) { check_stemming(language); }

#endif

}  // namespace dplda_program
