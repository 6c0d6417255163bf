// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/budget_book.hpp>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "program.hpp"
#include "real_between.hpp"

namespace dplda_program {

namespace {

struct book_command_options {
  std::string path, unit = "document";
  std::optional<double> limit = {}, thresholds = {};
  double delta = 1e-6;
  bool as_json = false;
};

void create_book(const book_command_options& o) {
  if (o.thresholds && !o.limit) throw usage_error("--thresholds is a part of a limit's delta; give --limit too");
  dplda::book_content content{.unit = o.unit == "user" ? dplda::privacy_unit::user : dplda::privacy_unit::document,
                              .delta = o.delta};
  if (o.limit) {
    content.limit = dplda::book_limit{*o.limit, dplda::default_book_filter(o.delta)};
    if (o.thresholds) content.limit->filter.reserved_delta = *o.thresholds;
  }
  check_writable(o.path, true);  // create() itself refuses a file that exists
  from_options([&] { return dplda::budget_book::create(o.path, content); });
  if (o.as_json)
    return print(json_value::object{{"book", o.path},
                                    {"unit", o.unit},
                                    {"delta", o.delta},
                                    {"limit", o.limit ? json_value(*o.limit) : json_value(nullptr)}});
  std::cout << o.path << ": a new book, for each " << o.unit << ".\n";
  if (o.limit) {
    std::cout << paragraph("Its limit: all releases in this book together are (epsilon = ", number(*o.limit),
                           ", delta = ", number(o.delta),
                           ") differentially private, however they are chosen. A release that would exceed it is "
                           "refused.");
  } else {
    std::cout << paragraph("It has no limit: it counts releases and refuses none.");
  }
  std::cout << paragraph(
      "Releases that were made before it are not in it. If there are any, the total is more: dplda account ", o.path,
      " RELEASE... tells it.");
  std::cout << "Name it in every release of these documents, or of any of them: dplda fit ... --book " << o.path << "\n"
            << "Keep it: without it, nobody knows what was spent. An older copy misses later releases.\n";
}

}  // namespace

void add_book(CLI::App& app) {
  const auto o = std::make_shared<book_command_options>();
  CLI::App* const command = app.add_subcommand("book", "Start a budget book, which counts the releases of a data set");
  command
      ->add_option("FILE", o->path,
                   "The book. Data sets that share documents, or users if these are protected, need one book together")
      ->required();
  command->add_option("--unit", o->unit, "What is protected: each document, or all documents of a user")
      ->check(CLI::IsMember({"document", "user"}));
  command
      ->add_option(
          "--limit", o->limit,
          "The epsilon that all releases together may cost; without it, the book counts releases and refuses none")
      ->type_name("X")
      ->check(real_between(1e-6, 1e6));
  command->add_option("--delta", o->delta, "The delta of the total; keep it far below one over the number of units")
      ->type_name("X")
      ->check(real_between(1e-100, 0.5));
  command
      ->add_option(
          "--thresholds", o->thresholds,
          "The part of a limit's delta that is reserved for the thresholds of privately chosen words; 0 if all "
          "words will come from public lists. Default: a quarter of delta, which is what one fit with the "
          "whole delta needs")
      ->type_name("X")
      ->check(real_between(0.0, 0.5));
  command->add_flag("--json", o->as_json, "Print JSON");
  command->footer(
      "\nExample:\n"
      "  dplda book letters.book --limit 2 --delta 1e-6\n"
      "  dplda fit letters/ --epsilon 1 --units 20000 --book letters.book -o topics\n"
      "  dplda account letters.book                   what was spent, and what is left?\n"
      "\nEvery fit of the same documents costs, even if it is not published: it was looked at. A release is in the\n"
      "book before its noise is drawn. A fit that is stopped or fails after that stays counted. With a limit, budgets\n"
      "may be chosen from earlier results, and the limit still holds. Two data sets that share a document need one\n"
      "book. A limit counts a step on a sample of the units (from 100,000 units on) as a step on all of them.");
  command->callback([o] { create_book(*o); });
}

}  // namespace dplda_program
