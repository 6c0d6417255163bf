// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/topic_inference.hpp>
#include <dplda/io/ldavis.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/release_record.hpp>
#include <dplda/io/topic_names.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands.hpp"
#include "input.hpp"
#include "real_between.hpp"
#include "release_text.hpp"

namespace dplda_program {

namespace {

struct topics_options {
  std::string model, names;
  std::size_t words = 10;
  double lambda = dplda::usual_lambda;
  bool suggest = false, as_json = false;
};

std::vector<std::string> names_of(const std::string& file, const dplda::topic_model<>& model) {
  if (file.empty()) return {};
  return dplda::read_topic_names(std::filesystem::path(file), model.topics());
}

void topics(const topics_options& o) {
  const auto model = dplda::load_model(o.model);
  if (o.suggest) {
    for (const std::string& name : dplda::suggested_names(model)) std::cout << name << '\n';
    return;
  }
  const std::vector<std::string> names = names_of(o.names, model);
  std::error_code ignored;
  const bool recorded = std::filesystem::exists(std::filesystem::path(o.model) / "release.json", ignored);
  const dplda::release_record record = recorded ? dplda::read_release_record(o.model) : dplda::release_record{};
  if (o.as_json) {
    return print(json_value::object{{"model", o.model},
                                    {"guarantee", record.claim ? to_json(*record.claim) : json_value(nullptr)},
                                    {"lambda", o.lambda},
                                    {"topics", topics_json(model, o.words, o.lambda, names)}});
  }
  std::cout << topics_text(model, o.words, o.lambda, names) << '\n';
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
  std::string model, names, output;
  std::size_t show = 3, threads = 0;
  bool force = false, as_json = false;
};

/// The topics of documents, with what stands beside each document.
struct inferred {
  const dplda::labelled_corpus& found;
  const document_names names;
  const std::vector<std::string> topics;  ///< names, or empty
  const Eigen::MatrixXd theta;

  std::size_t size() const { return found.docs.size(); }
  /// Words of the model in a document. Without any, its proportions say nothing about it.
  std::uint64_t known_words(std::size_t d) const { return found.docs[d].length(); }
  bool has_groups() const { return found.groups.size() > 0; }
  bool has_dates() const { return !found.dates.empty(); }
  std::string group(std::size_t d) const {
    const std::uint32_t label = found.groups.of_document[d];
    return label == dplda::label_list::none ? "" : std::string(found.groups.labels->word(label));
  }
};

std::string csv_text(std::string_view cell) {
  std::string text = "\"";
  for (const char c : cell) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

std::string as_csv(const inferred& all) {
  std::string text = "document,name,";
  if (all.has_groups()) text += "group,";
  if (all.has_dates()) text += "date,";
  text += "known words";
  for (Eigen::Index k = 0; k < all.theta.cols(); ++k)
    text += ',' + csv_text(dplda::topic_title(static_cast<std::size_t>(k), all.topics));
  text += "\r\n";
  for (std::size_t d = 0; d < all.size(); ++d) {
    text += std::to_string(d) + ',' + csv_text(all.names[d]) + ',';
    if (all.has_groups()) text += csv_text(all.group(d)) + ',';
    if (all.has_dates()) text += to_string(all.found.dates[d]) + ',';
    text += std::to_string(all.known_words(d));
    for (Eigen::Index k = 0; k < all.theta.cols(); ++k) {
      text += ',';
      if (all.known_words(d) > 0) text += number(all.theta(static_cast<Eigen::Index>(d), k), 6);
    }
    text += "\r\n";
  }
  return text;
}

json_value as_json(const inferred& all, const std::string& model) {
  json_value::array documents, proportions, titles;
  for (std::size_t d = 0; d < all.size(); ++d) {
    json_value::object document{{"document", d}, {"name", all.names[d]}, {"known_words", all.known_words(d)}};
    if (all.has_groups()) document.emplace_back("group", all.group(d));
    if (all.has_dates()) document.emplace_back("date", to_string(all.found.dates[d]));
    documents.push_back(std::move(document));
    const Eigen::RowVectorXd shares = all.theta.row(static_cast<Eigen::Index>(d));
    proportions.push_back(all.known_words(d) > 0 ? json_value(json_value::array(shares.begin(), shares.end()))
                                                 : json_value(nullptr));
  }
  for (Eigen::Index k = 0; k < all.theta.cols(); ++k)
    titles.emplace_back(dplda::topic_title(static_cast<std::size_t>(k), all.topics));
  return json_value::object{{"model", model},
                            {"releasable", false},
                            {"topics", std::move(titles)},
                            {"documents", std::move(documents)},
                            {"proportions", std::move(proportions)}};
}

std::string as_lines(const inferred& all, std::size_t show) {
  std::string text;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(all.theta.cols()));
  for (std::size_t d = 0; d < all.size(); ++d) {
    const Eigen::RowVectorXd shares = all.theta.row(static_cast<Eigen::Index>(d));
    text += all.names[d] + ':';
    if (all.known_words(d) == 0) {
      text += "  no known word\n";
      continue;
    }
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return shares[a] != shares[b] ? shares[a] > shares[b] : a < b; });
    for (std::size_t i = 0; i < std::min(show, order.size()); ++i)
      text += "  " + dplda::topic_title(static_cast<std::size_t>(order[i]), all.topics) + ' ' +
              number(100 * shares[order[i]], 3) + " %";
    text += '\n';
  }
  return text;
}

void infer(infer_options o) {
  cut_as_released(o.input, o.model);
  check(o.input);
  if (!o.output.empty()) check_writable(o.output, o.force);
  const auto model = dplda::load_model(o.model);
  const std::vector<std::string> names = names_of(o.names, model);
  const dplda::labelled_corpus found = read_labelled_corpus(o.input, model.vocab());
  const inferred all{found, document_names(o.input), names, dplda::topic_inference(model)(found.docs, o.threads)};
  if (o.output.empty()) {
    if (o.as_json) return print(as_json(all, o.model));
    std::cout << as_lines(all, o.show);
    return;
  }
  std::ostringstream file;
  if (o.output.ends_with(".csv")) {
    file << as_csv(all);
  } else if (o.output.ends_with(".json")) {
    file << as_json(all, o.model).dump(2) << '\n';
  } else {
    dplda::write_npy(file, all.theta);
  }
  write_outputs({{o.output, file.str()}}, o.force);
}

void add_names_option(CLI::App& command, std::string& names) {
  command
      .add_option("--names", names,
                  "Names of the topics, one on each line: that of topic 0 first; an empty line is no name. Topics keep "
                  "their numbers")
      ->type_name("FILE");
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
                   "1: the most probable words; less: words that are more probable in the topic than in others. The "
                   "report begins with the same")
      ->type_name("X")
      ->check(real_between(0.0, 1.0));
  add_names_option(*command, o->names);
  command->add_flag(
      "--suggest-names", o->suggest,
      "Print a name for each topic, its first three words, one on each line: write them to a file, improve "
      "them, and give it with --names");
  command->add_flag("--json", o->as_json, "Print JSON");
  command->footer(
      "\nExamples:\n  dplda topics topics --words 15\n  dplda topics topics --suggest-names >names.txt\n"
      "\nChoose names from the released words. A name that is chosen by reading documents is not covered by the "
      "guarantee.");
  command->callback([o] { topics(*o); });
}

void add_infer(CLI::App& app) {
  const auto o = std::make_shared<infer_options>();
  CLI::App* const command = app.add_subcommand("infer", "Infer the topics of new documents");
  command->add_option("MODEL", o->model, "A folder that dplda fit wrote")->required();
  add_input_options(*command, o->input);
  add_label_options(*command, o->input);
  add_names_option(*command, o->names);
  command->add_option("--show", o->show, "How many topics of each document to print")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("-o,--output", o->output,
                   "Write all proportions to this file instead: .csv or .json with the name of each document (its "
                   "file, row or line) and how many of its words the model knows; .npy (documents x topics) "
                   "otherwise")
      ->type_name("FILE");
  command->add_option("--threads", o->threads, "0: as many as the machine runs at once")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--force", o->force, "Replace the output file");
  command->add_flag("--json", o->as_json, "Print JSON, with all proportions");
  command->footer(
      "\nExamples:\n  dplda infer topics new-letters/ -o proportions.csv\n"
      "  dplda infer topics letters.csv --text Letter --group Department --time Date -o proportions.csv\n"
      "\nA document's proportions reveal something about it: they are for those who may read it.");
  command->callback([o] { infer(*o); });
}

}  // namespace dplda_program
