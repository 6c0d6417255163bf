# SPDX-License-Identifier: Apache-2.0
"""Shared by the comparisons with Python libraries."""
import gzip
import os
import shutil
import subprocess

import numpy as np
import scipy.sparse


def ask(program, *words):
    out = subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout.split()
    return {name: float(value) for name, value in zip(out[::2], out[1::2])}


def table_row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def table_head(*cells):
    """Begins a Markdown table, which the page of results also writes as CSV."""
    print()
    table_row(*cells)
    table_row(*["---"] * len(cells))


def label(data, name):
    """The name under which a corpus is in data: its own, or that of its stand-in."""
    return name if os.path.isdir(f"{data}/{name}") else f"stand_in_{name}"


def unpack(data, name, folder):
    os.makedirs(folder, exist_ok=True)
    name = label(data, name)
    for part in ("docword", "vocab"):
        packed, plain = f"{data}/{name}/{part}.{name}.txt.gz", f"{folder}/{part}.txt"
        with gzip.open(packed, "rb") as source, open(plain, "wb") as target:
            shutil.copyfileobj(source, target)


def read_train(folder):
    with open(f"{folder}/train.txt") as lines:
        documents, words, _ = (int(lines.readline()) for _ in range(3))
        triples = np.fromfile(lines, sep=" ", dtype=np.int64).reshape(-1, 3)
    return scipy.sparse.csr_matrix((triples[:, 2].astype(float), (triples[:, 0] - 1, triples[:, 1] - 1)), (documents, words))
