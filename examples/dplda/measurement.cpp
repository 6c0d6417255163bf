// SPDX-License-Identifier: Apache-2.0
#include "measurement.hpp"

#include <dplda/io/ledger.hpp>
#include <dplda/io/release_record.hpp>

#include <iostream>
#include <utility>

#include "program.hpp"
#include "weak_paragraphs.hpp"

namespace dplda_program {

measurement::measurement(measurement_plan plan, const std::string& book, const budget_options& spending)
    : plan_(std::move(plan)), spending_(spending) {
  const bool seeded = spending.seed.has_value();
  plan_.own.seeded = seeded;
  if (!book.empty())
    book_.emplace(book, plan_.what, plan_.ledger, dplda::budget{spending.epsilon, spending.delta()}, seeded,
                  plan_.with_budget);
}

bool measurement::announce(bool dry_run, bool as_json) const {
  if (dry_run && as_json) {
    json_value::object all{
        {"dry_run", true}, {"own_guarantee", to_json(plan_.own)}, {"guarantee", to_json(plan_.together)}};
    all.insert(all.end(), plan_.figures.begin(), plan_.figures.end());
    all.emplace_back("book", book_ ? book_->outlook_json() : json_value(nullptr));
    print(all);
    return false;
  }
  if (book_ && !dry_run) book_->check_admitted();
  if (!as_json)
    std::cout << "What it costs beside the topics, known before any document is read:\n"
              << paragraph(plan_.own) << "\nTogether with the topics:\n"
              << paragraph(plan_.together) << '\n'
              << weak_paragraphs(plan_.together, spending_.known_units())
              << (book_ ? "The budget book:\n" + book_->outlook() + '\n' : "") << plan_.widths << '\n';
  if (dry_run) std::cout << "This was a dry run: nothing was read and nothing was spent.\n";
  return !dry_run;
}

json_value::object measurement::settings() const {
  return {{"epsilon (added)", spending_.epsilon},
          {"delta (added)", spending_.delta()},
          {spending_.stated_units ? dplda::setting::stated_units : dplda::setting::assumed_units, spending_.units()}};
}

void take_delta_of(const std::string& book, budget_options& spending) {
  if (!book.empty() && !spending.asked_delta)
    spending.asked_delta = booked_delta(book, spending.epsilon, spending.delta());
}

std::string seeded_warning(const budget_options& spending) {
  return spending.seed ? "NOT PRIVATE: the noise came from a known seed. For experiments only.\n" : "";
}

}  // namespace dplda_program
