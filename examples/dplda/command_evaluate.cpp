// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/private_score.hpp>
#include <dplda/analysis/score_file.hpp>
#include <dplda/evaluation/coherence.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/release_folder.hpp>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "interrupts.hpp"
#include "measurement.hpp"
#include "unit_of_topics.hpp"

namespace dplda_program {

namespace {

struct evaluate_options {
  input_options input;
  budget_options spending;
  std::string model, output = "score.json", book;
  std::size_t words = 10;
  bool dry_run = false, force = false, as_json = false;
};

constexpr const char* choosing_costs =
    "Choosing costs: whoever makes several fits and publishes the one with the best scores spends more than its\n"
    "epsilon. All fits count ('dplda account A B C', or a budget book). Even then, no guarantee covers a choice by\n"
    "scores of private documents, which have no noise. Choose by public documents, or fix the settings beforehand.\n";

void show(const dplda::topic_score& found, dplda::privacy_unit unit) {
  const dplda::noisy_mean& gain = found.gain;
  if (!gain.tells()) {
    std::cout << "There are too few " << to_string(unit) << "s to tell anything at this epsilon.\n";
    return;
  }
  const dplda::mean_interval here = gain.noise_interval(), both = gain.interval();
  const auto range = [](const dplda::mean_interval& i) { return number(i.low, 3) + " to " + number(i.high, 3); };
  std::cout << "gain by topics  " << number(gain.mean(), 3) << "  for each word that was not shown, 0 without topics\n"
            << "  here          " << range(here) << "  only noise moves it\n"
            << "  in general    " << range(both) << "  for documents of which these are a sample\n\n"
            << paragraph("Half of a document's different words were shown, the others scored. ",
                         here.low > 0 ? "Its topics make them more probable than the mixture of all topics does, by "
                         : here.high < 0
                             ? "Its topics make them less probable than the mixture of all topics does, by "
                             : "Noise alone could explain that they seem more or less probable by its topics "
                               "than by the mixture of all topics, by ",
                         "a factor of ", number(std::exp(std::abs(gain.mean())), 3), " in the mean.")
            << '\n'
            << paragraph("How many times as often as by chance two of a topic's first ", found.together.front().listed,
                         " words are in one document (1: no more often), and what noise leaves open:");
  for (std::size_t k = 0; k < found.together.size(); ++k) {
    const dplda::co_occurrence& words = found.together[k];
    const dplda::ratio_interval open = words.noise_interval();
    std::cout << "  topic " << k << "  "
              << (words.tells() ? number(words.lift(), 3) + "  " + number(open.low, 3) + " to " + number(open.high, 3)
                                : std::string("too few to tell"))
              << '\n';
  }
  std::cout << '\n';
}

/// Scores with noise, from a budget.
void score_privately(evaluate_options o) {
  cut_as_released(o.input, o.model);
  check(o.spending, o.input);
  check_unpruned(o.input);
  take_delta_of(o.book, o.spending);
  if (!o.dry_run) {
    check_writable(o.output, o.force);
    check_exists(o.input);
  }
  const dplda::saved_release topics = dplda::load_release(o.model);
  const dplda::release_record record = dplda::read_release_record(o.model);
  const dplda::score_options options{.units = o.spending.units(),
                                     .unit = unit_of_topics(topics.topics.guarantee(), o.spending, o.input),
                                     .relation = topics.topics.guarantee().relation,
                                     .together_words = o.words,
                                     .threads = o.spending.threads};
  const auto engine_for = [&](const dplda::budget& added) {
    return from_options([&] { return dplda::private_score(topics.topics, options, added); });
  };
  const auto engine = engine_for({o.spending.epsilon, o.spending.delta()});
  const double units = static_cast<double>(o.spending.units()), planned = engine.plan().half_width(units);
  measurement costs({.what = "score",
                     .own = engine.own(),
                     .together = engine.guarantee(),
                     .ledger = engine.plan().ledger(),
                     .with_budget = [&](const dplda::budget& other) { return engine_for(other).plan().ledger(); },
                     .figures = {{"noise", engine.plan().gains().noise()},
                                 {"least_units", engine.plan().least_units()},
                                 {"half_width", planned}},
                     .widths = paragraph("From noise alone, the 95 % interval of a gain near 0 reaches ",
                                         number(planned, 2), " to each side for ", number(units, 6), ' ',
                                         to_string(options.unit), "s. Of fewer than about ",
                                         number(std::ceil(engine.plan().least_units()), 2), " nothing can be told.")},
                    o.book, o.spending);
  if (!costs.announce(o.dry_run, o.as_json)) return;
  progress_display progress(o.as_json);
  set_unspent(true);
  progress.phase("reading");
  const dplda::corpus docs = read_corpus(o.input, topics.topics.value().vocab());
  progress.phase("scoring");
  dplda::random_source random = o.spending.random();
  const std::string booked = costs.spend();
  const auto scored = engine.fit(docs, random);
  costs.check_spent(engine.plan().ledger());
  progress.phase("writing");
  json_value::object settings = costs.settings();
  add_input_settings(settings, o.input);
  const json_value file = score_json(scored, {.own = costs.plan().own,
                                              .model_sha256 = record.model_sha256,
                                              .settings = std::move(settings),
                                              .booked = booked});
  write_outputs({{o.output, file.dump(2) + '\n'}}, o.force);
  progress.done();
  if (o.as_json) return print(file);
  show(scored.value(), options.unit);
  std::cout << "If the topics were learned from these documents, this is how well they fit them, and no forecast for "
               "others.\n\n"
            << seeded_warning(o.spending) << "Written to " << o.output << ".\n";
}

void evaluate(evaluate_options o) {
  cut_as_released(o.input, o.model);
  check(o.input);
  const auto model = dplda::load_model(o.model);
  const dplda::corpus docs = read_corpus(o.input, model.vocab());
  const dplda::perplexity_options scoring{.threads = o.spending.threads};
  const double perplexity = dplda::document_completion_perplexity(model, docs, scoring).perplexity;
  const double frequencies = dplda::unigram_perplexity(docs, docs, scoring).perplexity;
  const double npmi = dplda::npmi_coherence(model, docs, o.words).mean;
  const double umass = dplda::umass_coherence(model, docs, o.words).mean;
  if (o.as_json) {
    return print(json_value::object{{"model", o.model},
                                    {"releasable", false},
                                    {"choosing_by_this_is_covered", false},
                                    {"perplexity", dplda::number_or_infinity(perplexity)},
                                    {"perplexity_of_word_frequencies", dplda::number_or_infinity(frequencies)},
                                    {"npmi_coherence", dplda::number_or_infinity(npmi)},
                                    {"umass_coherence", dplda::number_or_infinity(umass)}});
  }
  std::cout << "perplexity          " << number(perplexity)
            << "  half of each document is shown, the other half scored\n"
            << "  word frequencies  " << number(frequencies)
            << "  the same without topics, from the word frequencies of these documents\n"
            << "NPMI coherence      " << number(npmi, 3) << "  of the " << o.words
            << " most probable words, -1 to 1, higher is better\n"
            << "UMass coherence     " << number(umass, 3) << "  higher is better\n\n"
            << "Computed from these documents without noise: for their owner, not for release.\n"
            << choosing_costs;
}

}  // namespace

void add_evaluate(CLI::App& app) {
  const auto o = std::make_shared<evaluate_options>();
  CLI::App* const command = app.add_subcommand(
      "evaluate", "Score a model on documents: perplexity and coherence, or, with --epsilon, a private score");
  command->add_option("MODEL", o->model, "A folder that dplda fit wrote")->required();
  add_input_options(*command, o->input);
  command
      ->add_option("--coherence-words", o->words,
                   "How many first words of each topic to use for coherence; with --epsilon, for how often they are in "
                   "one document")
      ->type_name("N")
      ->check(CLI::Range(2, 100));
  add_budget_options(*command, o->spending);
  CLI::Option* const epsilon = command->get_option("--epsilon");
  epsilon
      ->description(
          "Score with noise, so that the score may be published: how much it may tell about one unit, beside the "
          "topics; 1 is strict, 5 is weak. Without it, nothing is private, and scores are for the owner of the "
          "documents only")
      ->default_str("");
  add_unpruned_option(*command, o->input);
  add_book_option(*command, o->book);
  command->add_option("-o,--output", o->output, "With --epsilon: the file of JSON to write")->type_name("FILE");
  command->add_flag("--dry-run", o->dry_run,
                    "With --epsilon: show the cost and the planned width of the interval, and read no document");
  command->add_flag("--force", o->force, "With --epsilon: replace the output file");
  command->add_flag("--json", o->as_json, "Print JSON, and no progress");
  command->footer(
      std::string(
          "\nExamples:\n  dplda evaluate topics held-out-letters/\n"
          "  dplda evaluate topics held-out-letters/ --epsilon 0.1 --units 2000 --book letters.book\n"
          "\nWords that the model does not have are left out, so compare only models of the same words.\n"
          "Without --epsilon, the numbers have no noise: they are for the owner of the documents, not for\n"
          "release, and no book counts them. With --epsilon, the score is a release: it is paid for beside the\n"
          "topics, and may be published with its guarantee.\n") +
      choosing_costs);
  command->callback([o, command, epsilon] {
    if (epsilon->count() > 0) return score_privately(*o);
    for (const char* const name :
         {"--delta", "--unit", "--units", "--seed", "--unpruned", "--book", "--output", "--dry-run", "--force"}) {
      if (command->count(name) > 0)
        throw usage_error(std::string(name) + " is for a score with noise; give --epsilon too");
    }
    evaluate(*o);
  });
}

}  // namespace dplda_program
