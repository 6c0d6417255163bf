// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_LEDGER_HPP
#define DPLDA_IO_LEDGER_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/ledger_json.hpp>
#include <dplda/io/json.hpp>

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

// Ledgers and guarantees as JSON, for records and reports. What is read equals what was written, bit for bit. Every
// member is required and unknown members are refused: a ledger must be understood completely before it is priced. Only
// a guarantee's "assumes_fixed_plans" is missing where it is false, and its "part" where it is empty.
// Whole numbers above 2^53, which other JSON readers would round, are written as text; so is an infinite epsilon.

namespace dplda::inline v0_1 {

/// A ledger as a JSON object. Throws std::invalid_argument if a label is not UTF-8.
json_value to_json(const ledger& book);

/// Writes a ledger. Throws std::invalid_argument if a label is not UTF-8, and std::runtime_error if the stream fails.
inline void write_ledger(std::ostream& out, const ledger& book) { detail::write_json(out, to_json(book)); }

/// As above, with the file's name in the error.
void write_ledger(const std::filesystem::path& path, const ledger& book);

/// The ledger that a JSON object holds; `name` stands for its file in messages. Throws parse_error, with the
/// place, if it is invalid: another format or version, missing or unknown members, unknown kinds, or numbers or
/// pairings that ledger::record refuses.
ledger ledger_from_json(const json_value& file, const std::string& name);

/// Reads a ledger. Throws parse_error as ledger_from_json does, and with the line where the text is not JSON.
ledger read_ledger(std::istream& in, const std::string& name);

/// As above; throws parse_error also if the file cannot be read.
ledger read_ledger(const std::filesystem::path& path);

/// A guarantee as a JSON object. Throws std::invalid_argument if its epsilon is negative or NaN, its delta or gamma
/// outside [0, 1], or its caveat not UTF-8.
json_value to_json(const guarantee& g);

/// Writes a guarantee. Throws std::invalid_argument as to_json does, and std::runtime_error if the stream fails.
inline void write_guarantee(std::ostream& out, const guarantee& g) { detail::write_json(out, to_json(g)); }

/// As above, with the file's name in the error.
void write_guarantee(const std::filesystem::path& path, const guarantee& g);

/// The guarantee that a JSON object holds. Throws parse_error as ledger_from_json does.
guarantee guarantee_from_json(const json_value& file, const std::string& name);

/// Reads a guarantee. Throws parse_error as read_ledger does.
guarantee read_guarantee(std::istream& in, const std::string& name);

/// As above; throws parse_error also if the file cannot be read.
guarantee read_guarantee(const std::filesystem::path& path);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/ledger.ipp>
#endif

#endif
