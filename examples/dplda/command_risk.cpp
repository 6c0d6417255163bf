// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/diagnostics.hpp>
#include <dplda/audit/lira.hpp>
#include <dplda/audit/roc.hpp>
#include <dplda/audit/shadow_folder.hpp>
#include <dplda/audit/shadows.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "engines.hpp"
#include "program.hpp"
#include "real_between.hpp"
#include "release_folder.hpp"

namespace dplda_program {

namespace {

struct risk_options {
  input_options input;
  learning_options learning;
  std::size_t shadows = 64, show = 20;
  double rate = 0.01;
  std::string folder, output;
  bool non_private = false, force = false, as_json = false;
};

/// Any learner, as shadow training wants it.
struct shadow_learner {
  std::function<dplda::topic_model<>(const dplda::corpus&, dplda::random_source&, const dplda::observer&)> run;

  dplda::topic_model<> fit(const dplda::corpus& docs, dplda::random_source& random,
                           const dplda::observer& watch) const {
    return run(docs, random, watch);
  }
};

/// The learner of a fit to half of the units, on one thread: many are trained at once.
shadow_learner learner_of(const risk_options& o, dplda::privacy_unit unit, const dplda::vocabulary_ptr& vocab) {
  learning_options half = o.learning;
  half.asked_delta = o.learning.delta();
  half.stated_units = std::max<std::uint64_t>(1, o.learning.units() / 2);
  half.threads = 1;
  if (o.non_private) {
    return {[half](const auto& docs, auto& random, const auto& watch) {
      return fit_without_privacy(half, docs, random, watch);
    }};
  }
  const auto plan = std::make_shared<const planned_fit>(plan_fit(half, unit, vocab));
  return {[plan](const auto& docs, auto& random, const auto& watch) { return plan->fit(docs, random, watch).value(); }};
}

/// What a folder of shadow models is of.
std::string label_of(const risk_options& o) {
  const learning_options& l = o.learning;
  const std::string budget = o.non_private ? "non-private" : number(l.epsilon, 17) + ", " + number(l.delta(), 17);
  return "dplda risk: " + l.engine + ", " + std::to_string(l.topics) + " topics, words " +
         (l.vocabulary.empty() ? private_choice : public_list) + ", " + budget + ", " + std::to_string(l.units()) +
         " units";
}

struct findings {
  std::vector<dplda::document_risk> risks;  ///< those most at risk first
  double found;                             ///< the share of members that an attack finds
};

/// The laws of a unit's statistic come from all models; how well they serve is tried on the first two, with laws from
/// the others.
findings attack(const Eigen::MatrixXd& statistics, const dplda::membership& members, double rate) {
  const Eigen::Index others = statistics.rows() - 2;
  const auto laws = dplda::fit_laws(statistics.bottomRows(others), members.bottomRows(others));
  std::vector<dplda::scored_document> scored;
  for (Eigen::Index target = 0; target < 2; ++target) {
    const std::vector<double> scores = dplda::online_lira(laws, statistics.row(target));
    for (std::size_t i = 0; i < scores.size(); ++i)
      scored.push_back({scores[i], members(target, static_cast<Eigen::Index>(i))});
  }
  return {dplda::documents_at_risk(dplda::fit_laws(statistics, members), rate),
          dplda::roc_curve(std::move(scored)).with_random_ties(rate)};
}

void risk(const risk_options& o) {
  check(o.learning, o.input);
  check_exists(o.input);
  if (!o.output.empty()) check_writable(o.output, o.force);
  const dplda::privacy_unit unit = o.learning.unit_of(o.input);
  const bool users = unit == dplda::privacy_unit::user;
  const dplda::vocabulary_ptr vocab =
      o.learning.vocabulary.empty() ? nullptr : read_public_words(o.learning.vocabulary, o.input);
  const shadow_learner learner = learner_of(o, unit, vocab);
  progress_display progress(o.as_json);
  progress.phase("reading");
  const dplda::corpus docs = read_corpus(o.input, vocab);
  if (docs.size() < 2) throw std::runtime_error(o.input.path + ": there must be at least two documents to tell apart");
  dplda::random_source random = o.learning.random();
  progress.phase("learning from halves of the documents");
  const dplda::shadow_options options{.shadows = o.shadows,
                                      .unit = users ? dplda::split_unit::user : dplda::split_unit::document,
                                      .threads = o.learning.threads};
  const auto show = [watch = progress.observer()](const dplda::shadow_progress& now) { return watch(now); };
  const dplda::shadow_table table = o.folder.empty()
                                        ? dplda::train_shadows(learner, docs, random, dplda::fit_query(), options, show)
                                        : dplda::train_shadows(dplda::shadow_folder(o.folder, label_of(o)), learner,
                                                               docs, random, dplda::fit_query(), options, show);
  progress.done();

  dplda::user_statistics by_user;
  if (users) by_user = dplda::sum_by_user(table.statistics[0], table.members, docs);
  const auto [risks, found] =
      users ? attack(by_user.statistics, by_user.members, o.rate) : attack(table.statistics[0], table.members, o.rate);
  const std::string name = users ? "user" : "document";
  const auto number_of = [&](const dplda::document_risk& one) {
    return users ? std::size_t{by_user.users[one.document]} : one.document;
  };
  json listed = json::array();
  for (const dplda::document_risk& one : risks)
    listed.push_back({{name, number_of(one)}, {"found", one.detection}, {"separation", one.separation}});
  const json result{{"releasable", false},  {"engine", o.learning.engine},   {"private", !o.non_private},
                    {"shadows", o.shadows}, {"false_positive_rate", o.rate}, {"members_found", found},
                    {name + "s", listed}};
  if (!o.output.empty()) write_whole_files({{o.output, result.dump(2) + '\n'}}, o.force);
  if (o.as_json) return print(result);
  std::cout << "Who accuses " << number(100 * o.rate) << " % of the " << name << "s that were not learned from finds "
            << number(100 * found, 3)
            << " % of those that were.\n\nMost at risk, and how often each would be found:\n\n";
  for (std::size_t i = 0; i < std::min(o.show, risks.size()); ++i)
    std::cout << "  " << name << ' ' << number_of(risks[i]) << ": " << number(100 * risks[i].detection, 3) << " %\n";
  std::cout << '\n'
            << paragraph(
                   "The list is of estimates from ", o.shadows,
                   " models, sorted: its top is too high rather than too low. It tells about the documents: it is "
                   "for their owner, not for release.");
}

}  // namespace

void add_risk(CLI::App& app) {
  const auto o = std::make_shared<risk_options>();
  CLI::App* const command =
      app.add_subcommand("risk", "Tell which documents topics would give away, by attacks with shadow models");
  add_input_options(*command, o->input);
  add_learning_options(*command, o->learning);
  command->add_flag("--non-private", o->non_private, "Attack topics that are learned without noise")->group("Privacy");
  command->add_option("--shadows", o->shadows, "Models to train, each on a half of the documents; an even number")
      ->type_name("N")
      ->check(CLI::Range(8, 100000));
  command->add_option("--rate", o->rate, "The share of false accusations that the attacker allows")
      ->type_name("X")
      ->check(real_between(1e-6, 0.5));
  command->add_option("--show", o->show, "How many documents to list")->type_name("N")->check(CLI::Range(1, 1000000));
  command
      ->add_option("--folder", o->folder,
                   "Keep the models' answers here, so that a training which is stopped can go on; as secret as the "
                   "documents")
      ->type_name("FOLDER");
  command->add_option("-o,--output", o->output, "Also write the result, with all documents, as JSON")
      ->type_name("FILE");
  command->add_flag("--force", o->force, "Replace the output file");
  command->add_flag("--json", o->as_json, "Print JSON, and no progress");
  command->footer(
      "\nExamples:\n  dplda risk letters/ --non-private                 what would topics without noise give away?\n"
      "  dplda risk letters/ --epsilon 2 --units 20000     and with it?\n"
      "\nThe attack is LiRA (Manzonelli, Zhang and Vadhan 2024): the likelihood ratio of a document's best log "
      "likelihood,\nwith and without it among what was learned from. 'dplda audit' bounds epsilon instead.");
  command->callback([o] {
    if (o->shadows % 2 != 0) throw usage_error("--shadows must be even: each half has another half");
    risk(*o);
  });
}

}  // namespace dplda_program
