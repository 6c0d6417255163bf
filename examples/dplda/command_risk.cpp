// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/lira.hpp>
#include <dplda/audit/risk.hpp>
#include <dplda/audit/roc.hpp>
#include <dplda/audit/shadow_folder.hpp>
#include <dplda/audit/shadows.hpp>
#include <dplda/io/release_record.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "engines.hpp"
#include "program.hpp"
#include "real_between.hpp"

namespace dplda_program {

namespace {

constexpr const char* not_covered =
    "No guarantee covers an epsilon, settings or documents that were chosen by looking at this. Dropping the listed "
    "documents before a fit is not covered either.";

constexpr double confidence = 0.95;  // of all intervals together

struct risk_options {
  input_options input;
  learning_options learning;
  std::size_t shadows = 64, show = 20;
  double rate = 0.01;
  std::string folder, output;
  bool non_private = false, force = false, as_json = false;
};

/// Any learner, in the form that shadow training takes.
struct shadow_learner {
  std::function<dplda::topic_model<>(const dplda::corpus&, dplda::random_source&, const dplda::observer&)> run;

  dplda::topic_model<> fit(const dplda::corpus& docs, dplda::random_source& random,
                           const dplda::observer& watch = {}) const {
    return run(docs, random, watch);
  }
};

/// The options of a fit to half of the units, on one thread, because many models are trained at once.
learning_options half_of(const learning_options& whole) {
  learning_options half = whole;
  half.asked_delta = whole.delta();
  half.stated_units = std::max<std::uint64_t>(1, whole.units() / 2);
  half.threads = 1;
  return half;
}

/// The highest true-positive rate that the guarantee allows at a given false-positive rate.
struct allowed_rates {
  double by_guarantee;  ///< with the unit or without it, and all others known
  double in_attack;     ///< with the unit or with another in its place, as in halves of one size
};

/// What a folder of shadow models holds.
std::string label_of(const risk_options& o) {
  const learning_options& l = o.learning;
  const std::string budget = o.non_private ? "non-private" : number(l.epsilon, 17) + ", " + number(l.delta(), 17);
  return "dplda risk: " + l.engine + ", " + std::to_string(l.topics) + " topics, words " +
         (l.vocabulary.empty() ? dplda::setting::private_choice : dplda::setting::public_list) + ", " + budget + ", " +
         std::to_string(l.units()) + " units";
}

struct findings {
  std::vector<dplda::document_risk> risks;  ///< those that stand out first
  dplda::rate_interval members_found;       ///< the share of members that an attack finds, with 95 % limits
};

/// Risks come from all models. The share of members that are found is measured on the first two models, with laws from
/// the others.
findings attack(const Eigen::MatrixXd& statistics, const dplda::membership& members, double rate,
                const dplda::random_source& random) {
  const Eigen::Index others = statistics.rows() - 2;
  const auto laws = dplda::fit_laws(statistics.bottomRows(others), members.bottomRows(others));
  std::vector<dplda::scored_document> scored;
  std::vector<std::size_t> names;  // both scores of a document are resampled together
  for (Eigen::Index target = 0; target < 2; ++target) {
    const std::vector<double> scores = dplda::online_lira(laws, statistics.row(target));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scored.push_back({scores[i], members(target, static_cast<Eigen::Index>(i))});
      names.push_back(i);
    }
  }
  auto bits = random.stream("bootstrap");
  return {dplda::documents_at_risk(statistics, members, rate, confidence),
          dplda::rate_by_document(scored, names, bits, rate, confidence)};
}

std::string percent(double rate) { return number(100 * rate, 3) + " %"; }

/// The same in three digits, rounded by `round`: down (floor) or up (ceil).
std::string percent(double rate, double (*round)(double)) {
  if (!(rate > 0)) return "0 %";
  const double unit = std::pow(10.0, 2 - std::floor(std::log10(100 * rate)));
  return percent(round(100 * rate * unit) / unit / 100);
}
std::string at_least(double rate) { return "at least " + percent(rate, std::floor); }
std::string at_most(double rate) { return "at most " + percent(rate, std::ceil); }

void show_risks(const risk_options& o, const findings& found, const std::string& name,
                const std::function<std::size_t(const dplda::document_risk&)>& number_of,
                const std::optional<allowed_rates>& allowed) {
  const auto& risks = found.risks;
  const auto rest = std::find_if(risks.begin(), risks.end(), [](const auto& one) { return !one.stands_out; });
  const auto standing_out = static_cast<std::size_t>(rest - risks.begin());
  std::cout << "An attacker who wrongly accuses " << percent(o.rate) << " of the " << name
            << "s not learned from finds " << percent(found.members_found.rate)
            << " of those learned from, in two trials (95 % limits: " << percent(found.members_found.low) << " to "
            << percent(found.members_found.high) << ").\n";
  if (allowed)
    std::cout << '\n'
              << paragraph("The guarantee allows ", at_most(allowed->by_guarantee), " for each ", name,
                           ", whatever is known about the others, and ", at_most(allowed->in_attack),
                           " in this attack, where another ", name, " takes its place.");
  if (standing_out == 0) {
    const std::size_t needed = dplda::shadows_to_stand_out(risks.size(), confidence);
    std::cout << '\n'
              << paragraph("No ", name, " stands out: none is found more often than chance explains in ", o.shadows,
                           " models. This does not prove that none is at risk.",
                           o.shadows < needed ? " With this many, none can stand out from fewer than " +
                                                    std::to_string(needed) + " models (--shadows)."
                                              : " More models (--shadows) can find more.");
  } else {
    std::cout << "\nFound more often than chance explains:\n\n";
    for (std::size_t i = 0; i < std::min(o.show, standing_out); ++i) {
      const auto& [rate, low, high] = risks[i].detection;
      std::cout << "  " << name << ' ' << number_of(risks[i]) << ": " << percent(rate) << ", " << at_least(low)
                << " and " << at_most(high);
      if (allowed) std::cout << "; the guarantee allows " << at_most(allowed->in_attack);
      std::cout << '\n';
    }
    if (!o.output.empty()) std::cout << "  (" << o.output << " has their names)\n";
    if (standing_out > o.show) std::cout << "  and " << standing_out - o.show << " more (--show)\n";
    std::cout << '\n'
              << paragraph("All limits hold together with a confidence of ", percent(confidence),
                           " if the log likelihoods are normal with and without the ", name, '.');
    if (allowed && risks.front().detection.low > allowed->in_attack)
      std::cout << paragraph(
          "A lower limit is above what the guarantee allows. Either the log likelihoods are not normal, or the learner "
          "breaks its guarantee: 'dplda audit' tests the guarantee without that assumption.");
  }
  std::cout << '\n'
            << paragraph("This reveals something about the ", name, "s: it is for their owner, not for release. ",
                         not_covered);
}

void risk(const risk_options& o) {
  check(o.learning, o.input);
  check_exists(o.input);
  if (!o.output.empty()) check_writable(o.output, o.force);
  const dplda::privacy_unit unit = o.learning.unit_of(o.input);
  const bool users = unit == dplda::privacy_unit::user;
  const dplda::vocabulary_ptr vocab =
      o.learning.vocabulary.empty() ? nullptr : read_public_words(o.learning.vocabulary, o.input);
  const learning_options half = half_of(o.learning);
  shadow_learner learner{[&half](const auto& docs, auto& random, const auto& watch) {
    return fit_without_privacy(half, docs, random, watch);
  }};
  std::optional<dplda::any_private_learner> plan;
  std::optional<allowed_rates> allowed;
  if (!o.non_private) {
    plan = plan_fit(half, unit, vocab);
    const double by_guarantee = dplda::largest_detection(plan->ledger(), o.rate);
    allowed = {by_guarantee, dplda::largest_detection(plan->ledger(), by_guarantee)};
    learner.run = [&plan](const auto& docs, auto& random, const auto& watch) {
      return plan->fit(docs, random, watch).value();
    };
  }
  progress_display progress(o.as_json);
  progress.phase("reading");
  const dplda::labelled_corpus read = read_labelled_corpus(o.input, vocab);
  const dplda::corpus& docs = read.docs;
  if (docs.size() < 2)
    throw std::runtime_error(o.input.path + ": has fewer than two documents, and the attack needs at least two");
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
  const findings found = users ? attack(by_user.statistics, by_user.members, o.rate, random)
                               : attack(table.statistics[0], table.members, o.rate, random);
  const std::string name = users ? "user" : "document";
  const auto number_of = [&](const dplda::document_risk& one) {
    return users ? std::size_t{by_user.users[one.document]} : one.document;
  };
  const document_names documents(o.input);
  std::size_t standing_out = 0;
  json_value::array listed;
  for (const dplda::document_risk& one : found.risks) {
    standing_out += one.stands_out;
    const std::size_t position = number_of(one);
    // What cannot be told from chance has limits, but no meaningful estimate.
    listed.push_back(json_value::object{
        {name, position},
        {"name", users ? std::string(read.users->word(static_cast<dplda::word_id>(position))) : documents[position]},
        {"stands_out", one.stands_out},
        {"found", one.stands_out ? json_value(one.detection.rate) : json_value(nullptr)},
        {"found_at_least", one.detection.low},
        {"found_at_most", one.detection.high},
        {"separation", one.stands_out ? dplda::number_or_infinity(one.separation) : json_value(nullptr)}});
  }
  const json_value result =
      json_value::object{{"releasable", false},
                         {"engine", o.learning.engine},
                         {"private", !o.non_private},
                         {"shadows", o.shadows},
                         {"false_positive_rate", o.rate},
                         {"members_found", found.members_found.rate},
                         {"members_found_at_least", found.members_found.low},
                         {"members_found_at_most", found.members_found.high},
                         {"allowed_by_guarantee", allowed ? json_value(allowed->by_guarantee) : json_value(nullptr)},
                         {"allowed_in_attack", allowed ? json_value(allowed->in_attack) : json_value(nullptr)},
                         {"confidence", confidence},
                         {"standing_out", standing_out},
                         {name + "s", listed}};
  if (!o.output.empty()) write_outputs({{o.output, result.dump(2) + '\n'}}, o.force);
  if (o.as_json) return print(result);
  show_risks(o, found, name, number_of, allowed);
}

}  // namespace

void add_risk(CLI::App& app) {
  const auto o = std::make_shared<risk_options>();
  CLI::App* const command =
      app.add_subcommand("risk", "List the documents that topics would give away, by attacks with shadow models");
  add_input_options(*command, o->input);
  add_learning_options(*command, o->learning);
  command->add_flag("--non-private", o->non_private, "Attack topics learned without noise")->group("Privacy");
  command
      ->add_option("--shadows", o->shadows, "How many models to train, each on half of the documents; an even number")
      ->type_name("N")
      ->check(CLI::Range(8, 100000));
  command->add_option("--rate", o->rate, "The attack's false-positive rate")
      ->type_name("X")
      ->check(real_between(1e-6, 0.5));
  command->add_option("--show", o->show, "How many of the documents that stand out to list")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--folder", o->folder,
                   "Keep the models' answers in this folder, so that a stopped training can continue; as secret as the "
                   "documents")
      ->type_name("FOLDER");
  command
      ->add_option(
          "-o,--output", o->output,
          "Also write the result as JSON, with all documents and their names (file, row, line or user); as secret "
          "as the documents")
      ->type_name("FILE");
  command->add_flag("--force", o->force, "Replace the output file");
  command->add_flag("--json", o->as_json, "Print JSON, and no progress");
  command->footer(
      "\nExamples:\n  dplda risk letters/ --non-private                 what would topics without noise give away?\n"
      "  dplda risk letters/ --epsilon 2 --units 20000     and topics with noise?\n"
      "\nThe attack is LiRA (Manzonelli, Zhang and Vadhan 2024): the likelihood ratio of a document's best log\n"
      "likelihood, under models learned with the document and without it. Listed are the documents that are found "
      "more\n"
      "often than chance explains, with limits that hold for all documents together. The limits assume that log\n"
      "likelihoods are normal; which documents are listed does not rest on that alone. For a private fit, the rate "
      "that\n"
      "the guarantee allows is printed beside them. 'dplda audit' bounds epsilon instead.\n"
      "No guarantee covers an epsilon, settings or documents that were chosen by looking at the result. Dropping the\n"
      "listed documents before a fit is not covered either.");
  command->callback([o] {
    if (o->shadows % 2 != 0)
      throw usage_error(
          "--shadows must be even: models are trained in pairs, on a half of the documents and on the other half");
    risk(*o);
  });
}

}  // namespace dplda_program
