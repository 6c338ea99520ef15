"""Figures of studies."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.studies.sensitivity import Sensitivity
from geoeval.writers.pictures import new_figure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from geoeval.studies.comparison import Comparison
    from geoeval.studies.curve import Curve

BLUE, GREEN, VERMILLION, GREY = "#0072B2", "#009E73", "#D55E00", "#777777"


def sensitivity_figure(study: Sensitivity) -> "Figure":
    """A small plot for each metric and error: the mean score, with a band of one standard deviation.

    The frame is red if the metric is insensitive, as in Figure 5 of the paper.
    """
    curves, table = study.curves(), study.table()
    metrics, errors = list(table.index), list(table.columns)
    figure = new_figure(1.9 * len(errors) + 0.6, 1.25 * len(metrics) + 0.6)
    grid: Any = figure.subplots(len(metrics), len(errors), sharex=True, sharey=True, squeeze=False)
    for (i, metric), (j, error) in ((a, b) for a in enumerate(metrics) for b in enumerate(errors)):
        axes = grid[i, j]
        own = curves[(curves["metric"] == metric) & (curves["error"] == error)].sort_values("count")
        x, mean, sd = (own[name].to_numpy(dtype=float) for name in ("count", "mean", "sd"))
        flat = table.loc[metric, error] == "insensitive"
        axes.fill_between(x, mean - sd, mean + sd, color=BLUE, alpha=0.2, linewidth=0)
        axes.plot(x, mean, color=BLUE, marker="o", markersize=2.5, linewidth=1.2)
        axes.set_ylim(0, 1.05)
        axes.grid(visible=True, alpha=0.3)
        axes.tick_params(labelsize=7)
        for spine in axes.spines.values():
            spine.set(color=VERMILLION if flat else GREY, linewidth=2.0 if flat else 0.8)
        if i == 0:
            axes.set_title(error.replace("_", " "), fontsize=8)
        if j == 0:
            axes.set_ylabel(metric.replace(".", "\n").replace("_", " "), fontsize=8)
        if i == len(metrics) - 1:
            axes.set_xlabel("errors", fontsize=7)
    return figure


def correlation_figure(matrix: "pd.DataFrame") -> "Figure":
    """The correlation matrix, with numbers."""
    names = [str(name) for name in matrix.columns]
    size = 0.75 * len(names) + 1.6
    figure = new_figure(size, size)
    axes: Any = figure.subplots()
    values = matrix.to_numpy(dtype=float)
    axes.imshow(values, vmin=-1, vmax=1, cmap="RdBu")
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=8, parse_math=False)
    axes.set_yticks(range(len(names)), names, fontsize=8, parse_math=False)
    for i, j in np.ndindex(values.shape):
        text = "" if np.isnan(values[i, j]) else f"{values[i, j]:.2f}"
        axes.text(
            j, i, text, ha="center", va="center", fontsize=8, color="white" if abs(values[i, j]) > 0.7 else "black"
        )
    return figure


def pairwise_figure(differences: "pd.DataFrame", first: str, second: str) -> "Figure":
    """Differences of scores: one plot per metric, one bar per place."""
    metrics = [name for name in differences.columns if name != "place"]
    places = [str(name) for name in differences["place"]]
    figure = new_figure(2.2 * len(metrics) + 1.2, 0.28 * len(places) + 1.4)
    grid: Any = figure.subplots(1, len(metrics), sharey=True, squeeze=False)
    for axes, metric in zip(grid[0], metrics, strict=True):
        values = differences[metric].to_numpy(dtype=float)
        axes.barh(range(len(places)), np.nan_to_num(values), color=np.where(values >= 0, BLUE, VERMILLION))
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set_yticks(range(len(places)), places, fontsize=8, parse_math=False)
        axes.set_title(metric, fontsize=8)
        axes.tick_params(axis="x", labelsize=7)
        axes.invert_yaxis()
    figure.suptitle(f"{first} minus {second}; blue where {first} is better", fontsize=9, parse_math=False)
    return figure


def comparison_figure(found: Sequence["Comparison"], blocks: "pd.DataFrame", size: float) -> "Figure":
    """Differences with their 95 % intervals, one row per metric; below, maps of where A and B are better."""
    figure = new_figure(max(6.5, 2.6 * len(found)), 0.35 * len(found) + 4.2)
    parts: Any = figure.subfigures(2, 1, height_ratios=[0.35 * len(found) + 1.0, 3.2])
    above, below = parts
    axes: Any = above.subplots()
    for row, one in enumerate(found):
        colour = {"A": BLUE, "B": VERMILLION}.get(one.winner, GREY)
        axes.plot(one.interval, (row, row), color=colour, linewidth=2.5, solid_capstyle="butt")
        axes.plot(one.difference, row, "o", color=colour, markersize=6)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(found)), [f"{one.metric}, confidence {one.confidence:.3f}" for one in found], fontsize=8)
    axes.set(ylim=(len(found) - 0.5, -0.5))
    axes.set_xlabel("score of A minus score of B", fontsize=8)
    axes.tick_params(axis="x", labelsize=7)
    above.suptitle("Blue: A is better, red: B is better, grey: no winner", fontsize=9)
    most = max(float(np.nanmax(np.abs(blocks["difference"]), initial=0.0)), 1e-9)
    grid: Any = below.subplots(1, len(found), sharex=True, sharey=True, squeeze=False)
    shown = None
    for axes, one in zip(grid[0], found, strict=True):
        own = blocks[(blocks["metric"] == one.metric) & blocks["difference"].notna()]
        low, high = (np.array([blocks[name].min() for name in "xy"]), np.array([blocks[name].max() for name in "xy"]))
        image = np.full(np.round((high - low)[::-1] / size).astype(int) + 1, np.nan)
        column, row = (np.round((own[name] - start) / size).astype(int) for name, start in zip("xy", low, strict=True))
        image[row, column] = own["difference"]
        shown = axes.imshow(
            image, origin="lower", extent=(low[0], high[0] + size, low[1], high[1] + size), cmap="RdBu", vmin=-most,
            vmax=most,
        )  # fmt: skip
        axes.set_title(one.metric, fontsize=8)
        axes.set(xticks=[], yticks=[], facecolor="#EEEEEE")
    if shown is not None:
        bar = below.colorbar(shown, ax=list(grid[0]), shrink=0.8)
        bar.set_label(f"A minus B in blocks of {size:g} m", fontsize=7)
        bar.ax.tick_params(labelsize=7)
    return figure


def curve_figure(curve: "Curve") -> "Figure":
    """The headline score over the tolerance, with its mean."""
    figure = new_figure(6, 4)
    axes: Any = figure.subplots()
    axes.plot(curve.tolerances, curve.values, color=BLUE, marker="o", markersize=3)
    axes.set(xlabel="tolerance (m)", ylabel=f"{curve.metric} {curve.headline}", ylim=(0, 1.02))
    axes.grid(visible=True, alpha=0.3)
    if curve.area is not None:
        axes.set_title(f"mean {curve.area:.3f}", loc="right", fontsize="medium")
    return figure


def stability_figure(table: "pd.DataFrame") -> "Figure":
    """Mean headline scores over all seeds, with error bars of one standard deviation."""
    figure = new_figure(0.8 * len(table) + 1.5, 3.5)
    axes: Any = figure.subplots()
    x = np.arange(len(table))
    axes.bar(x, table["mean"].fillna(0), yerr=table["sd"].fillna(0), color=BLUE, ecolor="black", capsize=3)
    labels = [f"{mean:.3f}\n±{sd:.4f}" for mean, sd in zip(table["mean"], table["sd"], strict=True)]
    for place, label, mean in zip(x, labels, table["mean"].fillna(0), strict=True):
        axes.text(place, mean + 0.03, label, ha="center", fontsize=7)
    axes.set_xticks(x, list(table["metric"]), fontsize=8)
    axes.set(ylim=(0, 1.2), ylabel="score")
    return figure
