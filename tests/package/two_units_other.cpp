// SPDX-License-Identifier: Apache-2.0
#include <dplda/dplda.hpp>

const void* version_string_of_the_other_unit();

const void* version_string_of_the_other_unit() { return &dplda::version_string; }
