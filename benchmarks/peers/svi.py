# SPDX-License-Identifier: Apache-2.0
"""Variational inference by dplda, by scikit-learn and by gensim, side by side on the same documents.

    python3 svi.py PLAIN NATIVE DATA WORK [--passes P] [--seeds N] [--quick]

PLAIN and NATIVE are the program svi built with -O3 and with -O3 -march=native (unused with --quick), DATA holds corpora in UCI layout
(DATA/<name>/docword.<name>.txt.gz), WORK is a folder for unpacked files. Speeds are documents a CPU second on one thread, training
only. All sides have the same priors, batches of 256, tau0, kappa = 0.7, inner limit 100, inner tolerance 1e-3 and passes, and their
topics are scored by the same evaluator.
"""
import argparse
import os
import time
import warnings

for limit in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[limit] = "1"

import gensim
import joblib
import numpy as np
import sklearn
from sklearn.decomposition import LatentDirichletAllocation

from common import ask, label, read_train, table_head, table_row, unpack

BATCH, TAU0, KAPPA, ALPHA, ETA = 256, 10.0, 0.7, 0.1, 0.01
REACH_SEED = 2


def model_of(topics, method, passes, documents, seed):
    return LatentDirichletAllocation(
        n_components=topics, doc_topic_prior=ALPHA, topic_word_prior=ETA, learning_method=method, batch_size=BATCH,
        learning_offset=TAU0, learning_decay=KAPPA, max_iter=passes, max_doc_update_iter=100, mean_change_tol=1e-3,
        total_samples=documents, random_state=seed, n_jobs=1)


def score(program, folder, components):
    np.save(f"{folder}/phi.npy", components / components.sum(axis=1, keepdims=True))
    return ask(program, "score", folder, f"{folder}/phi.npy")["perplexity"]


def sklearn_online(counts, topics, passes, seed):
    model, shuffle, cpu = model_of(topics, "online", passes, counts.shape[0], seed), np.random.RandomState(seed), 0.0
    for _ in range(passes):
        mixed = counts[shuffle.permutation(counts.shape[0])]
        start = time.process_time()
        model.partial_fit(mixed)
        cpu += time.process_time() - start
    return cpu, model.components_


def gensim_online(counts, topics, passes, seed):
    model = gensim.models.LdaModel(
        id2word={word: str(word) for word in range(counts.shape[1])}, num_topics=topics, chunksize=BATCH, passes=1,
        alpha=[ALPHA] * topics, eta=ETA, decay=KAPPA, offset=TAU0, iterations=100, gamma_threshold=1e-3, eval_every=None,
        random_state=seed)
    documents = [list(zip(row.indices.tolist(), row.data.astype(int).tolist())) for row in counts]
    shuffle, cpu = np.random.RandomState(seed), 0.0
    for _ in range(passes):
        mixed = [documents[i] for i in shuffle.permutation(len(documents))]
        start = time.process_time()
        model.update(mixed)
        cpu += time.process_time() - start
    return cpu, model.state.get_lambda().astype(float)


def online(args, names):
    print(f"\nOnline, one thread, batches of {BATCH}, {args.passes} passes, means over {args.seeds} seeds: documents a CPU second, and "
          "held-out perplexity")
    table_head("corpus", "K", "gensim", "perplexity", "scikit-learn", "perplexity", "dplda", "to gensim", "to scikit-learn",
               "float, to scikit-learn", "native, to scikit-learn", "perplexity", "to scikit-learn", "2 threads")
    for name in names:
        for topics in (20,) if args.quick else (20, 100):
            rows = []
            for seed in range(1, args.seeds + 1):
                folder = f"{args.work}/{name}{seed}"
                counts = read_train(folder)
                fit = ("fit", folder, topics, args.passes, BATCH, TAU0, seed)
                peers = []
                for fit_peer in (gensim_online, sklearn_online):
                    cpu, components = fit_peer(counts, topics, args.passes, seed)
                    peers += [counts.shape[0] * args.passes / cpu, score(args.plain, folder, components)]
                answers = [ask(program, *fit, 1, real) for program, real in
                           ((args.plain, "double"), (args.plain, "float"), (args.native, "double"))]
                pair = [min(ask(args.plain, *fit, threads, "double")["wall"] for _ in range(3)) for threads in (1, 2)]
                rows.append(peers + [answer["documents"] / answer["cpu"] for answer in answers]
                            + [answers[0]["perplexity"], pair[0] / pair[1]])
            other, others, peer, theirs, plain, single, native, ours, two = np.mean(rows, axis=0)
            table_row(label(args.data, name), topics, f"{other:.0f}", f"{others:.1f}", f"{peer:.0f}", f"{theirs:.1f}", f"{plain:.0f}",
                      f"{plain / other:.1f}x", f"{plain / peer:.1f}x", f"{single / peer:.1f}x", "" if args.quick else f"{native / peer:.1f}x",
                      f"{ours:.1f}", f"{100 * (ours / theirs - 1):+.1f} %", f"{two:.2f}x")


def reach(args, targets, seed=REACH_SEED):
    print(f"\nBatch, one thread, K = 20, held-out documents of seed {seed}: CPU seconds of training to a held-out perplexity")
    table_head("corpus", "perplexity", "scikit-learn, s", "passes", "dplda, s", "passes", "ratio")
    for name, target in targets:
        folder = f"{args.work}/{name}{seed}"
        counts = read_train(folder)
        ours = ask(args.plain, "reach", folder, 20, target, seed)
        # Pass by pass, because fit() adds a last E-step and a bound over all documents to every call.
        model, cpu = model_of(20, "batch", 1, counts.shape[0], seed), 0.0
        model._init_latent_vars(counts.shape[1])
        with joblib.Parallel(n_jobs=1) as parallel:
            for passes in range(1, 41):
                start = time.process_time()
                model._em_step(counts, total_samples=counts.shape[0], batch_update=True, parallel=parallel)
                cpu += time.process_time() - start
                reached = score(args.plain, folder, model.components_)
                if reached <= target:
                    break
        missed, sign = ("", "") if reached <= target else (f" (not reached: {reached:.0f})", ">= ")
        table_row(label(args.data, name), target, f"{cpu:.1f}", f"{passes}{missed}", f"{ours['cpu']:.2f}", f"{ours['passes']:.0f}",
                  f"{sign}{cpu / ours['cpu']:.1f}x")


def memory(args, names):
    print("\nPeak memory of the whole process for one pass at K = 100, against corpus + model (MB)")
    table_head("corpus", "batch", "peak", "corpus + model", "ratio")
    for name in names:
        for batch in (BATCH, 0):
            got = ask(args.plain, "fit", f"{args.work}/{name}1", 100, 1, batch, TAU0, 1, 1, "double")
            table_row(label(args.data, name), batch or "all", f"{got['peak_mb']:.1f}", f"{got['corpus_and_model_mb']:.1f}",
                      f"{got['peak_mb'] / got['corpus_and_model_mb']:.2f}x")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("plain", "native", "data", "work"):
        parser.add_argument(name)
    parser.add_argument("--quick", action="store_true", help="kos with 20 topics only; one seed, two passes")
    parser.add_argument("--passes", type=int)
    parser.add_argument("--seeds", type=int, help="of the held-out documents and of the fits")
    args = parser.parse_args()
    args.passes = args.passes or (2 if args.quick else 5)
    args.seeds = args.seeds or (1 if args.quick else 3)
    warnings.filterwarnings("ignore", message=".*sklearn.utils.parallel.*")
    names = ["kos"] if args.quick else ["kos", "nips", "20news"]
    print(f"gensim {gensim.__version__}, scikit-learn {sklearn.__version__}, numpy {np.__version__}")
    for name in names + ([] if args.quick else ["imdb"]):
        for seed in sorted({*range(1, args.seeds + 1), REACH_SEED}) if name in names else (1,):
            folder = f"{args.work}/{name}{seed}"
            unpack(args.data, name, folder)
            sizes = ask(args.plain, "split", f"{folder}/docword.txt", f"{folder}/vocab.txt", folder, seed)
            print(f"{name}, seed {seed}: {sizes['train']:.0f} training and {sizes['test']:.0f} held-out documents, unigram perplexity "
                  f"{sizes['unigram']:.1f}")
    online(args, names)
    reach(args, [("kos", 1750)] + ([] if args.quick else [("nips", 1650)]))
    memory(args, names if args.quick else names + ["imdb"])


main()
