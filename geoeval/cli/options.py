"""Options that several commands share, each written once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from geoeval.contents import SIDES


class ProgressChoice(StrEnum):
    """How progress is shown."""

    auto = "auto"
    bar = "bar"
    json = "json"
    none = "none"


class LayerFormat(StrEnum):
    """File formats of error layers."""

    shp = "shp"
    gpkg = "gpkg"
    geojson = "geojson"
    parquet = "parquet"


class KindChoice(StrEnum):
    """Kinds of map content."""

    roads = "roads"
    objects = "objects"
    lines = "lines"


class WholeNetworksChoice(StrEnum):
    """How metrics that need whole networks are evaluated in tiles."""

    together = "together"
    tiles = "tiles"


class Preset(StrEnum):
    """Sets of parameters."""

    default = "default"
    roadtracer_px = "roadtracer-px"


INPUT_PANEL, _OUTPUT, _RUN = "Input", "Output", "Run"

Aoi = Annotated[
    str | None,
    typer.Option(
        metavar="WORD|FILE|minx,miny,maxx,maxy",
        help="Area to keep: a file of polygons, a box in degrees or in metres of the CRS, a RESULT.json whose area is "
        "used again; all cuts nothing. Of two maps also the ground of one or both: reference, prediction, overlap, "
        "or bounds, as far as the files declare it.",
        rich_help_panel=INPUT_PANEL,
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace output that exists.", rich_help_panel=_OUTPUT)]
JsonFile = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE|-", help="Write the result as JSON; - prints it.", rich_help_panel=_OUTPUT),
]
Progress = Annotated[ProgressChoice, typer.Option(help="How progress is shown.", rich_help_panel=_RUN)]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=_RUN)]
TargetCrs = Annotated[
    str,
    typer.Option(
        "--crs",
        metavar="auto|EPSG:n",
        help="CRS of the output; auto is a metric one that fits the data.",
        rich_help_panel=_OUTPUT,
    ),
]
OutputDirectory = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="DIR", help="Folder for the error layers.", rich_help_panel=_OUTPUT),
]
Mixed = Annotated[
    bool,
    typer.Option("--mixed", help="Compare results of different references, grounds or parameters all the same."),
]
Limits = Annotated[
    str | None,
    typer.Option(metavar="NAME=N,...", help="Where the usual limits are too low: columns, items; none for no limits."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="METRIC.PARAMETER=VALUE", help="Change a parameter; may be repeated."),
]
ProtocolName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Score as a published protocol does; geoeval protocols lists them."),
]
Repeats = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="For protocols whose number depends on chance: mean and spread of N runs."),
]
Align = Annotated[
    bool, typer.Option("--align", help="Remove a constant offset between the layers first, if there is a real one.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the sampled metrics.")]
EvaluationCrs = Annotated[
    str,
    typer.Option(
        "--crs",
        metavar="auto|EPSG:n",
        help="CRS to evaluate in; auto is a metric one that fits the data.",
        rich_help_panel=INPUT_PANEL,
    ),
]
Format = Annotated[LayerFormat, typer.Option("--format", help="Format of the error layers.", rich_help_panel=_OUTPUT)]
MapRoulette = Annotated[
    Path | None,
    typer.Option(
        "--maproulette",
        metavar="FILE.geojson",
        help="Write the errors as MapRoulette tasks; .geojsonl for its line-by-line format.",
        rich_help_panel=_OUTPUT,
    ),
]
Josm = Annotated[
    Path | None,
    typer.Option("--josm", metavar="FILE.osm", help="Write the errors as a file for JOSM.", rich_help_panel=_OUTPUT),
]
TasksPerFile = Annotated[
    int | None,
    typer.Option(
        "--tasks-per-file",
        min=1,
        metavar="N",
        help="MapRoulette and JOSM files of at most N errors, numbered: FILE-001, FILE-002, ...",
        rich_help_panel=_OUTPUT,
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE.html", help="Write a page with map, tables and plots.", rich_help_panel=_OUTPUT
    ),
]
Previous = Annotated[
    Path | None,
    typer.Option(
        "--previous",
        metavar="RESULT.json",
        help="Say what changed since an earlier run, which --json wrote.",
        rich_help_panel=_OUTPUT,
    ),
]
Card = Annotated[
    Path | None,
    typer.Option(
        "--card",
        metavar="FILE.png|svg|pdf",
        help="Write a small picture: scores, map, number of errors.",
        rich_help_panel=_OUTPUT,
    ),
]
RunFile = Annotated[
    Path | None,
    typer.Option(
        "--result",
        metavar="RUN.gpkg",
        help="Write everything into one GeoPackage, for QGIS and geoeval review.",
        rich_help_panel=_OUTPUT,
    ),
]
Grid = Annotated[
    float,
    typer.Option("--grid", min=1.0, metavar="M", help="Cells of the score grid, in metres.", rich_help_panel=_OUTPUT),
]
Workers = Annotated[
    int, typer.Option(min=1, metavar="N", help="Processes that share the work on this machine.", rich_help_panel=_RUN)
]
TileSize = Annotated[
    float | None,
    typer.Option(
        min=1.0, metavar="M", help="Evaluate in tiles of so many metres: countries fit too.", rich_help_panel=_RUN
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers do the work.", rich_help_panel=_RUN),
]
Resume = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Keep finished tiles here, and go on from them.", rich_help_panel=_RUN),
]
WholeNetworks = Annotated[
    WholeNetworksChoice,
    typer.Option(
        help="In tiles, TLTS, APLS and OPT-P on all of the ground together, or tile by tile with less memory.",
        rich_help_panel=_RUN,
    ),
]

# What the inputs are called where their files are copies that will be gone, as those of a layer in QGIS.
NAMES: dict[str, tuple[Any, Any]] = {
    f"{side}_{what}": (
        Annotated[str | None, typer.Option(metavar=metavar, help=about.format(side=side), hidden=True)],
        None,
    )
    for side in SIDES
    for what, metavar, about in (
        ("name", "NAME", "What the {side} is called in the title of the report and in the record, not as its file."),
        ("source", "TEXT", "Where the {side} is from, if its file is a copy."),
    )
}
# What every evaluation can write.
OUTPUTS: dict[str, tuple[Any, Any]] = {
    "output": (OutputDirectory, None),
    "layer_format": (Format, LayerFormat.shp),
    "grid": (Grid, 500.0),
    "json_file": (JsonFile, None),
    "report": (Report, None),
    "previous": (Previous, None),
    "card": (Card, None),
    "maproulette": (MapRoulette, None),
    "josm": (Josm, None),
    "tasks_per_file": (TasksPerFile, None),
    "run_file": (RunFile, None),
    "overwrite": (Overwrite, False),
}
# How an evaluation in tiles is cut, and who does it.
TILES: dict[str, tuple[Any, Any]] = {
    "workers": (Workers, 1),
    "tile_size": (TileSize, None),
    "scheduler": (Scheduler, None),
    "resume": (Resume, None),
}
