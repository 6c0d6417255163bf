// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/prevalence_file.hpp>
#include <dplda/analysis/private_prevalence.hpp>
#include <dplda/io/release_folder.hpp>
#include <dplda/report/report.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "groups.hpp"
#include "interrupts.hpp"
#include "measurement.hpp"
#include "unit_of_topics.hpp"

namespace dplda_program {

namespace {

struct prevalence_command_options {
  input_options input;
  budget_options spending{.epsilon = 0.5};
  group_options groups;
  std::string topics, part, output = "prevalence", book;
  bool dry_run = false, force = false, as_json = false;
};

/// Throws usage_error unless the topics cover the documents: all, or those of the part that was declared.
void check_part(const prevalence_command_options& o, const dplda::guarantee& topics) {
  if (o.part == topics.part) return;
  if (topics.part.empty())
    throw usage_error("the topics are not of one part of the data that was declared disjoint; leave out --part");
  throw usage_error(
      "the topics are for one part of the data, and leave out what earlier parts cost. If all documents "
      "are of that part, say so with --part '" +
      topics.part + "'");
}

void measure(prevalence_command_options o) {
  cut_as_released(o.input, o.topics);
  check(o.spending, o.input);
  check_unpruned(o.input);
  const bool grouped = check(o.groups, o.input);
  take_delta_of(o.book, o.spending);
  const std::string json_file = o.output + ".json", table = o.output + ".csv", page = o.output + ".html";
  if (!o.dry_run) {
    for (const std::string& file : {json_file, table, page}) check_writable(file, o.force);
    check_exists(o.input);
  }
  const dplda::saved_release topics = dplda::load_release(o.topics);
  const dplda::release_record record = dplda::read_release_record(o.topics);
  check_part(o, topics.topics.guarantee());
  dplda::prevalence_options options{.units = o.spending.units(),
                                    .unit = unit_of_topics(topics.topics.guarantee(), o.spending, o.input),
                                    .relation = topics.topics.guarantee().relation,
                                    .part = o.part,
                                    .threads = o.spending.threads};
  if (grouped) set_groups(options, o.groups);
  const auto engine_for = [&](const dplda::budget& added) {
    return from_options([&] { return dplda::private_prevalence(topics.topics, options, added); });
  };
  const auto engine = engine_for({o.spending.epsilon, o.spending.delta()});
  measurement costs({.what = "prevalence",
                     .own = engine.own(),
                     .together = engine.guarantee(),
                     .ledger = engine.plan().ledger(),
                     .with_budget = [&](const dplda::budget& other) { return engine_for(other).plan().ledger(); },
                     .figures = {{"noise", engine.plan().sums().noise()}, {"least_units", engine.plan().least_units()}},
                     .widths = planned_widths(engine.plan())},
                    o.book, o.spending);
  if (!costs.announce(o.dry_run, o.as_json)) return;
  progress_display progress(o.as_json);
  set_unspent(true);
  progress.phase("reading");
  const dplda::labelled_corpus found = read_labelled_corpus(o.input, topics.topics.value().vocab());
  std::vector<std::uint32_t> numbers;
  if (grouped) numbers = group_numbers(o.groups, found, options.groups);
  progress.phase("measuring");
  dplda::random_source random = o.spending.random();
  const std::string booked = costs.spend();
  const auto measured = engine.fit(found.docs, numbers, random);
  costs.check_spent(engine.plan().ledger());
  progress.phase("writing");
  json_value::object settings = costs.settings();
  settings.emplace_back("groups", grouped ? groups_setting(o.groups) : "none");
  add_input_settings(settings, o.input);
  const json_value file = prevalence_json(measured, {.own = costs.plan().own,
                                                     .model_sha256 = record.model_sha256,
                                                     .settings = std::move(settings),
                                                     .booked = booked});
  dplda::report_content content = dplda::report_content_of(topics.topics.value(), record);
  add_prevalence(content, measured);
  write_outputs({{json_file, file.dump(2) + '\n'},
                 {table, dplda::prevalence_csv(measured.value())},
                 {page, dplda::report_html(content)}},
                o.force);
  progress.done();
  if (o.as_json) return print(file);
  std::cout << shares_text(measured.value(), topics.topics.value()) << '\n'
            << seeded_warning(o.spending) << "Written to " << json_file << ", " << table << " and " << page << ".\n";
}

}  // namespace

void add_prevalence(CLI::App& app) {
  const auto o = std::make_shared<prevalence_command_options>();
  CLI::App* const command =
      app.add_subcommand("prevalence", "Measure how large topics are, in all documents or in groups, privately");
  command->add_option("TOPICS", o->topics, "A folder that dplda fit wrote")->required();
  add_input_options(*command, o->input);
  add_unpruned_option(*command, o->input);
  add_group_options(*command, o->groups, o->input);
  command
      ->add_option("--part", o->part,
                   "For topics of dplda update --disjoint RULE: the same RULE, by which you declare that all documents "
                   "(or users) are of that part, and none of an earlier one. Taken on your word")
      ->type_name("RULE")
      ->group("Privacy");
  add_budget_options(*command, o->spending);
  add_book_option(*command, o->book);
  command->add_option("-o,--output", o->output, "What to write: NAME.json, NAME.csv and NAME.html")->type_name("NAME");
  command->add_flag("--dry-run", o->dry_run, "Show the cost and the planned width of intervals, and read no document");
  command->add_flag("--force", o->force, "Replace the output files");
  command->add_flag("--json", o->as_json, "Print JSON, and no progress");
  command->footer(
      "\nExamples:\n  dplda prevalence topics letters/ --epsilon 0.1 --units 20000\n"
      "  dplda prevalence topics letters.csv --text Letter --time Date --by month --from 2024-01 --to 2024-12\n"
      "  dplda prevalence topics letters.csv --text Letter --group Department --group-names Roads,Schools,Parks\n"
      "  dplda prevalence topics letters.txt --labels months-of-letters.txt --groups months.txt --ordered \\\n"
      "    --epsilon 0.5 --units 20000 --book letters.book -o months\n"
      "\nEach document (or user, if the topics protect users) counts once, however long it is. --epsilon is what is\n"
      "added to the cost of the topics. The JSON and the page have the guarantee of both together.");
  command->callback([o] { measure(*o); });
}

}  // namespace dplda_program
