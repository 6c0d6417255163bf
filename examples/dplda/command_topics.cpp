// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/topic_inference.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/release_record.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "commands.hpp"
#include "input.hpp"
#include "real_between.hpp"
#include "release_text.hpp"

namespace dplda_program {

namespace {

struct topics_options {
  std::string model;
  std::size_t words = 10;
  double lambda = 0.5;
  bool as_json = false;
};

void topics(const topics_options& o) {
  const auto model = dplda::load_model(o.model);
  std::error_code ignored;
  const bool recorded = std::filesystem::exists(std::filesystem::path(o.model) / "release.json", ignored);
  const dplda::release_record record = recorded ? dplda::read_release_record(o.model) : dplda::release_record{};
  if (o.as_json) {
    return print(json_value::object{{"model", o.model},
                                    {"guarantee", record.claim ? to_json(*record.claim) : json_value(nullptr)},
                                    {"topics", topics_json(model, o.words)}});
  }
  std::cout << topics_text(model, o.words, o.lambda) << '\n';
  if (!recorded) {
    std::cout << "There is no release.json beside this model: nothing is known about its privacy.\n";
  } else if (!record.claim) {
    std::cout << what_was_spent(record);
  } else {
    std::cout << paragraph(*record.claim);
  }
}

struct infer_options {
  input_options input;
  std::string model, output;
  std::size_t show = 3, threads = 0;
  bool force = false, as_json = false;
};

void infer(const infer_options& o) {
  check(o.input);
  if (!o.output.empty()) check_writable(o.output, o.force);
  const auto model = dplda::load_model(o.model);
  const dplda::corpus docs = read_corpus(o.input, model.vocab());
  const Eigen::MatrixXd theta = dplda::topic_inference(model)(docs, o.threads);
  if (!o.output.empty()) {
    std::ostringstream file;
    dplda::write_npy(file, theta);
    write_outputs({{o.output, file.str()}}, o.force);
    return;
  }
  json_value::array all;
  std::vector<Eigen::Index> order(model.topics());
  for (Eigen::Index d = 0; d < theta.rows(); ++d) {
    const Eigen::RowVectorXd shares = theta.row(d);
    if (o.as_json) {
      all.push_back(json_value::array(shares.begin(), shares.end()));
      continue;
    }
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return shares[a] != shares[b] ? shares[a] > shares[b] : a < b; });
    std::cout << "document " << d << ':';
    for (std::size_t i = 0; i < std::min(o.show, order.size()); ++i)
      std::cout << "  topic " << order[i] << ' ' << number(100 * shares[order[i]], 3) << " %";
    std::cout << '\n';
  }
  if (o.as_json) print(json_value::object{{"model", o.model}, {"releasable", false}, {"proportions", all}});
}

}  // namespace

void add_topics(CLI::App& app) {
  const auto o = std::make_shared<topics_options>();
  CLI::App* const command = app.add_subcommand("topics", "Print the words that say most about each topic");
  command->add_option("MODEL", o->model, "A folder that dplda fit wrote")->required();
  command->add_option("--words", o->words, "How many words of each topic to print")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--lambda", o->lambda,
                   "1: the most probable words; less: words that are more probable in the topic than in others")
      ->type_name("X")
      ->check(real_between(0.0, 1.0));
  command->add_flag("--json", o->as_json, "Print JSON: the most probable words");
  command->footer("\nExample:\n  dplda topics topics --words 15");
  command->callback([o] { topics(*o); });
}

void add_infer(CLI::App& app) {
  const auto o = std::make_shared<infer_options>();
  CLI::App* const command = app.add_subcommand("infer", "Infer the topics of new documents");
  command->add_option("MODEL", o->model, "A folder that dplda fit wrote")->required();
  add_input_options(*command, o->input);
  command->add_option("--show", o->show, "How many topics of each document to print")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  command->add_option("-o,--output", o->output, "Write all proportions to this .npy file (documents x topics) instead")
      ->type_name("FILE");
  command->add_option("--threads", o->threads, "0: as many as the machine runs at once")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--force", o->force, "Replace the output file");
  command->add_flag("--json", o->as_json, "Print JSON, with all proportions");
  command->footer(
      "\nExample:\n  dplda infer topics new-letters/\n"
      "\nA document's proportions reveal something about it: they are for those who may read it.");
  command->callback([o] { infer(*o); });
}

}  // namespace dplda_program
