# SPDX-License-Identifier: Apache-2.0
"""read_topics.py FOLDER: the most probable words of each topic of a model folder, with NumPy alone."""
import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
phi = np.load(folder / "phi.npy")  # topics x words, each row a distribution
words = np.array((folder / "vocabulary.txt").read_text(encoding="utf-8").rstrip("\n").split("\n"))
for topic, row in enumerate(phi):
    print(f"topic {topic}:", *words[np.argsort(-row, kind="stable")[:10]])
