// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/prevalence_file.hpp>
#include <dplda/analysis/private_prevalence.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/io/release_folder.hpp>
#include <dplda/io/users.hpp>
#include <dplda/report/report.hpp>

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "booking.hpp"
#include "commands.hpp"
#include "engines.hpp"
#include "interrupts.hpp"
#include "weak_paragraphs.hpp"

namespace dplda_program {

namespace {

struct prevalence_command_options {
  input_options input;
  budget_options spending{.epsilon = 0.5};
  std::string topics, labels, groups, part, output = "prevalence", book;
  bool ordered = false, dry_run = false, force = false, as_json = false;
};

void check_files(const prevalence_command_options& o) {
  if (o.labels.empty() != o.groups.empty())
    throw usage_error(
        "--labels, the group of each document, and --groups, the public list of groups, go together: which groups "
        "there "
        "are must not be read off the documents");
  if (o.ordered && o.groups.empty()) throw usage_error("--ordered is for groups; give --labels and --groups");
}

/// The unit of the topics: losses of different units do not add up. Throws usage_error if another one was asked for, or
/// if the input does not tell users.
dplda::privacy_unit unit_of(const prevalence_command_options& o, const dplda::guarantee& topics) {
  if (o.spending.unit != "auto" && o.spending.unit != to_string(topics.unit))
    throw usage_error("--unit is " + o.spending.unit + ", but the topics protect each " + to_string(topics.unit) +
                      "; leave it out");
  if (topics.unit == dplda::privacy_unit::user && !o.input.has_users())
    throw usage_error("the topics protect each user, so say who wrote each document (--user, --users)");
  return topics.unit;
}

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

/// The number of each document's group in the public list; dplda::no_group for labels that are not in it.
std::vector<std::uint32_t> group_numbers(const dplda::user_list& labels, const dplda::vocabulary& groups) {
  std::vector<std::uint32_t> numbers;
  for (const dplda::user_id label : labels.of_document)
    numbers.push_back(groups.find(labels.labels->word(label)).value_or(dplda::no_group));
  return numbers;
}

std::string planned_widths(const dplda::prevalence_plan& plan) {
  std::ostringstream text;
  const std::string unit = to_string(plan.options().unit);
  text << paragraph("In a group of fewer than about ", number(std::ceil(plan.least_units()), 2), ' ', unit,
                    "s nothing can be told. From noise alone, the 95 % interval of a share of 5 % reaches so many "
                    "percentage points to each side:");
  for (const double units : {100., 1000., 10000.}) {
    const double half = plan.half_width(units, 0.05);
    text << "  a group of " << number(units, 6) << ' ' << unit
         << "s: " << (half < 1 ? number(100 * half, 2) : "too few to tell") << '\n';
  }
  return text.str();
}

void show(const dplda::prevalence& found, const dplda::topic_model<>& topics) {
  const auto percent = [](double x) { return number(100 * x, 3); };
  for (std::size_t g = 0; g < found.groups(); ++g) {
    std::cout << (g > 0 ? "\n" : "") << found.get().groups[g];
    if (!found.tells(g)) {
      std::cout << ": too few to tell\n";
      continue;
    }
    std::cout << ", about " << dplda::rounded_count(static_cast<std::uint64_t>(found.units(g))) << ":\n";
    for (std::size_t k = 0; k < found.topics(); ++k) {
      const dplda::share_interval noise = found.noise_interval(g, k), both = found.interval(g, k);
      std::cout << "  topic " << k << ": " << percent(found.share(g, k)) << " % (here " << percent(noise.low) << " to "
                << percent(noise.high) << ", in general " << percent(both.low) << " to " << percent(both.high) << ")";
      for (const auto& w : top_words(topics, k, 4)) std::cout << ' ' << topics.vocab()->word(w.word);
      std::cout << '\n';
    }
  }
}

void measure(prevalence_command_options o) {
  check(o.spending, o.input);
  check_unpruned(o.input);
  check_files(o);
  if (!o.book.empty() && !o.spending.asked_delta)
    o.spending.asked_delta = booked_delta(o.book, o.spending.epsilon, o.spending.delta());
  const std::string json_file = o.output + ".json", table = o.output + ".csv", page = o.output + ".html";
  if (!o.dry_run) {
    for (const std::string& file : {json_file, table, page}) check_writable(file, o.force);
    check_exists(o.input);
  }
  const dplda::saved_release topics = dplda::load_release(o.topics);
  const dplda::release_record record = dplda::read_release_record(o.topics);
  check_part(o, topics.topics.guarantee());
  dplda::prevalence_options options{.ordered = o.ordered,
                                    .units = o.spending.units(),
                                    .unit = unit_of(o, topics.topics.guarantee()),
                                    .relation = topics.topics.guarantee().relation,
                                    .part = o.part,
                                    .threads = o.spending.threads};
  dplda::vocabulary_ptr groups;
  if (!o.groups.empty()) {
    groups = dplda::read_users(o.groups).labels;
    options.groups.clear();
    for (dplda::word_id g = 0; g < groups->size(); ++g) options.groups.emplace_back(groups->word(g));
  }
  const dplda::budget asked{o.spending.epsilon, o.spending.delta()};
  const auto engine_for = [&](const dplda::budget& added) {
    return from_options([&] { return dplda::private_prevalence(topics.topics, options, added); });
  };
  const auto engine = engine_for(asked);
  const bool seeded = o.spending.seed.has_value();
  dplda::guarantee own = engine.own();
  own.seeded = seeded;
  std::optional<booking> book;
  if (!o.book.empty())
    book.emplace(o.book, "prevalence", engine.plan().ledger(), asked, seeded,
                 [&](const dplda::budget& other) { return engine_for(other).plan().ledger(); });
  if (o.dry_run && o.as_json)
    return print(json_value::object{{"dry_run", true},
                                    {"own_guarantee", to_json(own)},
                                    {"guarantee", to_json(engine.guarantee())},
                                    {"noise", engine.plan().sums().noise()},
                                    {"least_units", engine.plan().least_units()},
                                    {"book", book ? book->outlook_json() : json_value(nullptr)}});
  if (book && !o.dry_run) book->check_admitted();
  if (!o.as_json)
    std::cout << "What it costs beside the topics, known before any document is read:\n"
              << paragraph(own) << "\nTogether with the topics:\n"
              << paragraph(engine.guarantee()) << '\n'
              << weak_paragraphs(engine.guarantee(), o.spending.known_units())
              << (book ? "The budget book:\n" + book->outlook() + '\n' : "") << planned_widths(engine.plan()) << '\n';
  if (o.dry_run) {
    std::cout << "This was a dry run: nothing was read and nothing was spent.\n";
    return;
  }
  progress_display progress(o.as_json);
  set_unspent(true);
  progress.phase("reading");
  const dplda::corpus docs = read_corpus(o.input, topics.topics.value().vocab());
  std::vector<std::uint32_t> numbers;
  if (groups) numbers = group_numbers(dplda::read_users(o.labels), *groups);
  if (groups && numbers.size() != docs.size())
    throw dplda::parse_error(o.labels, 0,
                             "must have a line for each of the " + std::to_string(docs.size()) +
                                 " documents, but has " + std::to_string(numbers.size()));
  progress.phase("measuring");
  dplda::random_source random = o.spending.random();
  const std::string booked = book ? book->spend() : "";
  const auto measured = engine.fit(docs, numbers, random);
  if (book) book->check_spent(engine.plan().ledger());
  progress.phase("writing");
  json_value::object settings{
      {"epsilon (added)", o.spending.epsilon},
      {"delta (added)", o.spending.delta()},
      {o.spending.stated_units ? dplda::setting::stated_units : dplda::setting::assumed_units, o.spending.units()},
      {"groups", groups ? "a public list, taken on your word" : "none"}};
  add_input_settings(settings, o.input);
  const json_value file = prevalence_json(
      measured, {.own = own, .model_sha256 = record.model_sha256, .settings = std::move(settings), .booked = booked});
  dplda::report_content content = dplda::report_content_of(topics.topics.value(), record);
  add_prevalence(content, measured);
  write_outputs({{json_file, file.dump(2) + '\n'},
                 {table, dplda::prevalence_csv(measured.value())},
                 {page, dplda::report_html(content)}},
                o.force);
  progress.done();
  if (o.as_json) return print(file);
  show(measured.value(), topics.topics.value());
  std::cout << '\n'
            << (seeded ? "NOT PRIVATE: the noise came from a known seed. For experiments only.\n" : "") << "Written to "
            << json_file << ", " << table << " and " << page << ".\n";
}

}  // namespace

void add_prevalence(CLI::App& app) {
  const auto o = std::make_shared<prevalence_command_options>();
  CLI::App* const command =
      app.add_subcommand("prevalence", "Measure how large topics are, in all documents or in groups, privately");
  command->add_option("TOPICS", o->topics, "A folder that dplda fit wrote")->required();
  add_input_options(*command, o->input);
  add_unpruned_option(*command, o->input);
  command
      ->add_option(
          "--labels", o->labels,
          "A file with the group of each document (its month, its department), one on each line. As private as "
          "the documents. Documents whose group is not in --groups do not count")
      ->type_name("FILE")
      ->group("Groups");
  command
      ->add_option("--groups", o->groups,
                   "A file with the groups to show, one on each line. The list is published as it is: it must be "
                   "public, such as the months of a year, and not read off the documents")
      ->type_name("FILE")
      ->group("Groups");
  command->add_flag("--ordered", o->ordered, "The groups follow each other, as months do: draw lines")->group("Groups");
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
      "  dplda prevalence topics letters.txt --labels months-of-letters.txt --groups months.txt --ordered \\\n"
      "    --epsilon 0.5 --units 20000 --book letters.book -o months\n"
      "\nEach document (or user, if the topics protect users) counts once, however long it is. --epsilon is what is\n"
      "added to the cost of the topics. The JSON and the page have the guarantee of both together.");
  command->callback([o] { measure(*o); });
}

}  // namespace dplda_program
