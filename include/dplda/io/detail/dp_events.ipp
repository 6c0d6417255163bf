// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_DP_EVENTS_IPP
#define DPLDA_IO_DETAIL_DP_EVENTS_IPP

// Bodies of io/dp_events.hpp, which has their claim, argument and test.

#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/core/detail/overloaded.hpp>
#include <dplda/io/detail/ledger_json.hpp>
#include <dplda/io/dp_events.hpp>
#include <dplda/io/files.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

namespace dplda::inline v0_1 {

namespace detail {

inline constexpr const char* dp_event_module = "dp_accounting.dp_event";

inline json_value dp_event(const char* name, json_value::object fields) {
  json_value::object members{{"module_name", dp_event_module}, {"class_name", name}};
  for (auto& field : fields) members.push_back(std::move(field));
  return members;
}

inline json_value dp_event_of(const mechanism& noise) {
  return std::visit(
      overloaded{
          [](const gaussian_noise& n) {
            return dp_event("GaussianDpEvent", {{"noise_multiplier", n.multiplier}});
          },
          [](const laplace_noise& n) {
            return dp_event("LaplaceDpEvent", {{"noise_multiplier", n.multiplier}});
          },
          [](const randomized_response& n) {
            return dp_event("RandomizedResponseDpEvent", {{"noise_parameter", n.noise}, {"num_buckets", n.buckets}});
          },
          [](const approximate_dp& n) {
            return dp_event("EpsilonDeltaDpEvent", {{"epsilon", n.epsilon}, {"delta", n.delta}});
          },
          [](const discrete_gaussian_noise& n) -> json_value {
            refuse("to_dp_events", "noise multiplier", n.multiplier,
                   "is of discrete Gaussian noise, of which the ledger does not keep the sensitivity that a "
                   "DiscreteGaussianDpEvent needs");
          },
          [](const auto& selection) -> json_value {
            refuse("to_dp_events", "event", mechanism_entry<std::decay_t<decltype(selection)>>::kind,
                   "has no event of dp_accounting");
          }},
      noise);
}

/// Reads events of dp_accounting into a ledger.
class dp_event_reader {
 public:
  dp_event_reader(const std::string& file, privacy_unit unit, neighbours relation)
      : file_(file), unit_(unit), relation_(relation) {}

  ledger read(const json_value& events) {
    add(events, 1, all_units{});
    return std::move(book_);
  }

 private:
  std::string class_of(const json_value& event) const {
    const auto* name = event.find("class_name");
    const auto* text = name == nullptr ? nullptr : name->get_if<std::string>();
    if (text == nullptr) throw parse_error(file_, 0, "expected an event of dp_accounting with a \"class_name\"");
    return *text;
  }

  strict_object fields(const json_value& event, std::initializer_list<std::string_view> names,
                       std::string_view optional = {}) const {
    const std::string where = class_of(event);
    const strict_object all(without_names(event), file_, where, names, {optional});
    return all;
  }

  /// The event without module and class.
  const json_value& without_names(const json_value& event) const {
    const auto* members = event.get_if<json_value::object>();
    json_value::object rest;
    for (const json_value::member& m : *members)
      if (m.first != "module_name" && m.first != "class_name") rest.push_back(m);
    return kept_.emplace_back(std::move(rest));
  }

  [[noreturn]] void refuse_event(const std::string& name, const char* why) const {
    throw parse_error(file_, 0, text("expected an event that a ledger can hold instead of ", name, ", ", why));
  }

  void record(const mechanism& noise, std::uint64_t count, const sampling& sample, const std::string& name) {
    try {
      book_.record({noise, sample, unit_, relation_, {}}, count);
    } catch (const std::invalid_argument& error) {
      throw parse_error(file_, 0, text("expected a valid ", name, " (", error.what(), ')'));
    }
  }

  std::uint64_t product(std::uint64_t a, std::uint64_t b, const strict_object& where) const {
    if (b == 0 || a > std::numeric_limits<std::uint64_t>::max() / b) where.refuse("a count from 1 to 2^64 - 1");
    return a * b;
  }

  void add(const json_value& event, std::uint64_t count, const sampling& sample) {
    const std::string name = class_of(event);
    const bool sampled = !std::holds_alternative<all_units>(sample);
    // Twice the bound on a norm is the sensitivity where a unit is replaced. Halving is exact.
    const double per_sensitivity = relation_ == neighbours::replace ? 0.5 : 1;
    if (name == "NoOpDpEvent") {
      fields(event, {});
    } else if (name == "NonPrivateDpEvent") {
      fields(event, {});
      record(nothing_proven, count, all_units{}, name);
    } else if (name == "GaussianDpEvent") {
      record(gaussian_noise{fields(event, {"noise_multiplier"}).number("noise_multiplier") * per_sensitivity}, count,
             sample, name);
    } else if (name == "LaplaceDpEvent") {
      record(laplace_noise{fields(event, {"noise_multiplier"}).number("noise_multiplier") * per_sensitivity}, count,
             sample, name);
    } else if (name == "DiscreteGaussianDpEvent") {
      json_value complete = event;
      if (complete.find("dimension") == nullptr) complete.set("dimension", nullptr);
      if (complete.find("sensitivity") == nullptr) complete.set("sensitivity", 1.0);
      const strict_object all = fields(complete, {"sigma", "sensitivity", "dimension"});
      const double sigma = all.number("sigma"), sensitivity = all.number("sensitivity");
      if (!(sensitivity > 0)) all.refuse("a positive \"sensitivity\"");
      record(discrete_gaussian_noise{lowered(sigma / sensitivity, 1) * per_sensitivity}, count, sample, name);
    } else if (name == "DiscreteLaplaceDpEvent") {
      const strict_object all = fields(event, {"noise_parameter", "sensitivity"});
      const double a = all.number("noise_parameter");
      if (!(a >= 0)) all.refuse("a \"noise_parameter\" of at least 0");
      const auto sensitivity = static_cast<double>(all.whole("sensitivity"));
      record(approximate_dp{raised(a * sensitivity / per_sensitivity, 2)}, count, sample, name);
    } else if (name == "RandomizedResponseDpEvent") {
      const strict_object all = fields(event, {"noise_parameter", "num_buckets"});
      record(randomized_response{all.number("noise_parameter"), all.whole("num_buckets")}, count, sample, name);
    } else if (name == "EpsilonDeltaDpEvent") {
      const strict_object all = fields(event, {"epsilon", "delta"});
      record(approximate_dp{all.number("epsilon"), all.number("delta")}, count, sample, name);
    } else if (name == "SelfComposedDpEvent") {
      const strict_object all = fields(event, {"event", "count"});
      const std::uint64_t times = all.whole("count");
      if (sampled && times > 1) refuse_event(name, "because its events would share one sample");
      add(all.at("event"), product(count, times, all), sample);
    } else if (name == "ComposedDpEvent") {
      const strict_object all = fields(event, {"events"});
      const auto* events = all.at("events").get_if<json_value::array>();
      if (events == nullptr) all.refuse("a list as \"events\"");
      if (sampled && events->size() > 1) refuse_event(name, "because its events would share one sample");
      for (const json_value& each : *events) add(each, count, sample);
    } else if (name == "PoissonSampledDpEvent") {
      const strict_object all = fields(event, {"sampling_probability", "event"});
      if (sampled) refuse_event(name, "inside a sample");
      add(all.at("event"), count, poisson_sample{all.number("sampling_probability")});
    } else if (name == "SampledWithoutReplacementDpEvent") {
      const strict_object all = fields(event, {"source_dataset_size", "sample_size", "event"});
      if (sampled) refuse_event(name, "inside a sample");
      if (relation_ != neighbours::replace)
        refuse_event(name, "which has a meaning only if a unit is replaced, not added or removed");
      add(all.at("event"), count, fixed_size_sample{all.whole("sample_size"), all.whole("source_dataset_size")});
    } else {
      refuse_event(name, "which has no counterpart here");
    }
  }

  std::string file_;
  privacy_unit unit_;
  neighbours relation_;
  ledger book_;
  mutable std::deque<json_value> kept_;  // what strict_object refers to
};

}  // namespace detail

DPLDA_INLINE json_value to_dp_events(const ledger& book) {
  json_value::array events;
  for (const auto& [event, count] : book.entries()) {
    const char* const function = "to_dp_events";
    detail::require(event.relation == neighbours::add_remove, function, "neighbours", event.relation,
                    "must be add_remove, because events of dp_accounting do not say what a multiplier means otherwise");
    json_value one = detail::dp_event_of(event.noise);
    const auto* const poisson = std::get_if<poisson_sample>(&event.sampling);
    detail::require(poisson != nullptr || std::holds_alternative<all_units>(event.sampling), function, "sampling",
                    "another one", "must be none or Poisson's, because dp_accounting has no event for others");
    if (poisson != nullptr)
      one = detail::dp_event("PoissonSampledDpEvent", {{"sampling_probability", poisson->rate}, {"event", one}});
    if (count > 1) one = detail::dp_event("SelfComposedDpEvent", {{"event", one}, {"count", count}});
    events.push_back(std::move(one));
  }
  return detail::dp_event("ComposedDpEvent", {{"events", std::move(events)}});
}

DPLDA_INLINE ledger dp_events_from_json(const json_value& events, const std::string& name, privacy_unit unit,
                                        neighbours relation) {
  return detail::dp_event_reader(name, unit, relation).read(events);
}

DPLDA_INLINE ledger read_dp_events(const std::filesystem::path& path, privacy_unit unit, neighbours relation) {
  auto in = open_to_read(path);
  const std::string name = path.string();
  return dp_events_from_json(json_value::parse(detail::rest_of(in, name), name), name, unit, relation);
}

}  // namespace dplda::inline v0_1

#endif
