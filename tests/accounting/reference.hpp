// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_ACCOUNTING_REFERENCE_HPP
#define DPLDA_TESTS_ACCOUNTING_REFERENCE_HPP

// The reference figures of reference.json, one record a line: evaluations at 45 digits where the quantity has a
// formula, brackets ("bracket": certified upper bounds must reach eps_lower, lower bounds must not exceed eps_upper;
// eps_best within best_abs) where it is found numerically. Sigma is the noise over the l2 sensitivity, b the Laplace
// scale over the l1 sensitivity, both under the stated adjacency unless sensitivity_convention says otherwise;
// logarithms are natural. Figures agree within "rel" of their size or within "abs".

#include <dplda/io/json.hpp>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace dplda_tests {

/// One record of the table. Reading a figure that it does not hold throws, so that a misspelt name cannot pass.
class reference_record {
 public:
  explicit reference_record(const dplda::json_value& values) : values_(&values) {}

  std::string id() const { return text(*values_, "id"); }
  std::string kind() const { return text(*values_, "kind"); }

  /// A parameter as a number, as text, as numbers; or the JSON value itself.
  double param(std::string_view name) const { return number(part("params"), name); }
  std::string param_text(std::string_view name) const { return text(part("params"), name); }
  std::vector<double> param_list(std::string_view name) const {
    std::vector<double> list;
    for (const auto& item : typed<dplda::json_value::array>(part("params"), name)) {
      const auto* value = item.get_if<double>();
      if (value == nullptr) throw std::runtime_error("reference.json: a list with something else than numbers");
      list.push_back(*value);
    }
    return list;
  }
  const dplda::json_value& param_json(std::string_view name) const { return member(part("params"), name); }
  bool has_param(std::string_view name) const { return part("params").find(name) != nullptr; }

  /// An expected figure, or truth value.
  double expected(std::string_view name) const { return number(part("expected"), name); }
  bool expected_flag(std::string_view name) const { return typed<bool>(part("expected"), name); }
  bool has_expected(std::string_view name) const { return part("expected").find(name) != nullptr; }

  /// "rel", "abs" or "best_abs" of the record's tolerance; 0 where it has none.
  double tolerance(std::string_view name) const {
    return part("tolerance").find(name) == nullptr ? 0 : number(part("tolerance"), name);
  }

  /// Whether `value` is the expected figure `name` within the record's tolerance ("rel" or "abs").
  bool agrees(std::string_view name, double value) const {
    const double wanted = expected(name), error = std::abs(value - wanted);
    return value == wanted || error <= tolerance("rel") * std::abs(wanted) || error <= tolerance("abs");
  }

 private:
  static const dplda::json_value& member(const dplda::json_value& object, std::string_view name) {
    const auto* found = object.find(name);
    if (found == nullptr) throw std::runtime_error("reference.json: no figure " + std::string(name));
    return *found;
  }
  template <class T>
  static const T& typed(const dplda::json_value& object, std::string_view name) {
    const T* value = member(object, name).get_if<T>();
    if (value == nullptr) throw std::runtime_error("reference.json: " + std::string(name) + " is of another type");
    return *value;
  }
  static double number(const dplda::json_value& object, std::string_view name) { return typed<double>(object, name); }
  static std::string text(const dplda::json_value& object, std::string_view name) {
    return typed<std::string>(object, name);
  }
  const dplda::json_value& part(std::string_view name) const { return member(*values_, name); }

  const dplda::json_value* values_;
};

/// All records of a kind; throws if there is none.
inline std::vector<reference_record> reference_records(std::string_view kind) {
  static const dplda::json_value table = [] {
    const auto path = std::filesystem::path(DPLDA_SOURCE_DIR) / "tests/accounting/reference.json";
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return dplda::json_value::parse(bytes, path.string());
  }();
  std::vector<reference_record> found;
  for (const auto& item : *table.get_if<dplda::json_value::array>()) {
    const reference_record record(item);
    if (record.kind() == kind) found.push_back(record);
  }
  if (found.empty()) throw std::runtime_error("reference.json: no record of the kind " + std::string(kind));
  return found;
}

}  // namespace dplda_tests

#endif
