# SPDX-License-Identifier: Apache-2.0
"""Latent semantic indexing and the hierarchical Dirichlet process by dplda beside gensim, on the same documents.

    python3 gensim.py PROGRAM DATA WORK [--runs N] [--quick]

PROGRAM is gensim, built with plain -O3; DATA holds corpora in UCI layout (DATA/<name>/docword.<name>.txt.gz); WORK is a folder for unpacked
files. Both sides run on one thread; CPU seconds are of learning only, tf-idf included. LSI: 100 directions of tf-idf; gensim's is a
randomised method in one pass over chunks of 20,000 documents (its default), so its error is shown. HDP: gensim's is online variational
inference (Wang, Paisley and Blei 2011) with its default settings; dplda's a Gibbs sampler. Topics of both are scored by the same evaluator,
with each side's own prior. "Topics" hold at least a thousandth of the tokens (gensim: of the expected prior weight).
"""
import argparse
import os
import statistics
import sys
import time

for limit in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[limit] = "1"
sys.path.append(sys.path.pop(0))  # this file is called gensim, too
import gensim
import numpy as np

from common import ask, label, read_train, table_head, table_row, unpack

SEED = 2


def documents_of(counts):
    return [list(zip(row.indices.tolist(), row.data.astype(int).tolist())) for row in counts]


def compare_lsi(args, names, topics=100):
    print(f"\nLSI, {topics} directions of tf-idf: CPU seconds, and gensim's largest relative error of a singular value")
    table_head("corpus", "gensim, s", "dplda, s", "ratio", "error, first 10", "error, all")
    for name in names:
        counts = read_train(f"{args.work}/{name}")
        documents, total = documents_of(counts), counts.shape[0]
        words = {word: str(word) for word in range(counts.shape[1])}
        rows = []
        for _ in range(args.runs):
            start = time.process_time()
            weigh = gensim.models.TfidfModel(documents, wglobal=lambda with_word, all: np.log(all / with_word), id2word=words)
            peer = gensim.models.LsiModel(list(weigh[documents]), id2word=words, num_topics=topics, chunksize=20000)
            cpu = time.process_time() - start
            ours = ask(args.program, "lsi", f"{args.work}/{name}", topics)["cpu"]
            exact = np.load(f"{args.work}/{name}/values.npy").ravel()
            errors = np.abs(peer.projection.s - exact[:len(peer.projection.s)]) / exact[:len(peer.projection.s)]
            rows.append((cpu, ours, cpu / ours, errors[:10].max(), errors.max()))
        cpu, ours, ratio, first, every = (statistics.median(column) for column in zip(*rows))
        table_row(label(args.data, name), f"{cpu:.2f}", f"{ours:.2f}", f"{ratio:.1f}x", f"{first:.1g}", f"{every:.1g}")


def compare_hdp(args, names, sweeps):
    print(f"\nHDP: CPU seconds, topics found, and held-out perplexity; dplda makes {sweeps} sweeps and 50 more for its samples")
    table_head("corpus", "gensim, s", "topics", "perplexity", "dplda, s", "topics", "perplexity", "gensim's CPU over dplda's",
               "dplda's CPU to gensim's perplexity, s")
    for name in names:
        folder = f"{args.work}/{name}"
        counts = read_train(folder)
        documents = documents_of(counts)
        words = gensim.corpora.Dictionary.from_corpus(documents, id2word={word: str(word) for word in range(counts.shape[1])})
        rows = []
        for seed in range(1, args.runs + 1):
            start = time.process_time()
            peer = gensim.models.HdpModel(documents, words, random_state=seed)
            cpu = time.process_time() - start
            alpha, beta = peer.hdp_to_lda()
            np.save(f"{folder}/phi.npy", beta / beta.sum(axis=1, keepdims=True))
            np.save(f"{folder}/alpha.npy", np.maximum(alpha, 1e-6).reshape(-1, 1))
            theirs = ask(args.program, "score", folder, f"{folder}/phi.npy", f"{folder}/alpha.npy")["perplexity"]
            ours = ask(args.program, "hdp", folder, sweeps, seed)
            reached = ask(args.program, "reach", folder, theirs, seed)["cpu"]
            rows.append((cpu, (alpha > 0.001 * alpha.sum()).sum(), theirs, ours["cpu"], ours["large"], ours["perplexity"],
                         cpu / ours["cpu"], reached))
        cpu, large, theirs, own, found, perplexity, ratio, reached = (statistics.median(column) for column in zip(*rows))
        table_row(label(args.data, name), f"{cpu:.1f}", f"{large:.0f}", f"{theirs:.1f}", f"{own:.1f}", f"{found:.0f}", f"{perplexity:.1f}",
                  f"{ratio:.2f}x", f"{reached:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "data", "work"):
        parser.add_argument(name)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="kos only, fewer sweeps")
    args = parser.parse_args()
    names = ["kos"] if args.quick else ["kos", "nips"]
    print(f"gensim {gensim.__version__}, numpy {np.__version__}")
    for name in names:
        folder = f"{args.work}/{name}"
        unpack(args.data, name, folder)
        sizes = ask(args.program, "split", f"{folder}/docword.txt", f"{folder}/vocab.txt", folder, SEED)
        print(f"{name}: {sizes['train']:.0f} training documents, {sizes['tokens']:.0f} tokens; {sizes['test']:.0f} held out, unigram "
              f"perplexity {sizes['unigram']:.1f}")
    compare_lsi(args, names)
    compare_hdp(args, names, 100 if args.quick else 300)


main()
