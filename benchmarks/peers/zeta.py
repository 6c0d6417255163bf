# SPDX-License-Identifier: Apache-2.0
"""zeta(Phi, d) = max over theta of the log likelihood, by dplda and by SciPy's SLSQP, on the same documents and topics.

SLSQP is run as in the paper, with gradients by finite differences, and with the exact gradient. CPU time of one thread,
the objective over the document's own words only on both sides. "short" is dplda's value minus SLSQP's, in nats, at its
smallest and at its largest over the documents: if the smallest is about 0, SLSQP was never better by more than rounding.
"""
import argparse
import time

import numpy as np
from scipy.optimize import minimize

from common import ask, label, table_head, table_row, unpack


def read_documents(file):
    with open(file) as lines:
        documents = int(lines.readline())
        lines.readline(), lines.readline()
        triples = np.fromfile(lines, sep=" ", dtype=np.int64).reshape(-1, 3)
    return [(part[:, 1] - 1, part[:, 2].astype(float)) for part in
            (triples[triples[:, 0] == d + 1] for d in range(documents))]


def slsqp(counts, rows, exact):
    topics = rows.shape[0]

    def loss(theta):
        return -counts @ np.log(np.maximum(theta @ rows, 1e-300))

    def slope(theta):
        return -rows @ (counts / np.maximum(theta @ rows, 1e-300))

    simplex = {"type": "eq", "fun": lambda theta: theta.sum() - 1}
    if exact:
        simplex["jac"] = lambda theta: np.ones(topics)
    found = minimize(loss, np.full(topics, 1 / topics), jac=slope if exact else None, method="SLSQP",
                     bounds=[(0, 1)] * topics, constraints=[simplex])
    theta = np.maximum(found.x, 0)
    return -loss(theta / theta.sum())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("work")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    cases = [("tweetrumors", 5), ("nips", 10), ("20news", 20), ("nips", 100)]
    documents = 20 if options.quick else 100
    table_head("corpus", "K", "words", "SLSQP, us", "exact gradient, us", "dplda, us", "ratio", "exact", "short, least", "most")
    for name, topics in cases[:3] if options.quick else cases:
        folder = f"{options.work}/{name}"
        unpack(options.data, name, folder)
        ours = ask(options.program, f"{folder}/docword.txt", f"{folder}/vocab.txt", folder, topics, documents)
        phi, zeta = np.load(f"{folder}/phi.npy"), np.load(f"{folder}/zeta.npy").ravel()
        docs = read_documents(f"{folder}/docs.txt")
        times, short = [], []
        for exact in (False, True):
            start = time.process_time()
            theirs = [slsqp(counts, phi[:, words], exact) if len(words) else 0.0 for words, counts in docs]
            times.append(1e6 * (time.process_time() - start) / len(docs))
            short.append(zeta - theirs)
        both = np.concatenate(short)
        us = ours["microseconds"]
        table_row(label(options.data, name), topics, f"{ours['words']:.0f}", f"{times[0]:.0f}", f"{times[1]:.0f}", f"{us:.1f}", f"{times[0] / us:.0f}x",
                  f"{times[1] / us:.0f}x", f"{both.min():.1e}", f"{both.max():.1e}")


if __name__ == "__main__":
    main()
