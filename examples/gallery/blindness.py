"""Which metric is blind to which error: one error a kilometre, one kind at a time; dark is a score that falls."""

import sys

import matplotlib.pyplot as plt
import numpy as np

import geoeval
from geoeval.cli.demo import helsinki

ERRORS = ("interruptions", "missing", "overconnections", "doubled", "perturbations")
HEADLINES = {"ccq": "quality", "tlts": "correct", "apls": "apls", "junct": "f1", "subg": "f1", "opt-p": "f1",
             "opt-j": "f1", "opt-g": "f1"}  # fmt: skip

reference = geoeval.read_network(helsinki(), network_type="drive")
count = round(reference.length / 1000)
falls = np.zeros((len(HEADLINES), len(ERRORS)))
for column, error in enumerate(ERRORS):
    made = geoeval.perturb(reference, error, count, seed=4)
    scores = geoeval.evaluate(made.reference, made.prediction, aoi="all").scores
    falls[:, column] = [1 - scores[metric][score] for metric, score in HEADLINES.items()]

figure, axes = plt.subplots(figsize=(7, 6), layout="constrained")
picture = axes.imshow(falls, cmap="magma_r", vmin=0, vmax=0.4, aspect="auto")
for (row, column), fall in np.ndenumerate(falls):
    axes.text(column, row, f"{1 - fall:.2f}", ha="center", va="center", color="white" if fall > 0.2 else "black")
axes.set_xticks(range(len(ERRORS)), ERRORS, rotation=20)
axes.set_yticks(range(len(HEADLINES)), HEADLINES)
figure.colorbar(picture, label="fall of the score", shrink=0.7)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "blindness.png", dpi=110)
