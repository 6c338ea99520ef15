"""How much a score depends on the tolerance that somebody chose: buildings that are 1, 2 and 4 m off."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from shapely import affinity

import geoeval
from geoeval.cli.demo import helsinki

reference = geoeval.read_objects(helsinki())
thresholds = np.arange(0.3, 1.0, 0.05)
figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
for metres in (1, 2, 4):
    moved = geoeval.ObjectMap.from_polygons(
        [affinity.translate(one, metres, 0) for one in reference.polygons], crs=reference.crs
    )
    scores = [
        geoeval.evaluate(reference, moved, kind="objects", aoi="all", metrics="iou",
                         parameters={"iou": {"threshold": float(one)}}).scores["iou"]["f1"]
        for one in thresholds
    ]  # fmt: skip
    axes.plot(thresholds, scores, marker="o", label=f"{metres} m off")
axes.axvline(0.5, color="grey", linewidth=0.8, linestyle="--")
axes.set(xlabel="IoU threshold", ylabel="F1 of the same buildings", ylim=(-0.02, 1.02))
axes.legend(frameon=False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "tolerance.png", dpi=110)
