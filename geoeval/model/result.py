"""What an evaluation gives: scores, a map of the errors, and all that is needed to repeat the run."""

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pyproj import CRS

from geoeval._version import __version__
from geoeval.arrays import Box
from geoeval.crs import crs_name, ground_area
from geoeval.exceptions import ParameterError
from geoeval.files import check_output, keeps_inputs, new_file
from geoeval.model.error_kinds import KINDS, error_kind, shown_metric
from geoeval.model.features import is_of_reference
from geoeval.model.scores import ScoreValue

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd
    from matplotlib.axes import Axes

# What a result can do with the help of rooms that know results. They are called by name when they are asked for, so
# that this room depends on none of them.
_TOOLS = {
    "score_table": "geoeval.metrics.score_table",
    "class_table": "geoeval.metrics.class_table",
    "class_mean": "geoeval.metrics.class_table",
    "score_grid": "geoeval.metrics.score_grid",
    "write_layers": "geoeval.writers.layers",
    "write_report": "geoeval.report.page",
    "write_card": "geoeval.report.card",
    "write_run": "geoeval.reviewing.run_file",
    "plot_result": "geoeval.report.notebook",
    "result_html": "geoeval.report.notebook",
    "explore_result": "geoeval.report.notebook",
    "apply_plan": "geoeval.pipeline.planning",
}


def _tool(name: str) -> Any:
    return getattr(import_module(_TOOLS[name]), name)


@dataclass(frozen=True, repr=False)
class Result:
    """Scores, error features, and what is needed to repeat the run and to see that it is the same run.

    Attributes
    ----------
    kind
        ``roads``, ``objects`` or ``lines``.
    crs, scale_error
        What was measured in, and the largest relative error of a length in it; ``None`` where it cannot be known.
    seed
        Of the sampled metrics.
    reference, prediction
        What is said of each input: where it came from, how much it is, a digest, and what reading dropped or mended.
    parameters, scores, counts
        By metric and name. A score that is undefined is ``None``, with the reason in ``notes``.
    errors
        The features of every metric, one GeoDataFrame a geometry type: ``points``, ``lines``, ``polygons``. Several
        metrics may report the same missing road: ``map_errors`` has each once. Made when they are first looked at.
    decided
        The errors that a map shows, each place with one error, of its cause, in frames like those of ``errors``; the
        surest first. ``None`` where nobody decided: then a map shows what one metric reports of each kind.
    slivers
        By kind: number and length of what is too small to be listed among the errors.
    notes
        Reasons and remarks by ``metric.score`` or subject.
    classes
        By class and metric the scores of each class of objects, where they were evaluated class by class.
    run
        The call and the digests of its files, by which :func:`geoeval.verify` repeats it; ``None`` where ``evaluate``
        did not make the result.
    seconds
        How long each part took.
    details
        By metric: what reports and studies look at.
    area, extent
        The area that both inputs were cut to, ``None`` where nothing was cut; and the box around all that was compared.
    ground
        How the area was found (``how``), and the share of each input that was left out (``reference_left_out``,
        ``prediction_left_out``); ``None`` where nothing was cut.
    offset
        The shift of the prediction: ``dx``, ``dy`` in metres, the ``interval`` of each, whether it is ``significant``
        and whether it was ``removed``; ``None`` where it cannot be told.
    inputs
        By ``reference`` and ``prediction``: the maps that were compared. Not there where they were too large to keep.
    plan
        What to fix first, for roads and objects that ``evaluate`` evaluated, unless nobody wanted a plan.
    cells
        The tiles with their scores, where the evaluation went tile by tile.
    diagnosis
        What is off with the pair, the worst first: each a ``check``, a ``level`` (``error``, ``warning`` or ``info``),
        a ``message`` and the ``option`` that mends it, which may be empty.
    """

    kind: str
    crs: CRS
    scale_error: float | None
    seed: int
    reference: dict[str, Any]
    prediction: dict[str, Any]
    parameters: dict[str, dict[str, Any]]
    scores: dict[str, dict[str, ScoreValue]]
    counts: dict[str, dict[str, float]]
    errors: Mapping[str, "gpd.GeoDataFrame"]
    notes: dict[str, str]
    seconds: dict[str, float]
    details: dict[str, dict[str, Any]] = field(default_factory=dict)
    area: Any = None
    extent: Box | None = None
    ground: dict[str, Any] | None = None
    offset: dict[str, Any] | None = None
    inputs: dict[str, Any] = field(default_factory=dict)
    plan: Any = None
    cells: "gpd.GeoDataFrame | None" = None
    diagnosis: tuple[Mapping[str, str], ...] = ()
    decided: "dict[str, gpd.GeoDataFrame] | None" = None
    slivers: dict[str, dict[str, float]] = field(default_factory=dict)
    run: dict[str, Any] | None = None
    classes: dict[str, dict[str, dict[str, ScoreValue]]] = field(default_factory=dict)

    # ------------------------------------------------------------------ looking at it

    def __repr__(self) -> str:
        headlines = ", ".join(f"{name} {_short(value)}" for name, value in self._headlines().items())
        count = sum(entry["count"] for entry in self.error_summary().values())
        return f"<Result {self.kind}: {headlines or 'no scores'}; {count:,.0f} errors, {crs_name(self.crs)}>"

    def _repr_html_(self) -> str:
        """Score tiles and a small map, for notebooks."""
        html: str = _tool("result_html")(self)
        return html

    def table(self) -> "pd.DataFrame":
        """Every score: one row each, with its value, which way it is better, its range and unit, and what it says."""
        return _tool("score_table")(self)

    def class_table(self) -> "pd.DataFrame":
        """Every score of every class, one row each, and then their means; no rows where there are no classes."""
        return _tool("class_table")(self)

    @property
    def mean(self) -> dict[str, dict[str, ScoreValue]]:
        """By metric the mean of each score over all classes where it is defined; numbers of objects have none."""
        return _tool("class_mean")(self)

    def grid(self, cell_size: float = 500.0) -> "gpd.GeoDataFrame":
        """Local scores in square cells of so many metres; after an evaluation in tiles, the tiles."""
        return self.cells if self.cells is not None else _tool("score_grid")(self, cell_size=cell_size)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the errors over both inputs with matplotlib; gives the axes."""
        return _tool("plot_result")(self, ax)

    def explore(self, *, height: int = 600) -> Any:
        """The report's map, to be moved and zoomed in a notebook cell."""
        return _tool("explore_result")(self, height=height)

    def _headlines(self) -> "dict[str, ScoreValue]":
        table = self.table()
        rows = table[table["headline"]]
        return {name: self.scores[name][score] for name, score in zip(rows["metric"], rows["score"], strict=True)}

    # ------------------------------------------------------------------ its errors

    def map_errors(self) -> dict[str, "gpd.GeoDataFrame"]:
        """The errors for a map, where each place has one, of its cause: several metrics may tell of the same road.

        For roads that ``evaluate`` evaluated these are the ``decided`` ones, the surest first. Otherwise, of a kind
        that several metrics report, only the features of the first of them that was evaluated are kept. ``errors`` has
        them all.
        """
        return {name: frame[mask].reset_index(drop=True) for (name, frame), mask in self._on_map()}

    def _on_map(self) -> Any:
        """The frames with a mask of the rows that a map shows."""
        if self.decided is not None:
            return ((one, np.ones(len(one[1]), dtype=bool)) for one in self.decided.items())
        return zip(self.errors.items(), self._map_masks, strict=True)

    @cached_property
    def _map_masks(self) -> list[Any]:
        masks = []
        for frame in self.errors.values():
            kinds, metrics = frame["kind"].to_numpy(dtype=object), frame["metric"].to_numpy(dtype=object)
            mask = np.ones(len(frame), dtype=bool)
            for kind in dict.fromkeys(kinds.tolist()):
                if error_kind(kind).reported_by:
                    mask &= (kinds != kind) | (metrics == shown_metric(kind, self.scores))
            masks.append(mask)
        return masks

    @property
    def unit(self) -> str:
        """What lengths are in: ``m``, ``px`` of inputs that were kept in their pixels, or ``units`` of a drawing."""
        return str(self.reference.get("unit", "m"))

    def errors_of(self, kind: str) -> "gpd.GeoDataFrame":
        """The errors of one kind as the map shows them, whatever their geometry: ``break``, ``missing`` and so on."""
        import pandas as pd

        shown = self.map_errors().values()
        known = {*KINDS, *(str(one) for frame in shown for one in frame["kind"].unique())}
        if kind not in known:
            near = get_close_matches(str(kind), known, n=1)
            guess = f"did you mean {near[0]!r}? " if near else ""
            raise ParameterError(f"there is no kind of error {kind!r}; {guess}There are {', '.join(sorted(known))}")
        frames = [frame[frame["kind"] == kind] for frame in shown]
        return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)

    def error_summary(self) -> dict[str, dict[str, float]]:
        """Number and length of the errors of each kind, as ``map_errors`` gives them.

        What is matched is no error, and what is said of the reference alone is none of the prediction; see
        ``reference_problems``.
        """
        return {kind: entry for kind, entry in self._feature_summary[False].items() if error_kind(kind).is_error}

    def reference_problems(self) -> dict[str, dict[str, float]]:
        """Number and length of what is wrong in the reference itself, by kind: segments that it has twice."""
        return dict(self._feature_summary[True])

    @cached_property
    def _feature_summary(self) -> dict[bool, dict[str, dict[str, float]]]:
        """By kind number and length of what is said of the reference alone (``True``), and of all else."""
        summary: dict[bool, dict[str, dict[str, float]]] = {False: {}, True: {}}
        for (_, frame), mask in self._on_map():
            shown = frame.loc[mask, ["kind", "ref_id", "pred_id", "length_m"]]
            for (apart, kind), lengths in shown.groupby([is_of_reference(shown), "kind"], sort=True)["length_m"]:
                entry = summary[bool(apart)].setdefault(str(kind), {"count": 0, "length_m": 0.0})
                entry["count"] += len(lengths)
                entry["length_m"] += fsum(lengths.dropna())
        return {apart: dict(sorted(kinds.items())) for apart, kinds in summary.items()}

    def apply(self, plan: Any = None, *, top: int | None = None) -> Any:
        """The prediction with the edits of its plan carried out; see :func:`geoeval.pipeline.planning.apply_plan`.

        ``plan`` may be some rows of ``plan.edits`` or a ``plan.csv``; by default all edits. ``top`` takes the first
        ones only. After all of them every score is 1.
        """
        return _tool("apply_plan")(self, plan, top=top)

    # ------------------------------------------------------------------ writing it

    def write_layers(self, directory: str | Path, **options: Any) -> Any:
        """Write error layers, area and grid as map layers; options as for :func:`geoeval.write_layers`."""
        return _tool("write_layers")(self, directory, **options)

    def write_report(self, path: str | Path, **options: Any) -> None:
        """Write one HTML page with map, tables and plots; options as for :func:`geoeval.write_report`."""
        _tool("write_report")(self, path, **options)

    def write_card(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write one small picture with scores, map and the number of errors, as :func:`geoeval.write_card` does."""
        _tool("write_card")(self, path, overwrite=overwrite)

    def write_run(self, path: str | Path, **options: Any) -> Any:
        """Write everything into one GeoPackage that can be reviewed; options as for :func:`geoeval.write_run`."""
        return _tool("write_run")(self, path, **options)

    @keeps_inputs
    def write_json(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the result as JSON, in the shape of the command line."""
        with new_file(check_output(path, "results", overwrite=overwrite), overwrite=overwrite) as unfinished:
            unfinished.write_text(self.to_json() + "\n", encoding="utf-8")

    def as_dict(self) -> dict[str, Any]:
        """The JSON shape that the command line writes."""
        return {
            "geoeval": __version__,
            "kind": self.kind,
            "crs": crs_name(self.crs),
            "scale_error": self.scale_error,
            "seed": self.seed,
            "reference": self.reference,
            "prediction": self.prediction,
            "area": self._area_facts(),
            "offset": self.offset,
            "diagnosis": [dict(finding) for finding in self.diagnosis],
            "parameters": self.parameters,
            "scores": self.scores,
            "counts": self.counts,
            "classes": self.classes,
            "mean": self.mean,
            "errors": self.error_summary(),
            "reference_problems": self.reference_problems(),
            "slivers": self.slivers,
            "matches": {
                kind: entry for kind, entry in self._feature_summary[False].items() if not error_kind(kind).is_error
            },
            "plan": None if self.plan is None else self.plan.summary(),
            "notes": self.notes,
            "versions": versions(),
            "run": self.run,
            "seconds": self.seconds,
        }

    def _area_facts(self) -> dict[str, Any] | None:
        if self.area is None:
            return None
        return {"wkt": self.area.wkt, "km2": ground_area(self.area, self.crs) / 1e6, **(self.ground or {})}

    def to_json(self, *, indent: int | None = 2) -> str:
        """The result as JSON text: scores as numbers or null, never NaN."""
        return json.dumps(self.plain(), indent=indent, allow_nan=False, ensure_ascii=False)

    def plain(self) -> dict[str, Any]:
        """As ``as_dict``, with nothing in it that JSON does not know."""
        return _plain(self.as_dict())


def amount(facts: Mapping[str, Any]) -> str:
    """How much an input is, in words: ``12.34 km`` or ``1,234 px`` of road, ``1,234 objects`` or ``1,234 lines``."""
    if "lines" in facts:
        return f"{facts['lines']:,} lines"
    if "objects" in facts:
        return f"{facts['objects']:,} objects"
    length = facts["length_m"]
    return f"{length:,.0f} px" if facts.get("unit") == "px" else f"{length / 1000:,.2f} km"


def name_of(facts: Mapping[str, Any], role: str) -> str:
    """What an input is called: as its user says, or by its file; its role where it has neither."""
    return str(facts.get("name") or Path(str(facts.get("source", ""))).name or role)


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    packages = ("numpy", "scipy", "shapely", "pyproj", "numba", "geopandas")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def _short(value: ScoreValue) -> str:
    return "undefined" if value is None else f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


def _plain(value: Any) -> Any:
    """Numpy values as Python ones, NaN as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    if isinstance(value, str):
        return readable(value)
    return value


def readable(name: str) -> str:
    """The name of a file as text that can be written: bytes in it that are no UTF-8 are replaced."""
    return name.encode(errors="surrogateescape").decode(errors="replace")
