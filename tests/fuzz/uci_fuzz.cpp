// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"
#include "same_parts.hpp"

#include <dplda/io/uci.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

namespace {

// The reader makes a name for each word without a vocabulary, so a fixed one keeps inputs with many words fast.
const dplda::vocabulary_ptr& hundred_words() {
  static const dplda::vocabulary_ptr words = dplda::numbered_vocabulary(100);
  return words;
}

void read(const std::string& text, const dplda::vocabulary_ptr& vocab) {
  must_be_read_in_parts(
      text,
      [&] {
        std::istringstream whole(text);
        return dplda::labelled_corpus{.docs = dplda::read_uci(whole, "fuzz", vocab)};
      },
      [&](std::istream& stream, const dplda::input_part& part) {
        return dplda::read_uci_part(stream, "fuzz", part, vocab);
      });
  std::istringstream in(text);
  dplda::corpus docs;
  try {
    docs = dplda::read_uci(in, "fuzz", vocab);
  } catch (const dplda::parse_error&) {
    return;
  }
  std::ostringstream out;
  dplda::write_uci(out, docs);
  std::istringstream again(out.str());
  must(same_corpus(docs, dplda::read_uci(again, "again", docs.vocab())), "written data read back unchanged");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text, hundred_words());
  const std::size_t line = text.find('\n');
  if (line != std::string::npos && text.find('\n', line + 1) < line + 6) read(text, nullptr);
  return 0;
}
