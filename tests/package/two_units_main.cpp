// SPDX-License-Identifier: Apache-2.0
#include <dplda/dplda.hpp>

const void* version_string_of_the_other_unit();

// An inline variable is one object, whichever unit asks for its address.
int main() { return version_string_of_the_other_unit() == &dplda::version_string ? 0 : 1; }
