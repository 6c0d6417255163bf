// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/release_record.hpp>
#include <dplda/io/sha256.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "booking.hpp"
#include "chosen_words.hpp"
#include "commands.hpp"
#include "engines.hpp"
#include "interrupts.hpp"
#include "release_text.hpp"
#include "weak_paragraphs.hpp"

namespace dplda_program {

namespace {

struct vocabulary_command_options {
  input_options input;
  budget_options spending;
  std::string output = "vocabulary.txt", book;
  bool dry_run = false, force = false, as_json = false;
};

void select_vocabulary(vocabulary_command_options o) {
  check(o.spending, o.input);
  check_unpruned(o.input);
  if (!o.book.empty() && !o.spending.asked_delta)  // half: thresholds use twice the share that they use in a fit
    o.spending.asked_delta = std::min(o.spending.delta(), booked_delta(o.book, o.spending.epsilon, 1) / 2);
  const std::string record_file = o.output + ".release.json";
  const dplda::privacy_unit unit = o.spending.unit_of(o.input);
  if (!o.dry_run) {
    check_writable(o.output, o.force);
    check_writable(record_file, o.force);
    check_exists(o.input);
  }
  progress_display progress(o.as_json);
  const dplda::budget asked{o.spending.epsilon, o.spending.delta()};
  const auto selector_for = [&](const dplda::budget& total) {
    return from_options(
        [&] { return dplda::vocabulary_selector({.unit = unit, .threads = o.spending.threads}, total); });
  };
  const auto selector = selector_for(asked);
  dplda::guarantee claim = selector.guarantee();
  claim.seeded = o.spending.seed.has_value();
  const std::uint64_t known_units = o.spending.known_units();
  std::optional<booking> book;
  if (!o.book.empty())
    book.emplace(o.book, "vocabulary", selector.plan().ledger, asked, o.spending.seed.has_value(),
                 [&](const dplda::budget& other) { return selector_for(other).plan().ledger; });
  if (o.dry_run && o.as_json)
    return print(json_value::object{{"dry_run", true},
                                    {"guarantee", to_json(claim)},
                                    {"weaknesses", list_of(dplda::weaknesses(claim, known_units))},
                                    {"book", book ? book->outlook_json() : json_value(nullptr)}});
  if (book && !o.dry_run) book->check_admitted();
  if (!o.as_json)
    std::cout << "The guarantee, known before any document is read:\n"
              << paragraph(claim) << '\n'
              << what_is_a_document(o.input) << "\n\n"
              << weak_paragraphs(claim, known_units) << (book ? "The budget book:\n" + book->outlook() + '\n' : "");
  if (o.dry_run) {
    std::cout << "This was a dry run: nothing was read and nothing was spent.\n";
    return;
  }
  set_unspent(true);
  progress.phase("reading");
  const dplda::corpus docs = read_corpus(o.input);
  progress.phase("choosing words");
  dplda::random_source random = o.spending.random();
  const std::string booked = book ? book->spend() : "";
  const auto words = selector.fit(docs, random);
  if (book) book->check_spent(words.ledger());
  check_words(words, 1, o.as_json);
  progress.phase("writing");
  std::ostringstream list;
  dplda::write_vocabulary(list, *words.value());
  json_value::object settings{
      {"unit", to_string(unit)},
      {o.spending.stated_units ? dplda::setting::stated_units : dplda::setting::assumed_units, o.spending.units()}};
  add_input_settings(settings, o.input);
  const dplda::release_record record{
      .claim = words.guarantee(),
      .ledger = words.ledger(),
      .details = {.settings = std::move(settings), .command = "dplda vocabulary", .booked = booked},
      .model_sha256 = dplda::sha256_hex(list.str()),
      .words = words.value()->origin()};
  write_outputs({{record_file, to_json(record).dump(2) + '\n'}, {o.output, list.str()}}, o.force);
  progress.done();
  if (o.as_json) {
    json_value result = to_json(record);
    result.set("output", o.output);
    result.set("words", words.value()->size());
    return print(result);
  }
  std::cout << words.value()->size() << " words, written to " << o.output << ", with guarantee and ledger in "
            << record_file << ".\n"
            << what_was_spent(record);
}

}  // namespace

void add_vocabulary(CLI::App& app) {
  const auto o = std::make_shared<vocabulary_command_options>();
  CLI::App* const command = app.add_subcommand("vocabulary", "Choose the words that may be shown, and list them");
  add_input_options(*command, o->input);
  add_unpruned_option(*command, o->input);
  add_budget_options(*command, o->spending);
  command->add_option("-o,--output", o->output, "The file to write")->type_name("FILE");
  add_book_option(*command, o->book);
  command->add_flag("--dry-run", o->dry_run, "Show the guarantee, and read no document");
  command->add_flag("--force", o->force, "Replace the output file");
  command->add_flag("--json", o->as_json, "Print JSON, and no progress");
  command->footer(
      "\nExample:\n  dplda vocabulary letters/ --epsilon 1 --units 20000 -o words.txt\n"
      "\n'dplda fit' does this by itself, from one budget for words and topics. If no word may be shown, nothing is\n"
      "written, the exit code is 3, and the budget still counts as spent.");
  command->callback([o] { select_vocabulary(*o); });
}

}  // namespace dplda_program
