"""Data sets whose files are recognised by their names: which tiles are tested, and what the published scripts do first.

One data set has several truths, which the tables of papers mix; each truth is a layout of its own here.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from geoeval.exceptions import ParameterError
from geoeval.stored_json import read_json

# The split that papers report.
TEST = "test"
SPLITS = ("test", "validation", "train", "all")


@dataclass(frozen=True)
class Layout:
    """How the files of a data set are named and used.

    Attributes
    ----------
    name, about
        For options and output.
    truth, prediction
        Patterns of file names; the first group is the name of the place.
    split_of
        The split of a place by its number; ``None`` where a list of the data set says it.
    numbers
        How many numbers there are, where the data set has a fixed list.
    aggregate
        Which of a protocol's ways to put places together the published scripts use.
    parameters
        What the scripts use instead of a protocol's defaults.
    crop_prediction, crop_truth
        Only nodes between these two pixels are kept, and the first becomes 0.
    size
        Pixels of a side.
    """

    name: str
    about: str
    truth: re.Pattern[str] | None = None
    prediction: re.Pattern[str] | None = None
    split_of: Callable[[int], str] | None = None
    numbers: range | None = None
    aggregate: str | None = None
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    crop_prediction: tuple[float, float] | None = None
    crop_truth: tuple[float, float] | None = None
    size: int | None = None

    @property
    def reading(self) -> dict[str, Any]:
        """Options of the readers that the layout stands for: its pixels count as metres."""
        return {"pixel_size": 1.0} if self.size is not None else {}

    def names(self, split: str, folder: Path, there: Iterable[str]) -> list[str]:
        """The places of a split, also those whose truth is not there; in the order of their names."""
        if self.numbers is not None and self.split_of is not None:
            wanted = [number for number in self.numbers if split in ("all", self.split_of(number))]
            return sorted(map(str, wanted)) if split != "all" else sorted(there)
        listed = _listed_split(folder, split)
        return sorted(there) if listed is None else listed


def _city_split(number: int) -> str:
    if number % 10 == 9 or number % 20 == 8:
        return TEST
    return "validation" if number % 20 == 18 else "train"


def _global_split(number: int) -> str:
    return "train" if number <= 2374 else "validation" if number <= 2713 else TEST


def _all_test(_number: int) -> str:
    return TEST


_TILE = re.compile(r"(?:region_)?(\d+)(?:_\w+)?\.\w+")
_CHIP = re.compile(r"(.+?)(?:__\w+)?\.\w+")
_CITY: dict[str, Any] = {"prediction": _TILE, "aggregate": "city", "size": 2048}
_SMALL: dict[str, Mapping[str, Any]] = {"sat2graph-topo": {"small": True}, "sat2graph-apls": {"table": "10"}}
_CHIPS: dict[str, Any] = {"prediction": _CHIP, "aggregate": "spacenet", "size": 400, "parameters": _SMALL}
_REFINED = re.compile(r"region_(\d+)_refine_gt_graph\.p")

PLAIN = Layout("plain", "files paired by their names")
TABLE = Layout("spacenet-csv", "SpaceNet-3: tables with the roads of many images (ImageId, WKT_Pix)")
LAYOUTS = {
    layout.name: layout
    for layout in (
        PLAIN,
        TABLE,
        Layout(
            "city-scale", "City-Scale, the truth of RNGDet++ and SAM-Road (region_N_graph_gt.pickle)",
            truth=re.compile(r"region_(\d+)_graph_gt\.p(?:ickle)?"), split_of=_city_split, numbers=range(180), **_CITY,
        ),
        Layout(
            "city-scale-refined", "City-Scale, the truth of DeH4R and MaGRoad (region_N_refine_gt_graph.p)",
            truth=_REFINED, split_of=_city_split, numbers=range(180), **_CITY,
        ),
        Layout(
            "global-scale", "Global-Scale, tiles of known ground (region_N_refine_gt_graph.p, test 2714 to 3337)",
            truth=_REFINED, split_of=_global_split, numbers=range(3338), **_CITY,
        ),
        Layout(
            "global-scale-out", "Global-Scale, tiles of unknown ground (region_N_refine_gt_graph.p, all of 0 to 129)",
            truth=_REFINED, split_of=_all_test, numbers=range(130), **_CITY,
        ),
        Layout(
            "global-scale-deh4r", "Global-Scale as DeH4R scores it: the truth is cropped to 2048 px first",
            truth=_REFINED, split_of=_global_split, numbers=range(3338), crop_truth=(-0.5, 2048.5), **_CITY,
        ),
        Layout(
            "spacenet", "SpaceNet as SAM-Road scores it: X__gt_graph.p, nothing cropped",
            truth=re.compile(r"(.+)__gt_graph\.p"), **_CHIPS,
        ),
        Layout(
            "spacenet-rngdet", "SpaceNet as RNGDet++ scores it: X__gt_graph_dense_spacenet.p, predictions cropped to "
            "24 to 376 px", truth=re.compile(r"(.+)__gt_graph_dense_spacenet\.p"), crop_prediction=(24.0, 376.0),
            **_CHIPS,
        ),
        Layout(
            "spacenet-deh4r", "SpaceNet as DeH4R scores it: X__gt_graph_dense.p, nothing cropped",
            truth=re.compile(r"(.+)__gt_graph_dense\.p"), **_CHIPS,
        ),
    )
}  # fmt: skip


def layout_named(name: str) -> Layout:
    """The layout of this name, or an error that says which there are."""
    if name not in LAYOUTS:
        raise ParameterError(f"unknown layout {name!r}; there are auto, {', '.join(LAYOUTS)}")
    return LAYOUTS[name]


def recognise_layout(folder: Path, files: Iterable[str]) -> Layout:
    """The layout that the names of truth files show; the plain one where they show none.

    Raises
    ------
    ParameterError
        The folder holds several truths of one data set.
    """
    names = list(files)
    found = {
        layout.name: [match[1] for name in names if (match := layout.truth.fullmatch(name))]
        for layout in LAYOUTS.values()
        if layout.truth is not None
    }
    refined = found["city-scale-refined"]
    if refined:
        out = "out" in folder.name.lower() or "ood" in folder.name.lower()
        is_global = out or "global" in str(folder).lower() or max(map(int, refined)) >= 180
        kept = ("global-scale-out" if out else "global-scale") if is_global else "city-scale-refined"
        for name in ("city-scale-refined", "global-scale", "global-scale-out", "global-scale-deh4r"):
            found[name] = refined if name == kept else []
    shown = [name for name, tiles in found.items() if tiles]
    if len(shown) > 1:
        raise ParameterError(f"{folder} holds several truths ({', '.join(shown)}); {{give:layout}}")
    return LAYOUTS[shown[0]] if shown else PLAIN


def _listed_split(folder: Path, split: str) -> list[str] | None:
    """The places of a split as ``data_split.json`` lists them, in the folder or above it; ``None`` without it."""
    for path in (folder / "data_split.json", folder.parent / "data_split.json"):
        if path.is_file() and split != "all":
            try:
                listed = read_json(path)[split]
            except (OSError, ValueError, KeyError, TypeError):
                return None
            return sorted(map(str, listed)) if isinstance(listed, list) else None
    return None
