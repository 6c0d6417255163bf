// SPDX-License-Identifier: Apache-2.0
#include "groups.hpp"

#include <dplda/core/rounding.hpp>
#include <dplda/io/labels.hpp>
#include <dplda/io/users.hpp>

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>

#include "program.hpp"

namespace dplda_program {

namespace {

constexpr std::size_t most_groups = 10'000;

dplda::time_unit unit_named(const std::string& by) {
  if (by == "year") return dplda::time_unit::year;
  if (by == "quarter") return dplda::time_unit::quarter;
  return by == "day" ? dplda::time_unit::day : dplda::time_unit::month;
}

/// The public date of an option, which must name a period of the kind `by`.
dplda::calendar_date date_of(const char* option, const std::string& text, const std::string& by) {
  const auto date = dplda::parse_date(text);
  if (!date) throw usage_error(std::string(option) + " is " + text + ", but must be " + dplda::dates_that_are_read);
  if (!dplda::period_of(*date, unit_named(by)))
    throw usage_error(std::string(option) + " is " + text + ", but must name a " + by + ", because of --by " + by);
  return *date;
}

/// The labels of the documents, and the same as numbers of labels; `labels.none` for documents without one.
dplda::label_list labels_of(const group_options& groups, const dplda::labelled_corpus& found) {
  if (!groups.by.empty()) return dplda::periods_of(found.dates, unit_named(groups.by));
  if (groups.labels.empty()) return found.groups;
  const dplda::user_list labels = dplda::read_users(groups.labels);
  if (labels.of_document.size() != found.docs.size())
    throw dplda::parse_error(groups.labels, 0,
                             "must have a line for each of the " + std::to_string(found.docs.size()) +
                                 " documents, but has " + std::to_string(labels.of_document.size()));
  return {{labels.of_document.begin(), labels.of_document.end()}, labels.labels};
}

}  // namespace

void add_group_options(CLI::App& command, group_options& groups, input_options& input) {
  add_label_options(command, input);
  const std::string group = "Groups and months";
  command
      .add_option(
          "--labels", groups.labels,
          "For other inputs: a file with the group of each document (its month, its department), one on each line. As "
          "private as the documents. Documents whose group is not in the list do not count")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--groups", groups.list,
                  "A file with the groups to show, one on each line. The list is published as it is: it must be "
                  "public, such as the departments of a town, and not read off the documents")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--group-names", groups.named,
                  "The same list on the command line, with commas: Roads,Schools,Parks. It must be public, too")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES")
      ->group(group);
  command.add_flag("--ordered", groups.ordered, "The groups follow each other, as months do: draw lines")->group(group);
  command.add_option("--by", groups.by, "With --time: the periods to show, from --from to --to")
      ->check(CLI::IsMember({"year", "quarter", "month", "day"}))
      ->group(group);
  command
      .add_option("--from", groups.from,
                  "The first period, by a date in it, such as 2024-01. Choose both dates without looking at the "
                  "documents: they are published. Documents from before or after, or without a date, do not count")
      ->type_name("DATE")
      ->group(group);
  command.add_option("--to", groups.to, "The last period, by a date in it")->type_name("DATE")->group(group);
}

bool check(const group_options& o, const input_options& input) {
  const bool periods = !o.by.empty() || !o.from.empty() || !o.to.empty();
  const bool list = !o.list.empty() || !o.named.empty();
  const bool stated = !o.labels.empty() || !input.group.empty();
  if (!o.list.empty() && !o.named.empty()) throw usage_error("--groups and --group-names are one list; give either");
  if (!o.labels.empty() && !input.group.empty())
    throw usage_error("--group, a column, and --labels, a file, both say the group of each document; give either");
  if ((stated || list) && (periods || !input.time.empty()))
    throw usage_error("shares are measured by group or by time, not by both; give --group or --time");
  if (stated && !list)
    throw usage_error(
        "the groups to show must be a public list: give it with --groups FILE or --group-names A,B,C; which groups "
        "there "
        "are must not be read off the documents");
  if (list && !stated)
    throw usage_error("a list of groups needs the group of each document: --group COLUMN or --labels FILE");
  if (!input.time.empty() && (o.by.empty() || o.from.empty() || o.to.empty()))
    throw usage_error(
        "the periods to show must be public: give --by month --from 2024-01 --to 2024-12, say; from when to when the "
        "dates run must not be read off the documents");
  if (periods && input.time.empty())
    throw usage_error("--by, --from and --to need the column of the dates: --time COLUMN");
  if (o.ordered && !list) throw usage_error("--ordered is for groups; give --group or --labels, with their list");
  return periods || list;
}

void set_groups(dplda::prevalence_options& options, const group_options& o) {
  if (!o.by.empty()) {
    const dplda::time_unit unit = unit_named(o.by);
    const dplda::calendar_date first = date_of("--from", o.from, o.by), last = date_of("--to", o.to, o.by);
    if (dplda::period_of(last, unit) < dplda::period_of(first, unit))
      throw usage_error("--to is " + o.to + ", but must not be before --from, " + o.from);
    options.groups = dplda::periods_between(first, last, unit);
  } else if (!o.named.empty()) {
    options.groups = o.named;
  } else {
    const dplda::vocabulary_ptr names = dplda::read_users(o.list).labels;
    options.groups.clear();
    for (dplda::word_id g = 0; g < names->size(); ++g) options.groups.emplace_back(names->word(g));
  }
  options.ordered = o.ordered || !o.by.empty();
  if (options.groups.size() > most_groups)
    throw usage_error("there are more than " + std::to_string(most_groups) +
                      " groups or periods, too many to show; take fewer, or longer ones");
}

std::vector<std::uint32_t> group_numbers(const group_options& o, const dplda::labelled_corpus& found,
                                         const std::vector<std::string>& names) {
  const dplda::label_list labels = labels_of(o, found);
  std::unordered_map<std::string_view, std::uint32_t> number_of;
  for (std::size_t g = 0; g < names.size(); ++g) number_of.emplace(names[g], static_cast<std::uint32_t>(g));
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t label : labels.of_document) {
    const auto shown = label == dplda::label_list::none ? number_of.end() : number_of.find(labels.labels->word(label));
    numbers.push_back(shown == number_of.end() ? dplda::no_group : shown->second);
  }
  return numbers;
}

std::string groups_setting(const group_options& o) {
  if (o.by.empty()) return "a public list, taken on your word";
  return "each " + o.by + " from " + o.from + " to " + o.to + ", two public dates, taken on your word";
}

std::string planned_widths(const dplda::prevalence_plan& plan) {
  std::ostringstream text;
  const std::string unit = to_string(plan.options().unit);
  text << paragraph("In a group of fewer than about ", number(std::ceil(plan.least_units()), 2), ' ', unit,
                    "s nothing can be told. From noise alone, the 95 % interval of a share of 5 % reaches so many "
                    "percentage points to each side:");
  for (const double units : {100., 1000., 10000.}) {
    const double half = plan.half_width(units, 0.05);
    text << "  a group of " << number(units, 6) << ' ' << unit
         << "s: " << (half < 1 ? number(100 * half, 2) : "too few to tell") << '\n';
  }
  return text.str();
}

std::string shares_text(const dplda::prevalence& found, const dplda::topic_model<>& topics) {
  const auto percent = [](double x) { return number(100 * x, 3); };
  std::ostringstream text;
  for (std::size_t g = 0; g < found.groups(); ++g) {
    text << (g > 0 ? "\n" : "") << found.get().groups[g];
    if (!found.tells(g)) {
      text << ": too few to tell\n";
      continue;
    }
    text << ", about " << dplda::rounded_count(static_cast<std::uint64_t>(found.units(g))) << ":\n";
    for (std::size_t k = 0; k < found.topics(); ++k) {
      const dplda::share_interval noise = found.noise_interval(g, k), both = found.interval(g, k);
      text << "  topic " << k << ": " << percent(found.share(g, k)) << " % (here " << percent(noise.low) << " to "
           << percent(noise.high) << ", in general " << percent(both.low) << " to " << percent(both.high) << ")";
      for (const auto& w : top_words(topics, k, 4)) text << ' ' << topics.vocab()->word(w.word);
      text << '\n';
    }
  }
  return text.str();
}

}  // namespace dplda_program
