// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_FUZZ_SAME_CORPUS_HPP
#define DPLDA_TESTS_FUZZ_SAME_CORPUS_HPP

#include <dplda/core/corpus.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// Whether two corpora hold the same documents, words and owners.
inline bool same_corpus(const dplda::corpus& a, const dplda::corpus& b) {
  if (a.size() != b.size() || a.tokens() != b.tokens() || !(*a.vocab() == *b.vocab()) ||
      a.has_users() != b.has_users() || a.users() != b.users()) {
    return false;
  }
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (!std::ranges::equal(a[d].words, b[d].words) || !std::ranges::equal(a[d].counts, b[d].counts) ||
        a.user(d) != b.user(d)) {
      return false;
    }
  }
  return true;
}

/// Whether a text holds a number of five digits or more. Without a vocabulary such a number may ask for a million
/// words, which is correct but slow, so fuzzers avoid it.
inline bool has_long_number(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits >= 5) return true;
  }
  return false;
}

/// Aborts if a property does not hold, so that the fuzzer notices.
inline void must(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "broken property: %s\n", property);
  std::abort();
}

#endif
