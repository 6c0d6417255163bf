# SPDX-License-Identifier: Apache-2.0
"""Collapsed Gibbs sampling by dplda beside scikit-learn's online variational inference, on the same documents.

    python3 gibbs.py PROGRAM DATA WORK [--runs N] [--quick]

PROGRAM is gibbs, built with plain -O3; DATA holds corpora in UCI layout (DATA/<name>/docword.<name>.txt.gz); WORK is a folder for
unpacked files. Speeds are tokens a CPU second on one thread, training only: dplda over its first sweeps from a random start (20 on kos,
10 elsewhere), scikit-learn over its first pass (batches of 256, tau0 = 64, kappa = 0.7, inner limit 100, inner tolerance 1e-3). Both
sides have alpha = 0.1 and eta = 0.01. Sweeps and passes count all tokens once. Runs of both sides alternate; medians are shown.
"""
import argparse
import os
import statistics
import time
import warnings

for limit in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[limit] = "1"

import numpy as np
import sklearn
from sklearn.decomposition import LatentDirichletAllocation

from common import ask, label, read_train, table_head, table_row, unpack

SEED = 2
SWEEPS = {"kos": 20, "nips": 10, "20news": 10}
# The fastest native peer's tokens a second over scikit-learn's, by corpus and topics.
PEERS = {("kos", 20): 85, ("nips", 20): 41, ("20news", 20): 63, ("kos", 100): 150, ("nips", 100): 74, ("20news", 100): 88}
# Held-out perplexities to reach.
TARGETS = {("kos", 20): 1750, ("kos", 100): 1600, ("nips", 20): 1650, ("nips", 100): 1400, ("20news", 20): 4000, ("20news", 100): 3500}


def sklearn_rate(counts, topics, seed):
    model = LatentDirichletAllocation(
        n_components=topics, doc_topic_prior=0.1, topic_word_prior=0.01, learning_method="online", batch_size=256,
        learning_offset=64.0, learning_decay=0.7, max_doc_update_iter=100, mean_change_tol=1e-3,
        total_samples=counts.shape[0], random_state=seed, n_jobs=1)
    mixed = counts[np.random.RandomState(seed).permutation(counts.shape[0])]
    start = time.process_time()
    model.partial_fit(mixed)
    return counts.sum() / (time.process_time() - start)


def sweep_rate(args, name, topics, seed):
    got = ask(args.program, "sweep", f"{args.work}/{name}", topics, SWEEPS[name], 1, 1, seed)
    return got["tokens"] / got["cpu"]


def against_sklearn(args, names):
    print("\nOne thread, million tokens a CPU second over the first sweeps, and over scikit-learn's first pass")
    table_head("corpus", "K", "scikit-learn", "dplda", "ratio", "least", "most of the runs", "fastest native peer")
    rates = {}
    for name in names:
        counts = read_train(f"{args.work}/{name}")
        for topics in (20, 100):
            pairs = []
            for seed in range(1, args.runs + 1):
                ours = sweep_rate(args, name, topics, seed)
                peer = sklearn_rate(counts, topics, seed)
                pairs.append((peer, (ours + sweep_rate(args, name, topics, seed)) / 2))
            peer, ours = (statistics.median(column) for column in zip(*pairs))
            ratios = [b / a for a, b in pairs]
            rates[name, topics] = peer
            table_row(label(args.data, name), topics, f"{peer / 1e6:.3f}", f"{ours / 1e6:.2f}", f"{statistics.median(ratios):.0f}x", f"{min(ratios):.0f}",
                      f"{max(ratios):.0f}", f"{PEERS[name, topics]}x")
    return rates


def over_topics(args, names):
    print("\nOne thread, nanoseconds of CPU a token over the first sweeps, by the number of topics")
    ladder = (20, 50, 100, 200, 500, 1000)
    table_head("corpus", *ladder, "1000 over 20")
    for name in names:
        costs = [1e9 / statistics.median(sweep_rate(args, name, topics, seed) for seed in range(1, args.runs + 1))
                 for topics in ladder]
        table_row(label(args.data, name), *(f"{cost:.0f}" for cost in costs), f"{costs[-1] / costs[0]:.1f}x")


def two_threads(args, names):
    print("\nTwo shards on two threads over one shard on one: wall clock (best of the runs, side by side), and the most that the CPU time of"
          "\nboth threads allows, which other work on the machine disturbs less")
    table_head("corpus", "K", "wall clock", "by CPU time, at most")
    for name in names:
        for topics in (20, 100):
            rows = []
            for _ in range(2 * args.runs + 1):
                one, two = (ask(args.program, "sweep", f"{args.work}/{name}", topics, SWEEPS[name], n, n, 1) for n in (1, 2))
                rows.append((one["wall"], two["wall"], one["cpu"], two["cpu"]))
            one, two, one_cpu, two_cpu = (min(column) for column in zip(*rows))
            table_row(label(args.data, name), topics, f"{one / two:.2f}x", f"{2 * one_cpu / two_cpu:.2f}x")


def reach(args, names, rates):
    print("\nOne thread, CPU seconds of training to a held-out perplexity of the last state (looked at after each fifth sweep)")
    table_head("corpus", "K", "perplexity", "sweeps", "s", "in first passes of scikit-learn")
    for (name, topics), target in TARGETS.items():
        if name not in names:
            continue
        tokens = read_train(f"{args.work}/{name}").sum()
        got = ask(args.program, "reach", f"{args.work}/{name}", topics, target, 400, SEED)
        missed = "" if got["perplexity"] <= target else f" (stopped at {got['perplexity']:.0f})"
        table_row(label(args.data, name), topics, target, f"{got['sweeps']:.0f}", f"{got['cpu']:.2f}",
                  f"{got['cpu'] * rates[name, topics] / tokens:.2f}{missed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "data", "work"):
        parser.add_argument(name)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="kos only")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", message=".*sklearn.utils.parallel.*")
    names = ["kos"] if args.quick else ["kos", "nips", "20news"]
    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}")
    for name in names:
        folder = f"{args.work}/{name}"
        unpack(args.data, name, folder)
        sizes = ask(args.program, "split", f"{folder}/docword.txt", f"{folder}/vocab.txt", folder, SEED)
        print(f"{name}: {sizes['train']:.0f} training documents, {sizes['tokens']:.0f} tokens; {sizes['test']:.0f} held out, unigram "
              f"perplexity {sizes['unigram']:.1f}")
    rates = against_sklearn(args, names)
    over_topics(args, names)
    two_threads(args, names)
    reach(args, names, rates)


main()
