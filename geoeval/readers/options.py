"""The options of all readers, each written once.

To add an option, add a row below and take a keyword of that name in the readers that use it. The command line, the
Python functions and QGIS offer whatever is in the table.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from geoeval.contents import CONTENTS
from geoeval.exceptions import ParameterError
from geoeval.trust import LIMITS, LINKS, parse_limits


@dataclass(frozen=True)
class InputOption:
    """An option of reading.

    Attributes
    ----------
    name
        The keyword of the readers that use it.
    type
        ``str``, ``float``, or ``bool`` for a switch.
    default
        What readers assume where the option is not given.
    help
        One sentence for the command line; ``{side}`` stands for input, reference or prediction.
    contents
        What is read with it: roads, objects, lines.
    metavar
        How the value is written.
    per_side
        Whether the reference and the prediction usually need different values.
    also_per_side
        Whether a pair has the option for both and for one side each.
    choices
        The only values, if there are few.
    minimum
        The least number that makes sense.
    positive
        Whether a number must be above 0, and finite.
    flag
        What the command line calls it, where that is no name in Python.
    """

    name: str
    type: type[str | float | bool]
    default: Any
    help: str
    contents: tuple[str, ...] = CONTENTS
    metavar: str | None = None
    per_side: bool = False
    also_per_side: bool = False
    choices: tuple[str, ...] = ()
    minimum: float = -math.inf
    positive: bool = False
    flag: str = ""

    def check(self, value: Any) -> None:
        """Raise ``ParameterError`` for a value that makes no sense. The default always does."""
        if value is None or value == self.default:
            return
        if self.name == "limits":
            parse_limits(value)
        if self.choices and value not in self.choices:
            raise ParameterError(
                f"{{option:{flag_of(self.name)}={value}}} is not known; choose one of {', '.join(self.choices)}"
            )
        if self.type is float:
            self._check_number(value)

    def _check_number(self, value: Any) -> None:
        wanted = "a number above 0" if self.positive else "a number"
        wanted += f" of at least {self.minimum:g}" if math.isfinite(self.minimum) else ""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        in_range = 0 < number < math.inf if self.positive else number >= self.minimum
        if not in_range:  # so is NaN
            raise ParameterError(f"{{option:{flag_of(self.name)}}} is {value}; give {wanted}")


_OPTIONS = (
    InputOption("crs", str, None, "CRS of the {side}, where the file does not say.", metavar="EPSG:n", per_side=True),
    InputOption(
        "layer",
        str,
        None,
        "Layer of the {side}, image of a SpaceNet table or band of an image, where there are several.",
        metavar="NAME",
        per_side=True,
    ),
    InputOption("pixel_size", float, None, "Metres per pixel, for input in pixels.", metavar="M", positive=True),
    InputOption(
        "georeference",
        str,
        None,
        "Where pixels are: the registered image, or x = a column + b row + c, y = d column + e row + f.",
        contents=("roads", "objects"),
        metavar="IMAGE|a,b,c,d,e,f",
    ),
    InputOption(
        "id_column",
        str,
        None,
        "Column of a layer with the ids of its features.",
        metavar="NAME",
        also_per_side=True,
    ),
    InputOption(
        "confidence",
        str,
        None,
        "Column of the objects with how sure a detector is: by default confidence, score, probability and the like.",
        contents=("objects",),
        metavar="NAME",
    ),
    InputOption(
        "class_column",
        str,
        None,
        "Score each class by itself: the column or tag that says what an object is; COCO files have their categories.",
        contents=("objects",),
        metavar="NAME",
        also_per_side=True,
        flag="class",
    ),
    InputOption(
        "network_type",
        str,
        "drive",
        "Which OpenStreetMap ways make the network: a kind of traffic, highway classes, or any tags (railway=tram).",
        contents=("roads",),
        metavar="drive|walk|bike|all|cycle|rail|power|waterway|…|CLASS,…|KEY=VALUE,…",
    ),
    InputOption(
        "node",
        str,
        "ends",
        "How lines join: where an end lies on another line, at every crossing, or only at equal vertices.",
        contents=("roads",),
        choices=("ends", "crossings", "none"),
    ),
    InputOption(
        "threshold",
        float,
        None,
        "Least value of a pixel that belongs to a road or object: by default half of full scale.",
        contents=("roads", "objects"),
        metavar="V",
    ),
    InputOption(
        "min_spur",
        float,
        10.0,
        "Dead ends of a road mask that are shorter than this are pruned, in metres.",
        contents=("roads",),
        metavar="M",
        minimum=0.0,
    ),
    InputOption(
        "simplify",
        float,
        None,
        "How far lines may be from the middle of a road mask, in metres: by default one pixel.",
        contents=("roads",),
        metavar="M",
        minimum=0.0,
    ),
    InputOption(
        "width",
        float,
        None,
        "Width of lines that do not say: by default 8 on a map, else a 500th of the drawing's diagonal.",
        contents=("lines",),
        metavar="W",
        positive=True,
    ),
    InputOption(
        "width_column",
        str,
        "width",
        "Column of a map layer with the width in metres.",
        contents=("lines",),
        metavar="NAME",
    ),
    InputOption(
        "style_column", str, "style", "Column of a map layer with the line style.", contents=("lines",), metavar="NAME"
    ),
    InputOption(
        "labels",
        str,
        "wall",
        "Which rows of a labelled table are lines.",
        contents=("lines",),
        metavar="LABEL,...",
    ),
    InputOption(
        "limits",
        str,
        None,
        f"How much a file may become, where the usual limits are too low: {', '.join(LIMITS)}; none for no limits.",
        metavar="NAME=N,...",
    ),
    InputOption(
        "links",
        str,
        LINKS[0],
        "Files that lead to other files on this machine, such as virtual layers: refuse or follow them.",
        choices=LINKS,
    ),
    InputOption(
        "untrusted",
        bool,
        False,  # noqa: FBT003 - a default, not an argument
        "Read each file in a process of its own: one that crashes a library is an error, not the end.",
    ),
)
# What the registry itself uses, whatever the kind of file.
COMMON = ("limits", "links", "untrusted")
INPUT_OPTIONS = {option.name: option for option in _OPTIONS}


def flag_of(name: str) -> str:
    """What the command line calls a parameter, also one that is for one of two inputs."""
    for option in INPUT_OPTIONS.values():
        if option.flag and name.endswith(option.name):
            name = name.removesuffix(option.name) + option.flag
    return name.replace("_", "-")


def check_options(options: Mapping[str, Any]) -> None:
    """Raise ``ParameterError`` for an option that does not exist, or a value that makes no sense."""
    for name, value in options.items():
        if name not in INPUT_OPTIONS:
            near = get_close_matches(name, INPUT_OPTIONS, n=1)
            guess = f"did you mean {near[0]}? " if near else ""
            raise ParameterError(f"unknown input option {name!r}; {guess}There are {', '.join(INPUT_OPTIONS)}")
        INPUT_OPTIONS[name].check(value)
