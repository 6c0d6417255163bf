// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/disjoint.hpp>
#include <dplda/analysis/prevalence_file.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/distributed/own_part.hpp>
#include <dplda/evaluation/topic_contrast.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/release_folder.hpp>
#include <dplda/pipeline/topics_with_prevalence.hpp>
#include <dplda/report/report.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "booking.hpp"
#include "chosen_words.hpp"
#include "commands.hpp"
#include "engines.hpp"
#include "forecast_text.hpp"
#include "groups.hpp"
#include "interrupts.hpp"
#include "kept_fit.hpp"
#include "processes.hpp"
#include "real_between.hpp"
#include "release_text.hpp"
#include "same_input.hpp"
#include "weak_paragraphs.hpp"

namespace dplda_program {

namespace {

struct fit_options {
  input_options input;
  learning_options learning;
  group_options groups;
  bool grouped = false;         ///< whether shares are measured, too
  double prevalence_share = 0;  ///< the part of the budget that they get; 0: the default
  std::string output = "dplda-topics", title, book, checkpoint;
  std::string earlier,
      disjoint;  ///< the folder of the release to go on from, and the rule by which documents are others
  std::size_t show = 10;
  bool topics_stated = false;
  bool non_private = false, dry_run = false, force = false, as_json = false;
};

/// The command as it may be published. Names of files, folders and columns may reveal something, so placeholders replace
/// them.
/// The numbers of units and of their words are rounded as in the plan.
std::string public_command(const fit_options& o, const std::vector<std::string>& arguments) {
  std::vector<std::pair<std::string, const char*>> names{
      {o.input.path, "INPUT"},
      {o.input.users, "USERS"},
      {o.input.words, "WORDS"},
      {o.input.scratch, "FOLDER"},
      {o.input.own_stop_words() ? o.input.stop_words : "", "STOP_WORDS"},
      {o.learning.vocabulary, "VOCABULARY"},
      {o.learning.public_model, "PUBLIC_TOPICS"},
      {o.earlier, "RELEASE"},
      {o.book, "BOOK"},
      {o.checkpoint, "CHECKPOINT"},
      {o.groups.labels, "LABELS"},
      {o.groups.list, "GROUPS"},
      {o.output, "FOLDER"}};
  for (const std::string& path : o.learning.public_paths) names.emplace_back(path, "PUBLIC_TEXT");
  std::string command = "dplda";
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    std::string word = arguments[i];
    for (const auto& [file, name] : names) {
      // FILE, --option=FILE or -oFILE
      if (file.empty() || !word.ends_with(file)) continue;
      const std::string option = word.substr(0, word.size() - file.size());
      if (!option.empty() && option != "-o" && !(option.starts_with("--") && option.ends_with('='))) continue;
      word = option + name;
      break;
    }
    for (const auto& [option, shown] : {std::pair{std::string("--units"), std::to_string(o.learning.units())},
                                        {"--length", std::to_string(o.learning.length())},
                                        {"--text", "COLUMN"},
                                        {"--user", "COLUMN"},
                                        {"--group", "COLUMN"},
                                        {"--time", "COLUMN"}}) {
      if (arguments[i - 1] == option) word = shown;
      if (word.starts_with(option + '=')) word = option + '=' + shown;
    }
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>(){}*?`!#~[]") == std::string::npos;
    command += ' ';
    if (!plain) command += '\'';
    for (const char c : word) {
      if (c == '\'') {
        command += "'\\''";
      } else {
        command += c;
      }
    }
    if (!plain) command += '\'';
  }
  return command;
}

/// What disjoint parts cost each unit together.
dplda::budget dearest_of(const dplda::budget& one, const dplda::budget& other) {
  const dplda::guarantee parts[] = {{.epsilon = one.epsilon, .delta = one.delta},
                                    {.epsilon = other.epsilon, .delta = other.delta}};
  const dplda::guarantee all = dplda::disjoint_guarantee(parts);
  return {all.epsilon, all.delta};
}

/// What this part and all before it cost each unit, if they are disjoint. The budget is an upper bound on its claim.
dplda::budget dearest_part(const fit_options& o) {
  return dearest_of(o.learning.dearest, {o.learning.epsilon, o.learning.delta()});
}

json_value::object settings_of(const fit_options& o, dplda::privacy_unit unit) {
  namespace setting = dplda::setting;
  json_value::object settings{{"engine", o.learning.engine}, {"topics", o.learning.topics}};
  settings.emplace_back(setting::choice_of_topics, o.learning.earlier || o.learning.public_topics
                                                       ? setting::given_topics
                                                   : o.learning.topics_by_rule ? setting::topics_by_rule
                                                                               : setting::stated_topics);
  if (!o.non_private) {
    settings.emplace_back("epsilon", o.learning.epsilon);
    settings.emplace_back("delta", o.learning.delta());
    settings.emplace_back("unit", to_string(unit));
    settings.emplace_back(o.learning.stated_units ? setting::stated_units : setting::assumed_units, o.learning.units());
  }
  const bool list = !o.learning.vocabulary.empty();
  settings.emplace_back(setting::words, o.learning.earlier ? setting::earlier_words
                                        : list             ? setting::public_list
                                        : o.non_private    ? "all"
                                                           : setting::private_choice);
  if (o.input.phrases) settings.emplace_back(setting::longest_phrase, o.learning.longest_phrase);
  if (o.learning.earlier) {
    settings.emplace_back(setting::earlier, dplda::read_release_record(o.earlier).model_sha256);
    settings.emplace_back(setting::disjoint, o.disjoint.empty() ? setting::not_disjoint : o.disjoint);
    if (!o.disjoint.empty()) {
      const dplda::budget all = dearest_part(o);
      settings.emplace_back(setting::dearest_epsilon, all.epsilon);
      settings.emplace_back(setting::dearest_delta, all.delta);
    }
    if (o.learning.memory < 1) settings.emplace_back("memory", o.learning.memory);
  }
  if (!o.learning.public_texts.empty()) {
    std::string names;
    for (const dplda::public_text& text : o.learning.public_texts) names += text.name() + ", ";
    settings.emplace_back(setting::public_text, names + "taken on your word");
  }
  if (o.learning.public_topics) {
    const std::filesystem::path folder = std::filesystem::weakly_canonical(o.learning.public_model);
    settings.emplace_back(setting::public_topics, folder.filename().string() + ", taken on your word");
  }
  if (o.grouped) settings.emplace_back("shares of topics", groups_setting(o.groups));
  add_input_settings(settings, o.input);
  if (o.learning.seed) settings.emplace_back("seed", dplda::whole_number(*o.learning.seed));
  return settings;
}

/// Plans topics and their shares from one budget.
dplda::topics_with_prevalence plan_shares(const fit_options& o, const learning_options& learning,
                                          dplda::privacy_unit unit, const dplda::vocabulary_ptr& vocab) {
  dplda::prevalence_options shares{.units = learning.units(), .unit = unit, .threads = learning.threads};
  set_groups(shares, o.groups);
  const auto plan_topics = [&](const dplda::budget& part) {
    learning_options rest = learning;
    rest.epsilon = part.epsilon;
    rest.asked_delta = part.delta;
    return plan_fit(rest, unit, vocab);
  };
  return from_options([&] {
    return dplda::topics_with_prevalence(plan_topics, learning.topics, shares, {learning.epsilon, learning.delta()},
                                         o.prevalence_share);
  });
}

/// A planned private fit, and what to say about it.
struct planned_fit {
  planned_fit(const fit_options& o, const learning_options& learning, dplda::privacy_unit unit,
              const dplda::vocabulary_ptr& vocab)
      : both(o.grouped ? std::optional(plan_shares(o, learning, unit, vocab)) : std::nullopt),
        learner(both ? both->learner() : plan_fit(learning, unit, vocab)),
        ledger(both ? both->ledger() : learner.ledger()),
        claim(both ? both->guarantee() : learner.guarantee()),
        outlook(outlook_of(learner.forecast_from(static_cast<double>(learning.length())),
                           unit == dplda::privacy_unit::user ? "user" : "document")) {
    claim.seeded = learning.seed.has_value();
  }

  dplda::plan_figures figures() const {
    dplda::plan_figures all = learner.figures();
    if (both)
      all.emplace_back("shares of topics", "in " + std::to_string(both->shares().options().groups.size()) +
                                               " groups or periods, for " + number(100 * both->share()) +
                                               " % of epsilon if taken alone");
    return all;
  }

  std::optional<dplda::topics_with_prevalence> both;  ///< if shares are measured
  dplda::any_private_learner learner;
  dplda::ledger ledger;  ///< of the whole plan
  dplda::guarantee claim;
  plan_outlook outlook;
};

/// What holds for the new documents and for the earlier ones together.
std::string what_holds_together(const fit_options& o, const dplda::guarantee& claim) {
  if (!o.learning.earlier) return {};
  const dplda::guarantee& before = o.learning.earlier->value().guarantee();
  if (o.disjoint.empty())
    return paragraph(
               "This covers the earlier release, too: people may have written before, so losses add up (epsilon = ",
               dplda::rounded_up(before.epsilon), " before). If each ", claim.unit,
               " is in one part only, by a public rule such as a date, say so with --disjoint RULE.") +
           '\n';
  const dplda::budget all = dearest_part(o);
  return paragraph("Earlier releases were made of other ", claim.unit, "s, on your word (", o.disjoint,
                   "), so each of them is in one part only, and all parts together cost it at most epsilon = ",
                   dplda::rounded_up(all.epsilon), ", delta = ", number(all.delta),
                   ", if budgets were not chosen from earlier results.",
                   claim.unit == dplda::privacy_unit::user
                       ? " Users who wrote to several parts lose what all these parts cost."
                       : "") +
         '\n';
}

void show_plan(const fit_options& o, const planned_fit& plan, const std::optional<booking>& book) {
  std::cout << "The guarantee, known before any document is read:\n" << paragraph(plan.claim) << '\n';
  std::cout << "The plan is for about " << o.learning.units() << ' ' << plan.claim.unit << 's'
            << (!o.learning.stated_units                         ? " (the default, as --units is not given)"
                : *o.learning.stated_units != o.learning.units() ? ", rounded because the exact number is private"
                                                                 : "")
            << ".\n"
            << "The guarantee holds for any number. A plan for several times too many or too few costs quality.\n"
            << what_is_a_document(o.input) << '\n'
            << (o.learning.topics_by_rule
                    ? "Topics: " + std::to_string(o.learning.topics) + ", by a public rule, at no cost.\n"
                    : "")
            << '\n'
            << what_holds_together(o, plan.claim) << weak_paragraphs(plan.claim, o.learning.known_units());
  if (book) std::cout << "The budget book:\n" << book->outlook() << '\n';
  const std::string basis = "For " + to_string(plan.claim.unit) + "s of about " + std::to_string(o.learning.length()) +
                            " different words" + (o.learning.vocabulary.empty() ? "" : " of the list") +
                            (o.learning.stated_length ? ": " : " (the default, as --length is not given): ");
  if (plan.both) std::cout << "The shares of topics:\n" << planned_widths(plan.both->shares()) << '\n';
  if (!o.dry_run) {
    std::cout << paragraph("Forecast. " + basis + plan.outlook.verdict) << '\n';
    return;
  }
  std::cout << "What will be done:\n";
  for (const auto& [name, value] : plan.figures()) std::cout << paragraph(name + ": " + value);
  std::cout << "\nWhat to expect, computed from public numbers alone:\n"
            << paragraph(basis + plan.outlook.text)
            << "\nThis was a dry run: nothing was read and nothing was spent.\n";
}

json_value plan_json(const fit_options& o, const planned_fit& plan, const dplda::release_details& details,
                     const std::optional<booking>& book) {
  json_value::object figures;
  for (const auto& [name, value] : plan.figures()) figures.emplace_back(name, value);
  return json_value::object{
      {"dry_run", true},
      {"settings", details.settings},
      {"plan", figures},
      {"length", o.learning.length()},
      {"forecast", plan.outlook.forecast ? to_json(*plan.outlook.forecast) : json_value(nullptr)},
      {"outlook", plan.outlook.text},
      {"guarantee", to_json(plan.claim)},
      {"weaknesses", list_of(dplda::weaknesses(plan.claim, o.learning.known_units()))},
      {"shares", plan.both ? json_value(json_value::object{{"share_of_budget", plan.both->share()},
                                                           {"own_guarantee", to_json(plan.both->shares().guarantee())},
                                                           {"least_units", plan.both->shares().least_units()}})
                           : json_value(nullptr)},
      {"ledger", to_json(plan.ledger)},
      {"book", book ? book->outlook_json() : json_value(nullptr)}};
}

void show_result(const fit_options& o, const dplda::topic_model<>& model, const dplda::release_record& record,
                 bool measured) {
  if (o.as_json) {
    json_value result = to_json(record);
    result.set("output", o.output);
    if (measured) result.set("prevalence", o.output + "/prevalence.json");
    result.set("topics", topics_json(model, o.show));
    print(result);
    return;
  }
  std::cout << model.topics() << " topics of " << model.words() << " words:\n\n" << topics_text(model, o.show) << '\n';
  if (model.vocab()->find("(no word 1)")) std::cout << paragraph(dplda::words_are_missing) << '\n';
  for (const std::string& remark : record.details.remarks) std::cout << paragraph(remark) << '\n';
  if (record.details.stands_out == false) std::cout << paragraph(dplda::not_standing_out) << '\n';
  if (record.claim && !record.details.stands_out) std::cout << paragraph(dplda::not_compared) << '\n';
  std::cout << what_was_spent(record) << "Written to " << o.output << "; open " << o.output
            << "/report.html to look at it.\n"
            << (measured ? "The shares of topics are in it, and in " + o.output + "/prevalence.csv.\n" : "");
}

/// The words of a list for a fit without privacy. If a release beside it tells that they were chosen from documents, they
/// know it, so that topics over them are not taken for public ones later.
dplda::vocabulary_ptr words_as_recorded(const std::filesystem::path& words, std::size_t most_megabytes) {
  std::error_code none;
  if (std::filesystem::exists(words.string() + ".release.json", none)) return dplda::load_released_words(words).value();
  if (words.filename() == "vocabulary.txt" && std::filesystem::exists(words.parent_path() / "model.json", none))
    return dplda::load_model(words.parent_path()).vocab();
  return read_words(words.string(), most_megabytes);
}

/// Topics that the user states to be public. Throws usage_error if they are a release: its cost would be left out.
dplda::public_topics read_public_topics(const std::filesystem::path& folder) {
  std::error_code none;
  if (std::filesystem::exists(folder / "release.json", none) && dplda::read_release_record(folder).claim)
    throw usage_error(folder.string() +
                      ": was released from private documents, at a cost that would be left out here; give topics that "
                      "were learned from public text (dplda fit --non-private)");
  return from_options([&] { return declare_public(dplda::load_model(folder)); });
}

/// Whether the topics stand out from noise: compares them with fits to made-up documents of the stated number and
/// length. Uses the release and public numbers only. Returns nothing, which is reported as "not compared", where the
/// comparison would say little or take long.
std::optional<bool> compare_with_noise(const learning_options& learning, const planned_fit& plan,
                                       const dplda::topic_model<>& model, dplda::random_source& random,
                                       progress_display& progress) {
  if (!plan.outlook.forecast || model.topics() < 2 || model.vocab()->find("(no word 1)")) return {};
  if (learning.public_topics || learning.earlier) return {};  // where they are used, they stand out by themselves
  const double kept = learning.vocabulary.empty() ? dplda::share_of_words(static_cast<double>(model.words())) : 1;
  const double length = kept * static_cast<double>(learning.length());
  if (length < dplda::shortest_to_compare || length * static_cast<double>(learning.units()) > 2e6) return {};
  progress.phase("comparing with documents without topics");
  return dplda::stands_out(model, learning.units(), length, random, [&](const dplda::corpus& docs) {
    return plan.learner.fit(own_part(docs, false, processes()), random).value();
  });
}

/// The words that cost the whole plan, with the shares of topics if they are planned.
dplda::release<dplda::vocabulary_ptr> at_whole_cost(const planned_fit& plan, const dplda::planned_words& words) {
  return {words.value(), plan.claim, plan.ledger};
}

/// The same as learn, kept between its steps, and going on from what was kept.
dplda::release<dplda::topic_model<>> learn_in_steps(const planned_fit& plan, const dplda::divided_corpus& docs,
                                                    dplda::random_source& random, const dplda::observer& watch,
                                                    bool as_json, kept_fit& kept) {
  std::optional<dplda::private_topics_state> state;
  const bool chooses = plan.learner.chooses_words();
  dplda::vocabulary_ptr words = docs.docs().vocab();
  if (kept.found()) {
    state = kept.found()->state;
    if (chooses) {
      if (kept.found()->words == nullptr)
        throw dplda::parse_error("words.txt", 0,
                                 "expected the words that were chosen, beside the state of the checkpoint");
      words = dplda::release<dplda::vocabulary_ptr>(kept.found()->words, plan.claim, plan.ledger).value();
    }
  } else {
    std::optional<dplda::planned_words> chosen;
    if (chooses) {
      chosen = plan.learner.choose_words(docs, random);
      if (chosen->value()->size() < 2) kept.remove();
      check_words(at_whole_cost(plan, *chosen), 2, as_json);
    }
    dplda::stateful_start begun = plan.learner.start(chosen ? &*chosen : nullptr, docs, random);
    words = begun.words;
    state = std::move(begun.state);
    kept.keep(*state, chooses ? words : nullptr);
  }
  if (chooses) set_hinted();
  set_kept();
  return plan.learner.resume(*state, words, docs, random, [&](const dplda::progress& now) {
    kept.keep(*state);  // before anybody is told of the step
    return watch && watch(now);
  });
}

/// Chooses words, of a corpus, or of texts with their phrases. Throws nothing_learned if fewer than two are released.
template <class Documents>
dplda::planned_words choose_words(const planned_fit& plan, const Documents& docs, dplda::random_source& random,
                                  bool as_json) {
  dplda::planned_words words = plan.learner.choose_words(docs, random);
  check_words(at_whole_cost(plan, words), 2, as_json);
  set_hinted();
  return words;
}

/// Learns topics, of words that were chosen or are public. Throws nothing_learned if they are more than the engine takes.
dplda::release<dplda::topic_model<>> learn(const planned_fit& plan, const std::optional<dplda::planned_words>& words,
                                           const dplda::divided_corpus& docs, dplda::random_source& random,
                                           const dplda::observer& watch, bool as_json) {
  if (!words) return plan.learner.fit(docs, random, watch);
  try {
    return plan.learner.fit(*words, docs, random, watch);
  } catch (const std::invalid_argument& error) {  // more words than the engine takes
    refuse_words(at_whole_cost(plan, *words), error.what(), "A smaller --epsilon, or another --engine, would help",
                 as_json);
  }
}

/// What a fit adds to the book: the release that it goes on from has an entry of its own.
dplda::ledger booked_part(const fit_options& o, const dplda::ledger& planned) {
  if (!o.learning.earlier || o.learning.earlier->disjoint()) return planned;
  return without(planned, o.learning.earlier->value().ledger());
}

/// The topics that the fit goes on from. Throws usage_error if options contradict them.
dplda::earlier_topics read_earlier(fit_options& o) {
  if (o.topics_stated || !o.learning.vocabulary.empty() || !o.learning.public_model.empty())
    throw usage_error(
        "topics and words are those of the release, whose numbers stay; leave out --topics, --vocabulary and "
        "--public-topics");
  dplda::saved_release saved = dplda::load_release(o.earlier);
  dplda::release<dplda::topic_model<>>& topics = saved.topics;
  const auto number_of = [&](const char* name, double otherwise) {
    const json_value* const found = saved.details.find(name);
    const double* const value = found == nullptr ? nullptr : found->get_if<double>();
    return value == nullptr ? otherwise : *value;
  };
  if (o.disjoint.empty() && !topics.guarantee().part.empty())
    throw usage_error(o.earlier +
                      ": was made of documents that are in no part before it, whose cost it does not have; say with "
                      "--disjoint that these are others, too");
  const dplda::budget own{topics.guarantee().epsilon, topics.guarantee().delta};
  o.learning.dearest = dearest_of(own, {number_of(dplda::setting::dearest_epsilon, own.epsilon),
                                        number_of(dplda::setting::dearest_delta, own.delta)});
  o.learning.topics = topics.value().topics();
  const double before = o.disjoint.empty() ? price(topics.ledger(), o.learning.delta()).epsilon : 0;
  if (before > 0.95 * o.learning.epsilon)
    throw usage_error(
        "the earlier release costs epsilon = " + dplda::rounded_up(before) +
        ", and --epsilon is for both together; raise it, or say with --disjoint that the documents are others");
  return from_options([&] {
    return o.disjoint.empty() ? dplda::earlier_topics(std::move(topics))
                              : declare_disjoint(std::move(topics), o.disjoint);
  });
}

/// The documents that this process works on, and their groups. What can be read in parts, is. A user's documents may lie
/// anywhere: those of a packed corpus are looked up by all processes, others are brought together. If phrases will be
/// chosen, one process also keeps the texts in the order of their words.
dplda::labelled_corpus read_own_part(fit_options& o, const dplda::vocabulary_ptr& vocab, dplda::privacy_unit unit,
                                     const std::optional<planned_fit>& plan, std::vector<std::uint32_t>& groups,
                                     std::optional<dplda::ordered_texts>& texts) {
  const bool users = unit == dplda::privacy_unit::user;
  if (!(users && is_packed(o.input)) && !o.input.phrases) set_part(o.input, o.grouped, !o.groups.labels.empty());
  dplda::labelled_corpus found;
  if (o.learning.longest_phrase > 1) {
    labelled_texts read = read_labelled_texts(o.input);
    found = std::move(read.found);
    texts = std::move(read.texts);
  } else {
    found = read_labelled_corpus(o.input, vocab);
  }
  from_options([&] {
    require_other_text(o.learning.public_texts, found.docs, o.input.part.of > 1 ? processes() : dplda::process_group());
  });
  if (o.grouped) groups = group_numbers(o.groups, found, plan->both->shares().options().groups);
  if (o.input.part.of > 1 && users) found.docs = users_together(found.docs, groups, processes());
  if (o.input.part.of > 1 || processes().alone()) return found;
  if (!is_packed(o.input)) require_same_documents(found.docs, groups);
  const std::vector<std::size_t> own = own_documents(found.docs, users, processes());
  found.docs = found.docs.select(own);
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; !groups.empty() && i < own.size(); ++i) kept.push_back(groups[own[i]]);
  groups = std::move(kept);
  return found;
}

/// Takes the folder of --checkpoint. Throws usage_error if it is for another book.
void take_kept(const fit_options& o, const planned_fit& plan, const std::string& plan_text,
               std::optional<booking>& book, std::optional<kept_fit>& kept) {
  if (o.learning.seed)
    throw usage_error("a fit that goes on has fresh noise, whatever --seed says; leave out --seed or --checkpoint");
  if (!plan.learner.has_states())
    throw usage_error("--engine " + o.learning.engine +
                      " has no steps between which it could be kept; leave out "
                      "--checkpoint, or take svi or gibbs");
  kept.emplace(o.checkpoint, plan_text);
  if (!kept->booked().empty() && !book)
    throw usage_error(o.checkpoint + ": its release is in a budget book; name the book with --book");
  if (kept->booked().empty() && kept->found() && book)
    throw usage_error(o.checkpoint + ": was begun without a budget book, and has spent already; leave out --book");
  if (!kept->booked().empty()) book->take_up(kept->booked());
}

/// Writes the release to the book, unless an earlier run did. Returns the id of the entry.
std::string spend(booking& book, std::optional<kept_fit>& kept) {
  if (kept && !kept->booked().empty()) return kept->booked();
  std::string id = together([&] { return is_first() ? book.spend() : std::string(); });
  processes().broadcast(id, 0);
  if (kept) kept->keep_booked(id);
  return id;
}

/// Throws usage_error if phrases are asked for together with what knows words alone.
void check_phrases(const fit_options& o) {
  if (o.learning.longest_phrase == 1) return;
  require_one_process("fit --phrases");
  if (o.non_private) throw usage_error("phrases are chosen privately; leave out --phrases or --non-private");
  if (!o.checkpoint.empty()) throw usage_error("a checkpoint keeps no phrases; leave out --phrases or --checkpoint");
  if (!o.learning.vocabulary.empty())
    throw usage_error("a public list says which words count; leave out --phrases or --vocabulary");
  if (!(o.learning.public_paths.empty() && o.learning.public_model.empty()))
    throw usage_error("public text and topics know words alone; leave out --phrases, or --public and --public-topics");
}

void fit(fit_options o, const std::vector<std::string>& arguments) {
  if (o.non_private) require_one_process("fit --non-private");
  o.input.phrases = o.learning.longest_phrase > 1;
  if (!o.earlier.empty()) cut_as_released(o.input, o.earlier);
  check(o.learning, o.input);
  o.grouped = check(o.groups, o.input);
  if (o.non_private && o.dry_run) throw usage_error("a fit without privacy has no plan to show; leave out --dry-run");
  if ((o.non_private || o.dry_run) && !o.checkpoint.empty())
    throw usage_error("--checkpoint is for private fits, and there is none; leave it out");
  if (o.non_private && !o.book.empty())
    throw usage_error("a fit without privacy has no cost to book; leave out --book");
  if (o.non_private && !(o.learning.public_paths.empty() && o.learning.public_model.empty()))
    throw usage_error("a fit without privacy takes no public text; leave out --public and --public-topics");
  if (o.non_private && o.grouped)
    throw usage_error("a fit without privacy measures no shares of topics; leave out --group, --labels and --time");
  if (o.prevalence_share > 0 && !o.grouped)
    throw usage_error("--prevalence-share is for shares of topics; give --group, --labels or --time");
  check_phrases(o);
  if (o.non_private && o.learning.topics_by_rule)
    throw usage_error("--topics auto follows from --epsilon, which a fit without privacy has not; state a number");
  if (!o.non_private) check_unpruned(o.input);
  if (!o.book.empty() && !o.learning.asked_delta)
    o.learning.asked_delta = booked_delta(o.book, o.learning.epsilon, o.learning.delta());
  if (!o.dry_run) {
    check_writable(o.output, o.force, true);
    dplda::check_release_folder(o.output, o.force);
    check_exists(o.input);
  }
  const dplda::privacy_unit unit = o.learning.unit_of(o.input);
  if (!o.earlier.empty()) o.learning.earlier = read_earlier(o);
  const dplda::vocabulary_ptr vocab = o.learning.earlier              ? o.learning.earlier->value().value().vocab()
                                      : o.learning.vocabulary.empty() ? nullptr
                                      : o.non_private ? words_as_recorded(o.learning.vocabulary, o.input.unpacked)
                                                      : read_public_words(o.learning.vocabulary, o.input);
  if (!o.learning.public_model.empty()) {
    o.learning.public_topics = read_public_topics(o.learning.public_model);
    const std::size_t topics = o.learning.public_topics->value().topics();
    if (o.topics_stated && o.learning.topics != topics)
      throw usage_error("--public-topics has " + std::to_string(topics) + " topics; leave out --topics");
    o.learning.topics = topics;
  }
  if (!o.dry_run) o.learning.public_texts = read_public_texts(o.learning.public_paths, o.input);
  dplda::release_details details{
      .title = o.title, .settings = settings_of(o, unit), .command = public_command(o, arguments)};
  progress_display progress(o.as_json);
  std::optional<planned_fit> planned;
  std::optional<booking> book;
  std::optional<kept_fit> kept;
  if (!o.non_private) {
    const planned_fit& plan = planned.emplace(o, o.learning, unit, vocab);
    if (!o.book.empty()) {
      const auto plan_for = [&](const dplda::budget& other) {
        learning_options learning = o.learning;
        learning.epsilon = other.epsilon;
        learning.asked_delta = other.delta;
        return booked_part(o, planned_fit(o, learning, unit, vocab).ledger);
      };
      book.emplace(o.book, o.learning.earlier ? "update" : "fit", booked_part(o, plan.ledger),
                   dplda::budget{o.learning.epsilon, o.learning.delta()}, o.learning.seed.has_value(), plan_for);
    }
    const std::string plan_text = plan_json(o, plan, details, {}).dump();
    require_same_in_all(plan_text, "plans");
    if (!o.checkpoint.empty()) take_kept(o, plan, plan_text, book, kept);
    const bool is_booked = kept && !kept->booked().empty();
    if (o.dry_run && o.as_json) return print(plan_json(o, plan, details, book));
    if (book && !o.dry_run && !is_booked) book->check_admitted();
    if (!o.as_json) show_plan(o, plan, is_booked ? std::nullopt : book);
    if (o.dry_run) return;
  }
  set_unspent(true);
  progress.phase("reading");
  std::vector<std::uint32_t> groups;
  std::optional<dplda::ordered_texts> texts;  // if phrases will be chosen
  dplda::corpus docs = read_own_part(o, vocab, unit, planned, groups, texts).docs;
  dplda::random_source random = o.learning.random();
  progress.phase(vocab || o.non_private ? "learning topics" : "choosing words, then learning topics");
  std::optional<dplda::release<dplda::prevalence>> shares;
  const auto write = [&](const dplda::topic_model<>& model, const dplda::release_record& record, const auto& save) {
    if (!is_first()) return;
    progress.phase("writing");
    dplda::report_content content = dplda::report_content_of(model, record);
    if (shares) add_prevalence(content, *shares);
    dplda::save_release_options options{.overwrite = o.force, .report = dplda::report_html(content)};
    if (shares)
      options.further = [&](const std::string& model_sha256) {
        dplda::guarantee own = planned->both->shares().guarantee();
        own.seeded = o.learning.seed.has_value();
        const json_value file = prevalence_json(
            *shares,
            {.own = own, .model_sha256 = model_sha256, .settings = details.settings, .booked = details.booked});
        return std::vector<dplda::file_text>{{"prevalence.json", file.dump(2) + '\n'},
                                             {"prevalence.csv", dplda::prevalence_csv(shares->value())}};
      };
    {
      const deferred_interrupts deferred;
      // A fit that goes on would write the same topics again, but measure other shares.
      if (kept && shares) kept->remove();
      options.before_commit = [&] {
        deferred.commit();
        if (kept && !shares) kept->remove();
      };
      save(options);
    }
    progress.done();
    show_result(o, model, record, shares.has_value());
  };
  if (o.non_private) {
    const auto model = fit_without_privacy(o.learning, docs, random, progress.observer());
    return write(model, {.details = details},
                 [&](const auto& options) { dplda::save_non_private(o.output, model, details, options); });
  }
  if (kept)
    kept->keep_documents(is_packed(o.input) ? dplda::read_bytes(std::filesystem::path(o.input.path) / "corpus.json")
                                            : fingerprint_of(docs, groups, processes()));
  if (book) details.booked = spend(*book, kept);
  std::optional<dplda::planned_words> words;
  if (texts) {
    words = choose_words(*planned, *texts, random, o.as_json);
    docs = planned->learner.documents(*words, *texts);
  }
  const dplda::divided_corpus divided(docs, unit);
  if (!texts && !kept && planned->learner.chooses_words()) words = choose_words(*planned, divided, random, o.as_json);
  if (kept && kept->found())
    progress.phase("going on after step " + std::to_string(kept->found()->state.steps()) + " of its checkpoint");
  auto released = kept ? learn_in_steps(*planned, divided, random, progress.observer(), o.as_json, *kept)
                       : learn(*planned, words, divided, random, progress.observer(), o.as_json);
  if (planned->both) {
    progress.phase("measuring shares");
    dplda::measured_topics both = planned->both->measure(released, divided, groups, random);
    released = std::move(both.topics);
    shares = std::move(both.shares);
  }
  if (book && is_first()) book->check_spent(booked_part(o, released.ledger()));
  details.remarks = released.remarks();
  details.stands_out = compare_with_noise(o.learning, *planned, released.value(), random, progress);
  write(released.value(), {released.guarantee(), released.ledger(), details, {}},
        [&](const auto& options) { dplda::save_release(o.output, released, details, options); });
}

}  // namespace

namespace {

/// What fit and update share.
void add_fit_options(CLI::App* command, const std::shared_ptr<fit_options>& o) {
  add_input_options(*command, o->input);
  add_unpruned_option(*command, o->input);
  add_learning_options(*command, o->learning);
  add_group_options(*command, o->groups, o->input);
  command
      ->add_option("--prevalence-share", o->prevalence_share,
                   "With groups or periods: the part of the budget that their shares of topics would cost if they were "
                   "released alone. Default: between 0.1 and 0.25, the more the fewer units each group has by --units")
      ->type_name("X")
      ->check(real_between(0.01, 0.9))
      ->group("Groups and months");
  command->add_option("-o,--output", o->output, "The folder to write")->type_name("FOLDER");
  command->add_option("--title", o->title, "The title of the report; it is published")->type_name("TEXT");
  command->add_option("--show", o->show, "How many words of each topic to print")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--length", o->learning.stated_length,
                   "Roughly how many different words a typical document (or user) has, not counting stop words; with "
                   "--vocabulary, words of that list. A public guess, like --units; only the forecast and the "
                   "comparison with noise use it. Default: 30")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->group("Privacy");
  command
      ->add_option(
          "--public", o->learning.public_paths,
          "Text that is public, of any kind INPUT may be: its word frequencies are used for free, and help where "
          "documents (or users) are few. It need not be about the same things. It must be text that would be the "
          "same without these documents, and be chosen without looking at them: this is taken on your word, and the "
          "report names it by its file name. "
          "May be given several times")
      ->type_name("TEXT")
      ->allow_extra_args(false)
      ->group("Privacy");
  command
      ->add_option(
          "--public-topics", o->learning.public_model,
          "Topics of public text of the same domain, as a folder that dplda fit --non-private wrote from that "
          "text: where the documents say little, topics stay near these. If they do not seem to fit, they are not "
          "used; about two hundredths of the budget pay for finding out. Their number is --topics. Taken on your word, "
          "as --public is")
      ->type_name("FOLDER")
      ->group("Privacy");
  command->add_flag("--dry-run", o->dry_run, "Show the plan, the guarantee and what to expect, and read no document");
  command->add_flag("--force", o->force, "Replace an output folder of dplda");
  command->add_flag("--json", o->as_json, "Print JSON, and no progress");
  add_book_option(*command, o->book);
  command
      ->add_option(
          "--checkpoint", o->checkpoint,
          "Keep the fit in this folder after each step. After a crash or an interrupt, the same command goes on from "
          "there, with fresh noise, and is booked once; it may have another number of processes (mpirun) and threads. "
          "The folder is as private as the documents, which must stay the same; it is removed when the release is "
          "written. Never copy it: two releases from it would cost more than is booked")
      ->type_name("FOLDER")
      ->group("Privacy");
}

}  // namespace

void add_fit(CLI::App& app, const std::vector<std::string>& arguments) {
  const auto o = std::make_shared<fit_options>();
  CLI::App* const command = app.add_subcommand("fit", "Learn topics, with a guarantee, and write them with a report");
  add_fit_options(command, o);
  command
      ->add_option("--phrases", o->learning.longest_phrase,
                   "For text: choose phrases, words in a row such as new_york, of up to so many words besides single "
                   "words, from the same budget. Topics are then of words and phrases. 1: words alone")
      ->type_name("N")
      ->check(CLI::Range(1, 8))
      ->group("Privacy");
  command->add_flag("--non-private", o->non_private, "Learn without noise, for comparison; not for release")
      ->group("Privacy");
  command->footer(
      "\nExamples:\n"
      "  dplda fit letters/ --dry-run                 what would this promise, and would it work?\n"
      "  dplda fit letters/ --epsilon 1 --units 20000 -o topics\n"
      "  dplda fit reviews.txt.gz --users authors.txt --units 5000    protects authors, not single reviews\n"
      "  dplda fit all-words.ldac --words words.txt --unpruned --units 3000    counts, from which no word was left "
      "out\n"
      "  dplda fit letters/ --units 3000 --public news.txt    few letters: what words are frequent in the news helps\n"
      "  dplda fit letters.csv --text Letter --user Sender --time Date --by month --from 2024-01 --to 2024-12\n"
      "                                               topics, and how large they are in each month, from one budget\n"
      "  dplda fit letters/ --units 20000 --book letters.book    counts this fit together with others, see dplda book\n"
      "\nIn the folder: phi.npy (numpy opens it: topics x words), vocabulary.txt, counts.npy, model.json, release.json "
      "(guarantee,\n"
      "ledger, settings) and report.html; with groups or months also prevalence.json and prevalence.csv. All of it may "
      "be published with the guarantee. dplda prints nothing else\n"
      "about the documents, not even their number, unless it must refuse them; such a message is for your eyes only.\n"
      "If fewer than two words may be shown (or more than the engine takes), topics are not learned, nothing is "
      "written, and the exit code is 3; the\n"
      "whole plan still counts as spent.");
  command->callback([o, command, &arguments] {
    o->topics_stated = command->count("--topics") > 0;
    fit(*o, arguments);
  });
}

void add_update(CLI::App& app, const std::vector<std::string>& arguments) {
  const auto o = std::make_shared<fit_options>();
  CLI::App* const command =
      app.add_subcommand("update", "Learn from new documents, going on from released topics: next month's letters");
  command->add_option("RELEASE", o->earlier, "The folder of the topics to go on from, as dplda fit or update wrote it")
      ->required();
  add_fit_options(command, o);
  command
      ->add_option(
          "--disjoint", o->disjoint,
          "The public rule by which no new document (or user) is in an earlier part, such as 'received in "
          "February 2026'. It must decide for each by itself, without looking at others. Then the new documents pay "
          "for themselves alone, and the dearer of both releases holds for all. Taken on your word, and "
          "published. Without it, --epsilon is for this release and all before it together")
      ->type_name("RULE")
      ->group("Privacy");
  command
      ->add_option("--memory", o->learning.memory,
                   "How much of the earlier counts is kept; below 1, months count the less the longer ago they are")
      ->type_name("X")
      ->check(real_between(1e-6, 1));
  command->footer(
      "\nExample:\n"
      "  dplda fit january/ --epsilon 1 --units 20000 -o january.topics\n"
      "  dplda update january.topics february/ --epsilon 1 --units 20000 --disjoint 'received in February' -o "
      "february.topics\n"
      "  dplda account january.topics february.topics\n"
      "\nThe new topics start from the released ones, have their numbers and their words, and become clearer with "
      "every "
      "month.");
  command->callback([o, command, &arguments] {
    o->topics_stated = command->count("--topics") > 0;
    fit(*o, arguments);
  });
}

}  // namespace dplda_program
