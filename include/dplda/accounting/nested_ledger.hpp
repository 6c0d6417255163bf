// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_NESTED_LEDGER_HPP
#define DPLDA_ACCOUNTING_NESTED_LEDGER_HPP

#include <dplda/accounting/detail/fields.hpp>
#include <dplda/core/detail/function_ref.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dplda::inline v0_1 {

class ledger;
struct privacy_event;

/// A ledger inside an event: what one run of something cost that an event describes as a whole. A value; copies share
/// the entries, which never change.
class nested_ledger {
 public:
  /// Nothing; no valid event holds it.
  nested_ledger() = default;
  nested_ledger(ledger entries);

  bool empty() const;
  /// Precondition: not made by the default constructor.
  const ledger& operator*() const;

  /// Its first event. Precondition: not empty.
  const privacy_event& first() const;

  /// The entries in words, as in "5 times Gaussian, multiplier 2, on all of the data".
  std::string words(const number_style& style) const;
  /// Equal for ledgers that cost the same: labels are left out.
  void append_bits(std::vector<std::uint64_t>& bits) const;

  /// compute(), which must depend on the entries and on `key` alone; computed once for all copies.
  double remembered(double key, detail::function_ref<double()> compute) const;

  bool operator==(const nested_ledger& other) const;

 private:
  struct shared_entries;
  std::shared_ptr<shared_entries> shared_;
};

}  // namespace dplda::inline v0_1

#endif
