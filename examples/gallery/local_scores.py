"""Where a prediction is good and where it is bad: local scores in cells of 150 m."""

import sys

import matplotlib.pyplot as plt

import geoeval
from geoeval.cli.demo import helsinki, with_errors

reference = geoeval.read_network(helsinki(), network_type="drive")
result = geoeval.evaluate(reference, with_errors(reference), aoi="all", metrics="ccq,opt-j")

figure, axes = plt.subplots(figsize=(7, 8), layout="constrained")
result.grid(150).plot("ccq.quality", ax=axes, cmap="viridis", vmin=0.4, vmax=1, legend=True, alpha=0.9,
                      legend_kwds={"label": "CCQ quality in the cell", "shrink": 0.6})  # fmt: skip
result.inputs["prediction"].plot(axes, color="black", linewidth=0.8)
axes.set_axis_off()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "local_scores.png", dpi=110)
