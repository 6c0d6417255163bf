// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/svi/private_svi.hpp>

#include "engine_plan.hpp"

namespace dplda_program {

planned_fit plan_svi(const learning_options& options, dplda::privacy_unit unit, const dplda::vocabulary_ptr& vocab) {
  return make_plan<dplda::private_svi>(options, unit, vocab);
}

}  // namespace dplda_program
