// SPDX-License-Identifier: Apache-2.0
#include <dplda/dplda.hpp>

#include <cstdio>

int main() { return std::puts(dplda::version_string) < 0; }
