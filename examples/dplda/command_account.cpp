// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/calibration.hpp>
#include <dplda/accounting/trade_off.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/io/dp_events.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/report/accountants.hpp>
#include <dplda/report/curve.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "account_total.hpp"
#include "commands.hpp"
#include "real_between.hpp"

namespace dplda_program {

namespace {

struct event_options {
  std::string mechanism = "gaussian";
  double noise = 1, rate = 1;
  std::uint64_t steps = 1;
};

/// Adds the options that describe events, except their noise.
void add_event_options(CLI::App& command, event_options& event) {
  command.add_option("--mechanism", event.mechanism, "The noise of each step")
      ->check(CLI::IsMember({"gaussian", "laplace", "discrete_gaussian"}));
  command.add_option("--rate", event.rate, "The probability that a unit is in a step's sample; 1: no sampling")
      ->type_name("X")
      ->check(real_between(1e-9, 1.0));
  command.add_option("--steps", event.steps, "How many steps")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
}

constexpr double usual_delta = 1e-6;

template <class Number>
void add_delta(CLI::App& command, Number& delta, const std::string& otherwise = {}) {
  command.add_option("--delta", delta, "The delta of the guarantee" + otherwise)
      ->type_name("X")
      ->check(real_between(0.0, 1.0));
}

dplda::ledger ledger_of(const event_options& event, double noise,
                        dplda::privacy_unit unit = dplda::privacy_unit::document,
                        dplda::neighbours relation = dplda::neighbours::add_remove) {
  dplda::mechanism mechanism = dplda::gaussian_noise{noise};
  if (event.mechanism == "laplace") mechanism = dplda::laplace_noise{noise};
  if (event.mechanism == "discrete_gaussian") mechanism = dplda::discrete_gaussian_noise{noise};
  dplda::ledger book;
  book.record({.noise = mechanism,
               .sampling = event.rate < 1 ? dplda::sampling(dplda::poisson_sample{event.rate}) : dplda::all_units{},
               .unit = unit,
               .relation = relation},
              event.steps);
  return book;
}

/// What is asked besides epsilon at a delta.
struct curve_questions {
  std::optional<double> epsilon = {};  ///< delta at this epsilon
  std::string plot, events;            ///< files to write: a picture, and events of dp_accounting
};

std::string chance(double p) { return dplda::rounded_up(p); }

/// Answers them from one composed loss. Returns members for the JSON.
json_value::object answer(const dplda::ledger& book, const curve_questions& asked, bool as_json) {
  json_value::object also;
  dplda::composed_loss loss(book);
  if (asked.epsilon) {
    const auto [lower, upper] = loss.delta(*asked.epsilon);
    also.emplace_back("delta_at_epsilon",
                      json_value::object{{"epsilon", *asked.epsilon}, {"delta", upper}, {"surely_more_than", lower}});
    if (!as_json) {
      std::cout << "\nAt epsilon = " << number(*asked.epsilon) << ", delta is at most " << dplda::rounded_up(upper)
                << (lower > 0 && lower < 1 ? ", and certainly more than " + number(lower) : "") << ".\n";
    }
  }
  if (!asked.plot.empty()) {
    const dplda::trade_off_curve curve(loss);
    dplda::write_file(asked.plot, [&](std::ostream& out) { out << dplda::curve_svg(curve); });
    const double guess = dplda::right_guess(loss, 0.5).upper, missed = curve.missed(0.01).lower;
    const auto [mu, error] = curve.gaussian();
    also.emplace_back("right_guess_at_even_odds", guess);
    also.emplace_back("found_at_1_percent_false_alarms", 1 - missed);
    also.emplace_back("gaussian_mu", dplda::number_or_infinity(mu));
    also.emplace_back("gaussian_mu_error", error);
    if (!as_json) {
      std::cout << "\nWhoever guesses at even odds whether one unit is in the data is right with a chance of at most "
                << chance(guess) << ". A test that raises a false alarm in 1 % of cases finds at most "
                << chance(1 - missed)
                << " of those present. The curve resembles that of Gaussian noise with mu = " << number(mu)
                << ", within " << number(error) << ". The picture is in " << asked.plot << ".\n";
    }
  }
  if (!asked.events.empty()) {
    const json_value events = from_options([&] { return dplda::to_dp_events(book); });
    dplda::write_file(asked.events, [&](std::ostream& out) { out << events.dump(2) << '\n'; });
  }
  return also;
}

/// Prints what a ledger costs by every accountant, and what holds. `also` is added to the JSON.
void show_prices(const dplda::ledger& book, double delta, const dplda::guarantee& whole, bool several, bool as_json,
                 const curve_questions& asked, json_value::object also) {
  json_value::array listed;
  if (!as_json) {
    std::cout << "What this costs at delta = " << number(delta) << ", by every accountant"
              << (several ? ", if no budget was chosen from an earlier result:\n\n" : ":\n\n")
              << "  accountant    epsilon\n";
  }
  for (const auto& [by, epsilon] : dplda::prices(book, delta)) {
    const auto [lower, upper] = epsilon;
    listed.push_back(json_value::object{{"accountant", by.key},
                                        {"epsilon", dplda::number_or_infinity(upper)},
                                        {"surely_more_than", dplda::number_or_infinity(lower)}});
    if (as_json) continue;
    std::cout << "  " << std::left << std::setw(10) << by.key << std::right << std::setw(11)
              << (std::isfinite(upper) ? dplda::rounded_up(upper) : "none") << "   " << by.how_it_counts
              << (lower > 0 && std::isfinite(lower) ? "; certainly more than " + number(lower) : "") << '\n';
  }
  if (!as_json) {
    std::cout << '\n' << paragraph(whole);
    answer(book, asked, false);
    return;
  }
  for (auto& member : answer(book, asked, true)) also.push_back(std::move(member));
  json_value result = json_value::object{
      {"delta", delta}, {"prices", listed}, {"guarantee", to_json(whole)}, {"ledger", to_json(book)}};
  for (const auto& [key, value] : also) result.set(key, value);
  print(result);
}

struct account_options {
  event_options event;
  std::vector<std::string> files;
  bool further = false;  ///< the options describe a further release, to be added to those in the files
  std::optional<double> asked_delta = {};
  std::string events;  ///< a file with events of dp_accounting, instead of FILE and options
  bool replaced = false;
  curve_questions asked = {};
  bool as_json = false;
};

void account(const account_options& o) {
  if (o.files.empty()) {
    const auto relation = o.replaced ? dplda::neighbours::replace : dplda::neighbours::add_remove;
    const dplda::ledger described = o.events.empty()
                                        ? from_options([&] { return ledger_of(o.event, o.event.noise); })
                                        : dplda::read_dp_events(o.events, dplda::privacy_unit::document, relation);
    const double delta = o.asked_delta.value_or(usual_delta);
    return show_prices(described, delta, price(described, delta), false, o.as_json, o.asked, {});
  }
  const account_total spent = total_of(o.files);
  const double delta = o.asked_delta.value_or(spent.delta > 0 ? std::min(spent.delta, 1.0) : usual_delta);
  const dplda::ledger further =
      o.further ? from_options([&] { return ledger_of(o.event, o.event.noise, spent.unit, spent.relation); })
                : dplda::ledger();
  const dplda::ledger priced = o.further ? spent.with(further) : spent.ledger;
  const dplda::guarantee whole = spent.guarantee(further, delta);
  const bool several = spent.assumes_fixed_plans || spent.releases() + (o.further ? 1 : 0) > 1;
  if (o.as_json) {
    json_value also = to_json(spent);
    if (o.further) also.set("further", further_json(spent, further, delta));
    return show_prices(priced, delta, whole, several, true, o.asked, also.as<json_value::object>());
  }
  std::cout << paragraphs(spent);
  if (o.further) std::cout << further_text(spent, further, delta);
  show_prices(priced, delta, whole, several, false, o.asked, {});
}

struct calibrate_options {
  event_options event;
  double epsilon = 2, delta = usual_delta;
  bool as_json = false;
};

void calibrate(const calibrate_options& o) {
  const dplda::budget total{o.epsilon, o.delta};
  json_value::array noises;
  if (!o.as_json) {
    std::cout << "The noise that epsilon = " << number(o.epsilon) << ", delta = " << number(o.delta)
              << " needs, as a multiple of the most that one unit may contribute:\n\n  accountant      noise\n";
  }
  for (const auto& [by, key, title, how_it_counts] : dplda::every_accountant) {
    json_value noise = nullptr;
    try {
      noise = dplda::smallest_noise([&](double z) { return ledger_of(o.event, z); }, total, by);
    } catch (const std::invalid_argument&) {  // this accountant cannot price it, or no noise is enough
    }
    noises.push_back(json_value::object{{"accountant", key}, {"noise", noise}});
    if (o.as_json) continue;
    std::cout << "  " << std::left << std::setw(10) << key << std::right << std::setw(11)
              << (noise.is_null() ? "none" : dplda::rounded_up(noise.as<double>())) << "   " << how_it_counts << '\n';
  }
  if (o.as_json) print(json_value::object{{"epsilon", o.epsilon}, {"delta", o.delta}, {"noises", noises}});
}

}  // namespace

void add_account(CLI::App& app) {
  const auto o = std::make_shared<account_options>();
  CLI::App* const command = app.add_subcommand("account", "Price releases, alone or together, by every accountant");
  command
      ->add_option("FILE", o->files,
                   "Releases: folders that dplda fit wrote, release.json or ledger files, budget books. Several are "
                   "priced together")
      ->default_str("");
  command
      ->add_option(
          "--noise", o->event.noise,
          "The noise multiplier: noise divided by the most that one unit may contribute. With FILE, this describes a "
          "further release")
      ->type_name("X")
      ->check(real_between(1e-6, 1e8));
  add_event_options(*command, o->event);
  add_delta(*command, o->asked_delta,
            "; by default that of the book, or the sum of the releases' deltas, or 1e-6 without either");
  command->add_option("--epsilon", o->asked.epsilon, "Also print delta at this epsilon")
      ->type_name("X")
      ->check(real_between(0.0, 1e6));
  command
      ->add_option("--plot", o->asked.plot,
                   "Write a picture of delta at every epsilon, and of what a test for one unit misses")
      ->type_name("FILE.svg");
  CLI::Option* const events =
      command->add_option("--events", o->events, "Price the events of dp_accounting in this JSON file")
          ->type_name("FILE")
          ->excludes("FILE");
  command->add_flag("--replaced", o->replaced, "Units of --events are replaced, not added or removed")->needs(events);
  command->add_option("--write-events", o->asked.events, "Write what was priced as events of dp_accounting")
      ->type_name("FILE");
  command->add_flag("--json", o->as_json, "Print JSON");
  command->footer(
      "\nExamples:\n  dplda account topics\n"
      "  dplda account letters.book                    all releases in a book, and what its limit leaves\n"
      "  dplda account topics other-topics words.txt.release.json      what three releases cost together\n"
      "  dplda account letters.book --noise 20         the total with a further release\n"
      "  dplda account --noise 1 --rate 0.01 --steps 1000 --delta 1e-5\n"
      "  dplda account topics --epsilon 1 --plot curve.svg      delta at epsilon 1, and a picture of all\n"
      "  dplda account --events events.json            what events of dp_accounting cost");
  command->callback([o, command] {
    for (const char* const name : {"--noise", "--mechanism", "--rate", "--steps"})
      o->further = o->further || command->count(name) > 0;
    account(*o);
  });
}

void add_calibrate(CLI::App& app) {
  const auto o = std::make_shared<calibrate_options>();
  CLI::App* const command = app.add_subcommand("calibrate", "Find the noise that a budget needs, by every accountant");
  command->add_option("--epsilon", o->epsilon, "The budget")->type_name("X")->check(real_between(1e-6, 1e6));
  add_delta(*command, o->delta);
  add_event_options(*command, o->event);
  command->add_flag("--json", o->as_json, "Print JSON");
  command->footer("\nExample:\n  dplda calibrate --epsilon 1 --delta 1e-5 --rate 0.01 --steps 1000");
  command->callback([o] { calibrate(*o); });
}

}  // namespace dplda_program
