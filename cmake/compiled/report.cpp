// SPDX-License-Identifier: Apache-2.0
#include <dplda/report/detail/accountants.ipp>
#include <dplda/report/detail/audit_file.ipp>
#include <dplda/report/detail/audit_reach.ipp>
#include <dplda/report/detail/curve.ipp>
#include <dplda/report/detail/report.ipp>
