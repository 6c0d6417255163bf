// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"
#include "same_parts.hpp"

#include <dplda/io/table_like.hpp>
#include <dplda/io/tables.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

namespace {

dplda::corpus read(const std::string& table, dplda::table_format format) {
  dplda::text_options options;
  options.tokens.on_invalid_utf8 = dplda::invalid_utf8::separate;
  std::istringstream in(table);
  return dplda::read_table(in, "fuzz", format, {.text = {"text"}, .user = "who"}, options);
}

/// Groups and dates, each written again in one form and read, stay what they are.
void check_labels(const std::string& table, dplda::table_format format) {
  const dplda::table_columns columns{.text = {"text"}, .group = "dept", .time = "when"};
  const dplda::text_options options{.tokens = {.on_invalid_utf8 = dplda::invalid_utf8::separate}};
  must_be_read_in_parts(
      table,
      [&] {
        std::istringstream whole(table);
        return dplda::read_labelled_table(whole, "fuzz", format, columns, options);
      },
      [&](std::istream& stream, const dplda::input_part& part) {
        return dplda::read_table_part(stream, "fuzz", format, columns, part, options);
      });
  std::istringstream in(table);
  dplda::labelled_corpus found;
  try {
    found = dplda::read_labelled_table(in, "fuzz", format, columns, options);
  } catch (const dplda::parse_error&) {
    return;
  }
  must(found.groups.size() == found.docs.size() && found.dates.size() == found.docs.size(), "a label for each row");
  std::string again = "dept\twhen\ttext\n";
  for (std::size_t d = 0; d < found.docs.size(); ++d) {
    const std::uint32_t group = found.groups.of_document[d];
    again += '"';
    if (group != dplda::label_list::none)
      for (const char c : found.groups.labels->word(group)) again.append(c == '"' ? 2 : 1, c);
    again += "\"\t";
    again += to_string(found.dates[d]);
    again += "\t\n";
  }
  std::istringstream second(again);
  const auto same = dplda::read_labelled_table(second, "again", dplda::table_format::tsv, columns, options);
  must(same.dates == found.dates, "dates are stable");
  must(same.groups.of_document == found.groups.of_document && *same.groups.labels == *found.groups.labels,
       "groups are stable");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string table(reinterpret_cast<const char*>(data), size);
  dplda::looks_like_table_or_json(table);
  for (const auto format : {dplda::table_format::csv, dplda::table_format::tsv, dplda::table_format::json_lines}) {
    check_labels(table, format);
    dplda::corpus docs;
    try {
      docs = read(table, format);
    } catch (const dplda::parse_error&) {
      continue;
    }
    // The tokens of each row, written as a table with everything in quotes, give the same corpus.
    std::string again = "\"who\",\"text\"\r\n";
    for (std::size_t d = 0; d < docs.size(); ++d) {
      (again += '"') += std::to_string(docs.user(d)) + "\",\"";
      for (std::size_t n = 0; n < docs[d].size(); ++n)
        for (std::uint32_t c = 0; c < docs[d].counts[n]; ++c) (again += docs.vocab()->word(docs[d].words[n])) += '\n';
      again += "\"\r\n";
    }
    must(same_corpus(docs, read(again, dplda::table_format::csv)), "tokens are stable");
  }
  return 0;
}
