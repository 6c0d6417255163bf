// SPDX-License-Identifier: Apache-2.0
#include <dplda/evaluation/coherence.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/io/model_folder.hpp>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "commands.hpp"
#include "input.hpp"
#include "program.hpp"

namespace dplda_program {

namespace {

struct evaluate_options {
  input_options input;
  std::string model;
  std::size_t words = 10, threads = 0;
  bool as_json = false;
};

constexpr const char* choosing_costs =
    "Choosing costs: whoever makes several fits and publishes the one with the best scores spends more than its\n"
    "epsilon. All fits count ('dplda account A B C', or a budget book). Even then, no guarantee covers a choice by\n"
    "scores of private documents, which have no noise. Choose by public documents, or fix the settings beforehand.\n";

void evaluate(const evaluate_options& o) {
  check(o.input);
  const auto model = dplda::load_model(o.model);
  const dplda::corpus docs = read_corpus(o.input, model.vocab());
  const dplda::perplexity_options scoring{.threads = o.threads};
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
  CLI::App* const command = app.add_subcommand("evaluate", "Score a model on documents: perplexity and coherence");
  command->add_option("MODEL", o->model, "A folder that dplda fit wrote")->required();
  add_input_options(*command, o->input);
  command->add_option("--coherence-words", o->words, "How many words of each topic to use for coherence")
      ->type_name("N")
      ->check(CLI::Range(2, 100));
  command->add_option("--threads", o->threads, "0: as many as the machine runs at once")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", o->as_json, "Print JSON");
  command->footer(
      std::string("\nExample:\n  dplda evaluate topics held-out-letters/\n"
                  "\nWords that the model does not have are left out, so compare only models of the same words.\n"
                  "The numbers are computed without noise: they are for the owner of the documents.\n") +
      choosing_costs);
  command->callback([o] { evaluate(*o); });
}

}  // namespace dplda_program
