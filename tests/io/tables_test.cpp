// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/encoding_error.hpp>
#include <dplda/io/table_like.hpp>
#include <dplda/io/tables.hpp>
#include <dplda/io/text.hpp>

#include "support/catch.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

using dplda::table_columns;
using dplda::table_format;

dplda::corpus read(const std::string& table, const table_columns& columns, table_format format = table_format::csv) {
  std::istringstream in(table);
  return dplda::read_table(in, "t", format, columns);
}

/// The tokens of each document, sorted, with blanks between them.
std::vector<std::string> texts(const dplda::corpus& docs) {
  std::vector<std::string> all;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    std::string one;
    for (std::size_t n = 0; n < docs[d].size(); ++n)
      for (std::uint32_t c = 0; c < docs[d].counts[n]; ++c)
        one += (one.empty() ? "" : " ") + std::string(docs.vocab()->word(docs[d].words[n]));
    all.push_back(one);
  }
  return all;
}

using list = std::vector<std::string>;

std::string refusal(const std::string& table, const table_columns& columns, table_format format = table_format::csv) {
  try {
    read(table, columns, format);
  } catch (const dplda::parse_error& refused) {
    return refused.what();
  }
  return "read";
}

}  // namespace

TEST_CASE("A row of a table is a document, whatever its cells hold", "[io][tables]") {
  const table_columns text{.text = {"text"}};
  CHECK(texts(read("id,text\n1,the ferry\n2,harbour\n", text)) == list{"ferry the", "harbour"});
  CHECK(texts(read("text,id\nferry,1", text)) == list{"ferry"});
  CHECK(texts(read("\xEF\xBB\xBFtext,id\r\nferry,1\r\n\r\n\r\n", text)) == list{"ferry"});
  CHECK(texts(read("id,text\n1,\"Dear Sir,\n\nthe \"\"ferry\"\", left\"\n2,\"\"\n3,\n", text)) ==
        list{"dear ferry left sir the", "", ""});
  CHECK(texts(read("id;text\n1;ferry, gull\n2;\"gull; ferry\"\n", text)) == list{"ferry gull", "ferry gull"});
  CHECK(texts(read("id;a,b\n1;ferry\n", {.text = {"a,b"}})) == list{"ferry"});
  CHECK(texts(read(" text , id \nferry,1\n", text)) == list{"ferry"});
  CHECK(texts(read("id\ttext\n1\ta 5\" disk\n2\t\"tab\tinside\"\n", text, table_format::tsv)) ==
        list{"disk", "inside tab"});
  CHECK(texts(read("text\nferry\n\ngull\n", text)) == list{"ferry", "", "gull"});
  CHECK(read("id,text\n", text).size() == 0);
  CHECK(texts(read("a,b\nferry,gull\n", {.text = {"b", "a"}})) == list{"ferry gull"});
  CHECK(texts(read("a,b\nhar,bour\n", {.text = {"a", "b"}})) == list{"bour har"});  // columns are not glued together
}

TEST_CASE("A row of a table belongs to its user", "[io][tables]") {
  const table_columns columns{.text = {"text"}, .user = "who"};
  const dplda::corpus docs = read("who,text\nAnn,ferry\nBob,gull\n\"Ann\",harbour\n", columns);
  REQUIRE(docs.has_users());
  CHECK(docs.user(0) == docs.user(2));
  CHECK(docs.user(0) != docs.user(1));
  CHECK_FALSE(read("who,text\nAnn,ferry\n", {.text = {"text"}}).has_users());
  CHECK(refusal("who,text\nAnn,ferry\n,gull\n", columns) == "t:3: row 3, column \"who\": expected a user, found none");
  // Two spellings of one person that look the same would be two users.
  CHECK_THAT(refusal("who,text\nAnn ,ferry\n", columns),
             Catch::Matchers::ContainsSubstring("t:2: row 2, column \"who\": expected a user without"));
  CHECK_THAT(refusal("who,text\n\"Ann\n\",ferry\n", columns),
             Catch::Matchers::ContainsSubstring("found a control character"));
  CHECK_THAT(refusal("who,text\n\xFF,ferry\n", columns),
             Catch::Matchers::ContainsSubstring("expected a user in UTF-8"));
}

TEST_CASE("A table gives a group and a date with each document", "[io][tables][labels]") {
  const table_columns columns{.text = {"text"}, .user = "who", .group = "dept", .time = "when"};
  const auto labelled = [&](const std::string& table, table_format format = table_format::csv) {
    std::istringstream in(table);
    return dplda::read_labelled_table(in, "t", format, columns);
  };
  const std::vector<std::uint32_t> groups = {0, dplda::label_list::none, 1, 0};
  const std::vector<dplda::calendar_date> dates = {{2024, 5, 17}, {2023, 12, 0}, {}, {2024, 5, 1}};
  for (const auto& found :
       {labelled(
            "when,dept,who,text\n2024-05-17,Roads,Ann,ferry\n12.2023,,Bob,gull\n,Parks,Ann,\n1.5.2024,Roads,Bob,tea\n"),
        labelled("{\"when\":\"2024-05-17 08:30\",\"dept\":\"Roads\",\"who\":1,\"text\":\"ferry\"}\n"
                 "{\"when\":\"2023-12\",\"dept\":null,\"who\":2,\"text\":\"gull\"}\n"
                 "{\"when\":null,\"dept\":\"Parks\",\"who\":1,\"text\":\"\"}\n"
                 "{\"when\":\"2024/5/1\",\"dept\":\"Roads\",\"who\":2,\"text\":\"tea\"}\n",
                 table_format::json_lines)}) {
    CHECK(texts(found.docs) == list{"ferry", "gull", "", "tea"});
    CHECK(found.groups.of_document == groups);
    CHECK(found.groups.labels->word(0) == "Roads");
    CHECK(found.groups.labels->word(1) == "Parks");
    CHECK(found.dates == dates);
    CHECK(found.docs.user(2) == 0);
  }
  const auto why = [&](const std::string& rows) { return refusal("who,dept,when,text\n" + rows, columns); };
  CHECK(why("Ann,Roads,2024-05-17,ferry\nAnn,Roads,\"next\nweek\",gull\n") ==
        "t:3: row 3, column \"when\": expected a date such as 2024-05-17, 17.05.2024, 2024-05 or 2024, found "
        "\"next\nweek\"");
  CHECK(
      why("Ann, Roads,2024-05-17,ferry\n") ==
      "t:2: row 2, column \"dept\": expected a group without blanks at the ends, found \" Roads\"; remove the blanks, "
      "or one group counts as two");
  CHECK(refusal("who,text\nAnn,ferry\n", {.text = {"text"}, .group = "dept"}) ==
        "t:1: expected a column \"dept\", found the columns \"who\", \"text\"");
  std::istringstream json("{\"text\": null}");  // a text that is missing is not an empty one
  CHECK_THROWS_AS(dplda::read_table(json, "t", table_format::json_lines, {.text = {"text"}}), dplda::parse_error);
}

TEST_CASE("A byte of a table that is not UTF-8 has its place", "[io][tables]") {
  const table_columns columns{.text = {"a", "text"}, .user = "who"};
  CHECK(refusal("who,a,text\nAnn,x,\"two\nlin\xE4s\"\n", columns) ==
        "t:2: row 2, column \"text\": expected UTF-8, found an invalid byte of value 228, byte 8 of the cell");
  CHECK(refusal("who,a,text\nAnn,\xFF,\xFF\n", columns) ==
        "t:2: row 2, column \"a\": expected UTF-8, found an invalid byte of value 255, byte 1 of the cell");
  std::istringstream user("who,text\n\xFF,ferry\n");
  CHECK_THROWS_AS(dplda::read_table(user, "t", table_format::csv, {.text = {"text"}, .user = "who"}),
                  dplda::encoding_error);
  std::istringstream wide("\xFF\xFEw\0");
  CHECK_THROWS_AS(dplda::read_table(wide, "t", table_format::csv, {.text = {"text"}}), dplda::encoding_error);
}

TEST_CASE("Lines of JSON are documents", "[io][tables]") {
  const table_columns columns{.text = {"text"}, .user = "who"};
  const auto json = table_format::json_lines;
  const dplda::corpus docs =
      read("{\"text\": \"the\\nferry\", \"who\": 7, \"more\": [1]}\n\n{\"who\": \"7\", \"text\": \"gull\"}\n", columns,
           json);
  CHECK(texts(docs) == list{"ferry the", "gull"});
  CHECK(docs.user(0) == docs.user(1));
  CHECK(refusal("{\"text\": \"ferry\", \"who\": 1}\n[]\n", columns, json) == "t:2: expected an object, found an array");
  CHECK(refusal("{\"text\": \"ferry\"}\n", columns, json) == "t:1: expected \"who\", found an object without it");
  CHECK(refusal("{\"text\": null, \"who\": 1}\n", columns, json) ==
        "t:1: \"text\": expected text or a number, found null");
  CHECK_THAT(refusal("{\"text\": \"a\", \"who\": 1}\n{\n", columns, json), Catch::Matchers::StartsWith("t:2:1: "));
}

TEST_CASE("A table that cannot be read says where, and what was expected", "[io][tables]") {
  const table_columns text{.text = {"text"}};
  CHECK(refusal("", text) == "t:1: expected a header with the names of the columns, found the end of the file");
  CHECK(refusal("id,body\n1,ferry\n", text) == "t:1: expected a column \"text\", found the columns \"id\", \"body\"");
  CHECK(refusal("id;body\n1;ferry\n", text) == "t:1: expected a column \"text\", found the columns \"id\", \"body\"");
  CHECK(refusal("text,text\n1,ferry\n", text) == "t:1: expected one column \"text\", found 2");
  CHECK(refusal("id,text\n1,\"two\nlines\"\n2\n", text) == "t:4: row 3, expected 2 cells, as in the header, found 1");
  CHECK(refusal("id,text\n\n1,ferry\n", text) == "t:2: row 2, expected 2 cells, as in the header, found 1");
  CHECK(refusal("id,text\n1,ferry\n2,\"gull\n3,harbour\n", text) ==
        "t:3: row 3, column 2: expected a quote that ends the cell, found the end of the file");
  CHECK_THAT(refusal("id,text\n1,\"ferry\" gull\n", text),
             Catch::Matchers::StartsWith("t:2: row 2, column 2: expected the end of the cell after its quote"));
  CHECK_THAT(refusal(std::string("\xFF\xFEt\0e\0", 6), text), Catch::Matchers::ContainsSubstring("found UTF-16"));
  CHECK_THAT(refusal("id,text\n1,\xC3\n", text), Catch::Matchers::StartsWith("t:2"));
  CHECK_THROWS_AS(read("id,text\n", {.text = {}}), std::invalid_argument);
  CHECK_THROWS_AS(dplda::read_table("letters.txt", text), std::invalid_argument);
  CHECK_THROWS_AS(dplda::read_table("letters.csv.gz", text), std::invalid_argument);
}

TEST_CASE("A table is not read as text", "[io][tables]") {
  // A letter of two lines was two documents, under a guarantee for each document.
  const std::string wrapped = "id,text\n1,\"Dear Sir,\nthe ferry\"\n2,gull\n", json = "{\"text\": \"ferry\"}\n";
  for (const std::string& table : {wrapped, json, std::string("text\nferry\n\"Dear Sir,\nthe gull\"\n")}) {
    std::istringstream in(table), again(table);
    CHECK_THROWS_WITH(dplda::read_text(in, "t"), Catch::Matchers::ContainsSubstring("looks like") &&
                                                     Catch::Matchers::ContainsSubstring("read_table"));
    CHECK(dplda::read_text(again, "t", {.any_lines = true}).size() >= 1);
  }
  const auto opener = [](const std::filesystem::path&) {
    return std::make_unique<std::istringstream>("ferry\ngull\n");
  };
  CHECK_THROWS_WITH(dplda::read_text("letters.csv", {}, nullptr, opener),
                    Catch::Matchers::ContainsSubstring("is a table or JSON"));
  CHECK(dplda::read_text("letters.csv", {.any_lines = true}, nullptr, opener).size() == 2);
  CHECK(dplda::read_text("letters.txt", {}, nullptr, opener).size() == 2);
}

TEST_CASE("A name tells the format of a table", "[io][tables]") {
  CHECK(dplda::table_format_of("a/LETTERS.CSV") == table_format::csv);
  CHECK(dplda::table_format_of("letters.tsv.gz") == table_format::tsv);
  CHECK(dplda::table_format_of("letters.ndjson") == table_format::json_lines);
  CHECK_FALSE(dplda::table_format_of("letters.json"));
  CHECK_FALSE(dplda::table_format_of("csv"));
  CHECK(dplda::named_as_table("letters.json.gz"));
}
