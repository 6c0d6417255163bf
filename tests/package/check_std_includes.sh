#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_std_includes.sh <root>: each header includes the standard headers of what it names, and does not rely on another
# header for them. A body (detail/<name>.ipp) may rely on <name>.hpp.
set -eu
cd "$1/include"
# shellcheck disable=SC2016  # the program is awk's
faults=$(find dplda -name '*.[hi]pp' | sort | awk '
  function stands_for(header, names) { use[header] = "std::(" names ")([^A-Za-z0-9_]|$)" }
  # Reads a file: code[file] without comments and strings, has[file, header].
  function look_at(file,    line, target) {
    if (file in code) return
    code[file] = ""
    while ((getline line < file) > 0) {
      if (line ~ /^#include </) {
        target = line
        sub(/^#include </, "", target)
        sub(/>.*/, "", target)
        has[file, target] = 1
        continue
      }
      gsub(/"([^"\\]|\\.)*"/, "", line)
      sub(/\/\/.*/, "", line)
      code[file] = code[file] line "\n"
    }
    close(file)
  }
  BEGIN {
    stands_for("algorithm", "sort|stable_sort|partial_sort|nth_element|min|max|clamp|minmax|min_element|max_element|copy|copy_n|copy_if|fill|fill_n|find|find_if|any_of|all_of|none_of|count|count_if|lower_bound|upper_bound|binary_search|equal|reverse|unique|remove_if|transform|for_each|is_sorted|swap_ranges|partition_point|rotate")
    stands_for("array", "array|to_array")
    stands_for("atomic", "atomic|atomic_ref|memory_order_[a-z]+")
    stands_for("bit", "bit_cast|popcount|countl_zero|countr_zero|bit_width|bit_ceil|has_single_bit|rotl|endian")
    stands_for("charconv", "from_chars|to_chars|chars_format")
    stands_for("chrono", "chrono")
    stands_for("cmath", "abs|sqrt|exp|exp2|expm1|log|log1p|log2|log10|pow|floor|ceil|round|isfinite|isnan|isinf|nextafter|ldexp|frexp|fma|lgamma|erf|erfc|cosh|sinh|tanh|asinh|llround|scalbn|ilogb")
    stands_for("concepts", "same_as|convertible_to|constructible_from|derived_from|invocable|floating_point|integral|unsigned_integral")
    stands_for("cstddef", "size_t|ptrdiff_t|byte|nullptr_t")
    stands_for("cstdint", "u?int(8|16|32|64)_t")
    stands_for("cstring", "memcpy|memcmp|memset|memmove|strlen|strerror")
    stands_for("exception", "exception_ptr|current_exception|rethrow_exception|exception")
    stands_for("filesystem", "filesystem")
    stands_for("fstream", "[io]?fstream")
    stands_for("functional", "function|invoke|hash|less|greater|plus")
    stands_for("initializer_list", "initializer_list")
    stands_for("limits", "numeric_limits")
    stands_for("map", "map|multimap")
    stands_for("memory", "unique_ptr|shared_ptr|make_unique|make_shared")
    stands_for("mutex", "mutex|lock_guard|unique_lock|scoped_lock|once_flag|call_once")
    stands_for("numbers", "numbers")
    stands_for("numeric", "accumulate|iota|gcd|partial_sum|inner_product|reduce|midpoint")
    stands_for("optional", "optional|nullopt")
    stands_for("span", "span|dynamic_extent")
    stands_for("sstream", "[io]?stringstream")
    stands_for("stdexcept", "runtime_error|invalid_argument|logic_error|out_of_range|domain_error|overflow_error")
    stands_for("string", "string|to_string|getline")
    stands_for("string_view", "string_view")
    stands_for("thread", "thread|jthread|this_thread")
    stands_for("tuple", "tuple|tie|make_tuple|apply")
    stands_for("utility", "move|pair|swap|exchange|forward|index_sequence|as_const")
    stands_for("variant", "variant|visit|get_if|holds_alternative|monostate")
    stands_for("vector", "vector")
  }
  {
    file = $0
    look_at(file)
    own = file
    if (sub(/\.ipp$/, ".hpp", own)) {
      if ((getline first < own) > 0) close(own)
      else sub(/detail\//, "", own)
      look_at(own)
    }
    for (header in use)
      if (code[file] ~ use[header] && !((file, header) in has) && !((own, header) in has))
        print "include/" file ": include <" header ">"
  }' | sort)
[ -z "$faults" ] || {
  printf '%s\n' "$faults"
  exit 1
}
