// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/audit.hpp>
#include <dplda/report/audit_file.hpp>
#include <dplda/report/audit_reach.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "commands.hpp"
#include "engines.hpp"
#include "program.hpp"

namespace dplda_program {

namespace {

struct audit_command_options {
  input_options input;
  learning_options learning;
  std::size_t canaries = 300, runs = 0, looks = 1;
  std::uint32_t repeats = 50;
  std::string output;
  bool force = false, as_json = false;
};

void audit(const audit_command_options& o) {
  check(o.learning, o.input);
  check_exists(o.input);
  if (!o.output.empty()) check_writable(o.output, o.force);
  learning_options learning = o.learning;
  if (o.runs > 0) learning.threads = 1;  // many fits at once instead
  const dplda::vocabulary_ptr vocab =
      learning.vocabulary.empty() ? nullptr : read_public_words(learning.vocabulary, o.input);
  progress_display progress(o.as_json);
  const dplda::any_private_learner plan = plan_fit(learning, learning.unit_of(o.input), vocab);
  progress.phase("reading");
  const dplda::corpus docs = read_corpus(o.input, vocab);
  dplda::random_source random = learning.random();
  const dplda::audit_options attack{.canaries = {.count = std::min(o.canaries, docs.words()), .repeats = o.repeats},
                                    .runs = o.runs,
                                    .looks = o.looks,
                                    .by_ledger = o.runs == 0,
                                    .threads = o.learning.threads};
  progress.phase("learning from the documents with canaries among them");
  const dplda::audit_report report = dplda::audit(plan, docs, random, attack, progress.observer());
  progress.done();
  json_value::object settings{
      {"engine", learning.engine},
      {"topics", learning.topics},
      {dplda::setting::words, vocab ? dplda::setting::public_list : dplda::setting::private_choice},
      {learning.stated_units ? dplda::setting::stated_units : dplda::setting::assumed_units, learning.units()}};
  add_input_settings(settings, o.input);
  settings.emplace_back("repeats of a canary's word", o.repeats);
  const json_value found = dplda::audit_json(report, plan.guarantee(), settings);
  if (!o.output.empty()) write_outputs({{o.output, found.dump(2) + '\n'}}, o.force);
  if (o.as_json) return print(found);
  std::cout << "claimed:  epsilon at most  " << number(report.claimed) << '\n'
            << "audited:  epsilon at least " << number(report.audited) << "  (" << report.method << ")\n"
            << (report.by_ledger ? "by its ledger: at least  " + number(*report.by_ledger) +
                                       "  (if nothing but the scale of the noise differs from the ledger)\n"
                                 : "")
            << (report.refuted()                  ? "The claim is refuted"
                : !report.undecided.empty()       ? "No verdict, " + report.undecided
                : dplda::attack_too_small(report) ? "The attack was too small to find anything against the claim"
                                                  : "The attack found nothing against the claim")
            << ", at a confidence of " << number(report.confidence) << " and delta " << number(report.delta) << ".\n\n"
            << paragraph(dplda::describe_reach(report))
            << "\nThe attack looked at the documents: its result is for their owner, not for release.\n";
  if (!o.output.empty()) std::cout << "Written to " << o.output << ", for 'dplda report --audit'.\n";
}

}  // namespace

void add_audit(CLI::App& app) {
  const auto o = std::make_shared<audit_command_options>();
  CLI::App* const command =
      app.add_subcommand("audit", "Attack a fit, and compare the audited epsilon with the claimed one");
  add_input_options(*command, o->input);
  add_learning_options(*command, o->learning);
  command->add_option("--canaries", o->canaries, "How many canaries to hide among the documents and to look for")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{2}, dplda::most_canaries));
  command->add_option("--repeats", o->repeats, "How often a canary repeats its word")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--runs", o->runs,
                   "Make N fits with one canary and N without, instead of one fit with many canaries")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{0}, dplda::most_runs));
  command
      ->add_option("--looks", o->looks,
                   "With --runs: look after all runs, half, a quarter ... (N times), and end at the first that refutes")
      ->type_name("N")
      ->check(CLI::Range(1, 20));
  command->add_option("-o,--output", o->output, "Also write the result, with the ROC curve, for dplda report --audit")
      ->type_name("FILE");
  command->add_flag("--force", o->force, "Replace the output file");
  command->add_flag("--json", o->as_json, "Print JSON, which dplda report --audit reads too, and no progress");
  command->footer(
      "\nExample:\n  dplda audit letters/ --epsilon 8 --vocabulary english.txt -o audit.json\n"
      "\nCanaries are documents of rare words. Without --vocabulary such words are hardly ever chosen, so there is\n"
      "nothing to attack: give a list to attack the learner. A bound far below the claim does not prove more privacy.\n"
      "An attack proves an epsilon of at most about log(canaries / 5) or log(runs / 7). dplda prints this limit and\n"
      "roughly which size would be enough. The number of runs is fixed beforehand: a stopped audit gives no result.\n"
      "No guarantee covers an epsilon or settings that were chosen by looking at an audit of the same documents.");
  command->callback([o] { audit(*o); });
}

}  // namespace dplda_program
