// SPDX-License-Identifier: Apache-2.0
#include <dplda/dplda.hpp>

const void* version_string_of_the_other_unit();

// An inline variable is the same object in every unit.
int main() { return version_string_of_the_other_unit() == &dplda::version_string ? 0 : 1; }
