// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_SHADOWS_HPP
#define DPLDA_AUDIT_SHADOWS_HPP

#include <dplda/audit/lira.hpp>
#include <dplda/audit/query_statistics.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/corpora/split.hpp>
#include <dplda/inference/learner.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How many models to train, and which units the halves keep whole.
struct shadow_options {
  std::size_t shadows = 128;  ///< an even number: of each pair, one learns from a random half, the other from the rest
  split_unit unit = split_unit::document;
  std::size_t threads = 0;  ///< models trained at once; 0: as many as the machine runs. Never changes the result
};

/// The progress of training shadow models.
struct shadow_progress : progress {
  std::size_t model = 0;    ///< the model that has just finished
  double seconds_left = 0;  ///< at the pace so far
};

/// Called after each model, by one thread at a time; returning true stops the training. If the learner's fit takes an
/// observer, running fits are stopped too and their results are discarded.
using shadow_observer = std::function<bool(const shadow_progress&)>;

/// Statistics of all documents under models trained on halves of the corpus. The models themselves are not kept.
struct shadow_table {
  std::vector<Eigen::MatrixXd> statistics;  ///< for each statistic of the query: models x documents
  membership members;                       ///< models x documents
  /// Whether each model is finished; the rows of the others are meaningless. resume_shadows completes a table with gaps
  /// (from a training that was stopped, or read from a file).
  std::vector<bool> finished;

  bool complete() const { return std::find(finished.begin(), finished.end(), false) == finished.end(); }
};

namespace detail {

/// resume_shadows after the source was forked for the halves.
template <AuditableLearner Learner, class Query>
void train_missing(shadow_table& table, const Learner& learner, const corpus& docs, const random_source& halves,
                   random_source& random, const Query& query, const shadow_options& options,
                   const shadow_observer& watch) {
  const char* const function = "train_shadows";
  require_one_process(function, random);
  require(options.shadows >= 2 && options.shadows % 2 == 0, function, "shadows", options.shadows,
          "must be even and at least 2");
  require(docs.size() >= 2, function, "number of documents", docs.size(), "must be at least 2");
  const auto rows = static_cast<Eigen::Index>(options.shadows), columns = static_cast<Eigen::Index>(docs.size());
  if (table.finished.empty()) {
    table.finished.assign(options.shadows, false);
    table.members.setConstant(rows, columns, false);
  }
  bool fits =
      table.finished.size() == options.shadows && table.members.rows() == rows && table.members.cols() == columns;
  for (const auto& values : table.statistics) fits = fits && values.rows() == rows && values.cols() == columns;
  require(fits, function, "table", "of another shape", "must have these models and documents, or be empty");

  const std::vector<bool> before = table.finished;
  std::vector<random_source> sources;  // forked here, in order
  std::vector<std::size_t> missing;
  for (std::size_t s = 0; s < options.shadows; ++s) {
    sources.push_back(random.fork());
    if (!table.finished[s]) missing.push_back(s);
  }
  std::mutex guard;
  std::atomic<bool> stopped = false;
  std::size_t done = 0;
  const auto start = std::chrono::steady_clock::now();
  parallel_for(missing.size(), 1, thread_count(options.threads), [&](std::size_t i, std::size_t, std::size_t) {
    if (stopped) return;
    const std::size_t s = missing[i];
    std::vector<std::size_t> chosen;
    if (before[s ^ 1]) {  // the complement of the other model's half, even if that came from another source
      for (std::size_t d = 0; d < docs.size(); ++d) {
        if (!table.members(static_cast<Eigen::Index>(s ^ 1), static_cast<Eigen::Index>(d))) chosen.push_back(d);
      }
    } else {
      auto bits = halves.stream("shadow halves", s / 2);
      partition cut = random_half(docs, bits, options.unit);
      chosen = std::move(s % 2 == 0 ? cut.chosen : cut.others);
    }
    Eigen::MatrixXd values;
    try {
      bool cut_short = false;
      const auto fitted = watched_fit(learner, docs.select(chosen), sources[s],
                                      [&](const progress&) { return cut_short = cut_short || stopped; });
      if (cut_short) return;
      values = query(model_of(fitted), docs);
    } catch (const fit_stopped&) {  // as private learners end then
      return;
    }
    const std::lock_guard lock(guard);
    if (table.statistics.empty()) {
      table.statistics.assign(static_cast<std::size_t>(values.cols()), Eigen::MatrixXd::Zero(rows, columns));
    }
    require(values.rows() == columns && static_cast<std::size_t>(values.cols()) == table.statistics.size(), function,
            "shape of the query's answer", text(values.rows(), " x ", values.cols()),
            text("must be ", columns, " x ", table.statistics.size()));
    const auto row = static_cast<Eigen::Index>(s);
    for (std::size_t k = 0; k < table.statistics.size(); ++k) {
      table.statistics[k].row(row) = values.col(static_cast<Eigen::Index>(k)).transpose();
    }
    table.members.row(row).setConstant(false);
    for (const std::size_t d : chosen) table.members(row, static_cast<Eigen::Index>(d)) = true;
    table.finished[s] = true;
    ++done;
    if (!watch) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    shadow_progress now;
    now.step = options.shadows - missing.size() + done;
    now.steps = options.shadows;
    now.model = s;
    now.seconds_left = seconds / static_cast<double>(done) * static_cast<double>(missing.size() - done);
    if (watch(now)) stopped = true;
  });
}

}  // namespace detail

/// Trains the models of `table` that are not finished: model 2j on a random half of the units, 2j + 1 on the others, so
/// that each document is in exactly half of all models. `learner` may take an observer as the third argument of its
/// fit; give it threads = 1, because models are trained in parallel. `query(model, docs)` returns documents x
/// statistics (fit_query). Halves and randomness of a model follow from the source and the model's number: threads,
/// stops and resumptions change no bit if the source is seeded and was forked as often. An empty table starts a new
/// one. Needs 8 bytes for each document, model and statistic, and for each thread a model and a copy of half of the
/// corpus.
///
/// Throws std::invalid_argument if the number of models is 0 or odd, if the corpus has fewer than 2 documents, if the
/// table is not of this corpus and number of models, and what learner and query throw.
template <AuditableLearner Learner, class Query>
void resume_shadows(shadow_table& table, const Learner& learner, const corpus& docs, random_source& random,
                    const Query& query, const shadow_options& options = {}, const shadow_observer& watch = {}) {
  detail::train_missing(table, learner, docs, random.fork(), random, query, options, watch);
}

/// Trains a new table; it has gaps if the observer stopped the training. Throws as resume_shadows does.
template <AuditableLearner Learner, class Query = fit_query>
shadow_table train_shadows(const Learner& learner, const corpus& docs, random_source& random, const Query& query = {},
                           const shadow_options& options = {}, const shadow_observer& watch = {}) {
  shadow_table table;
  resume_shadows(table, learner, docs, random, query, options, watch);
  return table;
}

}  // namespace dplda::inline v0_1

#endif
