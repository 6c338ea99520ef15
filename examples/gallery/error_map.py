"""Every error on one map, each kind in its colour: central Helsinki against a copy with known errors."""

import sys

import matplotlib.pyplot as plt

import geoeval
from geoeval.cli.demo import helsinki, with_errors
from geoeval.model.error_kinds import error_kind

reference = geoeval.read_network(helsinki(), network_type="drive")
result = geoeval.evaluate(reference, with_errors(reference), aoi="all", metrics="ccq,opt-p,opt-j")

figure, axes = plt.subplots(figsize=(7, 9), layout="constrained", facecolor="#101418")
reference.plot(axes, color="#3B4650", linewidth=1.2)
for name in result.error_summary():
    kind, errors = error_kind(name), result.errors_of(name)
    errors.plot(ax=axes, color="white" if kind.colour == "#000000" else kind.colour, linewidth=3.5, label=kind.label)
axes.legend(frameon=False, labelcolor="white", loc="lower left", fontsize=11)
axes.set_axis_off()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "error_map.png", dpi=110)
