// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"

#include <dplda/pipeline/number_of_topics.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "processes.hpp"
#include "program.hpp"
#include "real_between.hpp"

namespace dplda_program {

dplda::privacy_unit budget_options::unit_of(const input_options& input) const {
  const bool user = unit == "user" || (unit == "auto" && input.has_users());
  return user ? dplda::privacy_unit::user : dplda::privacy_unit::document;
}

dplda::random_source budget_options::random() const {
  return seed ? dplda::shared_random(processes(), *seed) : dplda::shared_random(processes());
}

void add_budget_options(CLI::App& command, budget_options& options) {
  const std::string group = "Privacy";
  command
      .add_option("--epsilon", options.epsilon, "How much the result may tell about one unit; 1 is strict, 5 is weak")
      ->type_name("X")
      ->check(real_between(1e-6, 1e6))
      ->group(group);
  command
      .add_option("--delta", options.asked_delta,
                  "What epsilon leaves uncovered; keep it far below one over the number of units. Default: 0.005 / "
                  "--units, at most 1e-6, or 1e-9 without --units. It is published: do not compute it from the exact "
                  "number")
      ->type_name("X")
      ->check(real_between(1e-100, 0.5))
      ->group(group);
  command.add_option("--unit", options.unit, "What is protected: each document, or all documents of a user (--users)")
      ->check(CLI::IsMember({"auto", "document", "user"}))
      ->group(group);
  command
      .add_option("--units", options.stated_units,
                  "Roughly how many documents (or users) there are. The exact number is private, so dplda does not "
                  "count them, and rounds the stated number to two digits (below 100 to one): state what may be known. "
                  "The printed "
                  "guarantee holds for any number. A guess several times too high or too low costs quality; one far "
                  "too low also gives a default delta that is large for the true number. Default: 10000")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}))
      ->group(group);
  command.add_option("--seed", options.seed, "For experiments only: the same noise each time, so it protects nobody")
      ->type_name("N")
      ->group(group);
  command.add_option("--threads", options.threads, "0: as many as the machine runs at once; never changes the result")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
}

namespace {

void read_number_of_topics(const std::string& asked, learning_options& options) {
  options.topics_by_rule = asked == "auto";
  if (options.topics_by_rule) return;
  const char* const end = asked.data() + asked.size();
  const auto [rest, error] = std::from_chars(asked.data(), end, options.topics);
  if (error != std::errc() || rest != end || options.topics < 1 || options.topics > 1000)
    throw CLI::ValidationError("--topics", asked + " is neither auto nor a whole number from 1 to 1000");
}

}  // namespace

void add_learning_options(CLI::App& command, learning_options& options) {
  add_budget_options(command, options);
  std::string help;
  std::vector<std::string> names;
  for (const engine& each : engines()) {
    help += (help.empty() ? "" : "; ") + each.name + ": " + each.help;
    names.push_back(each.name);
  }
  command
      .add_option_function<std::string>(
          "--topics", [&options](const std::string& asked) { read_number_of_topics(asked, options); },
          "How many topics to learn, or auto: the root of units * epsilon / 1000, at least 5 and at most 100, which "
          "costs nothing because no document is looked at. Default: 20")
      ->type_name("N");
  command.parse_complete_callback([&options] {
    if (options.topics_by_rule)
      options.topics = dplda::topics_for(static_cast<double>(options.units()), options.epsilon);
  });
  command.add_option("--engine", options.engine, help)->check(CLI::IsMember(names));
  command
      .add_option("--vocabulary", options.vocabulary,
                  "A public list of words, one on each line: all others are dropped, and the whole budget goes to the "
                  "topics. It must be a list that would be the same without these documents: this is taken on your "
                  "word, and the report says so. Without it, words are chosen privately")
      ->type_name("FILE")
      ->group("Privacy");
}

void check(const budget_options& options, const input_options& input) {
  check(input);
  if (options.unit_of(input) == dplda::privacy_unit::user && !input.has_users())
    throw usage_error("to protect users, dplda must know who wrote each document: give --users");
}

namespace {

const engine& engine_of(const learning_options& options) {
  const auto named = [&](const engine& each) { return each.name == options.engine; };
  return *std::find_if(engines().begin(), engines().end(), named);
}

}  // namespace

dplda::any_private_learner plan_fit(const learning_options& options, dplda::privacy_unit unit,
                                    const dplda::vocabulary_ptr& vocab) {
  constexpr std::size_t most_cells = 200'000'000;
  if (vocab != nullptr && vocab->size() > most_cells / options.topics)
    throw usage_error(
        "--topics times the words of --vocabulary is above 200 million, the most that fits; take fewer of either");
  if (!(options.public_paths.empty() && options.public_model.empty()) && !engine_of(options).takes_public_text)
    throw usage_error("--engine " + options.engine +
                      " takes no public text and topics; leave out --public and --public-topics");
  if (options.earlier && !engine_of(options).takes_public_text)
    throw usage_error("--engine " + options.engine + " cannot go on from earlier topics; take svi or gibbs");
  return from_options([&] { return engine_of(options).plan(options, unit, vocab); });
}

dplda::topic_model<> fit_without_privacy(const learning_options& options, const dplda::corpus& docs,
                                         dplda::random_source& random, const dplda::observer& watch) {
  return engine_of(options).without_privacy(options, docs, random, watch);
}

}  // namespace dplda_program
