// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/gibbs/private_gibbs.hpp>

#include "engine_plan.hpp"

namespace dplda_program {

planned_fit plan_gibbs(const learning_options& options, dplda::privacy_unit unit, const dplda::vocabulary_ptr& vocab) {
  return make_plan<dplda::private_gibbs>(options, unit, vocab);
}

}  // namespace dplda_program
