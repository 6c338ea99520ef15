"""Which truth belongs to which prediction: folders, patterns, tables of pairs and SpaceNet tables, paired by name."""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from geoeval.benchmarking.layouts import PLAIN, TABLE, Layout, layout_named, recognise_layout
from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.files import DESKTOP_FILES, NAME, SIDE_FILES
from geoeval.readers.patterns import files_of
from geoeval.readers.registry import is_place
from geoeval.trust import check_table, no_such_file

_SIDE_SUFFIXES = tuple(part for part in SIDE_FILES if part != ".shp")
_DOUBLE = re.compile(r"\.(osm\.(pbf|gz|bz2)|osm|[^.]+)$", re.IGNORECASE)
_TRUTHS = ("reference", "truth", "gt")


@dataclass(frozen=True)
class Source:
    """One map of a place: a path or whatever else ``evaluate`` takes, and the image of a table that it is."""

    given: Any
    layer: str | None = None


@dataclass(frozen=True)
class Place:
    """One place: its truth, ``None`` where there is none, and the prediction of each method that has one."""

    name: str
    truth: Source | None
    predictions: Mapping[str, Source] = field(default_factory=dict)


@dataclass(frozen=True)
class Pairing:
    """All places that are evaluated, in the order of their names, and what is left over.

    Attributes
    ----------
    layout
        How the files are named.
    places
        One for each truth of the split, and for each truth that the split wants.
    methods
        The methods, in the order given.
    without_truth
        Method and name of the predictions that belong to no place.
    elsewhere
        How many files belong to other splits.
    """

    layout: Layout
    places: tuple[Place, ...]
    methods: tuple[str, ...]
    without_truth: tuple[tuple[str, str], ...] = ()
    elsewhere: int = 0


def find_places(
    truth: Any, predictions: Mapping[str, Any], *, layout: str = "auto", split: str = "test"
) -> Pairing:  # fmt: skip
    """Pair truths with predictions by their names.

    Parameters
    ----------
    truth
        A folder, a pattern with ``{name}``, a SpaceNet table, a file, a mapping from names to maps; or, without
        predictions, a CSV of pairs.
    predictions
        By method, the same.
    layout
        ``auto`` recognises data sets by the names of the truth's files; else the name of one.
    split
        Which part of a known data set.

    Raises
    ------
    ParameterError
        Nothing can be paired, or a name occurs twice.
    UnreadableInputError
        A folder or table is not there.
    """
    if not predictions:
        return _listed_pairs(truth)
    chosen = None if layout == "auto" else layout_named(layout)
    if all(_is_single(one) for one in (truth, *predictions.values())):
        name = _name_of(Path(str(truth)).name) if isinstance(truth, str | Path) else "place"
        single = {method: Source(given) for method, given in predictions.items()}
        return Pairing(PLAIN, (Place(name, Source(truth), single),), tuple(predictions))
    if chosen is None:
        chosen = _recognised(truth)
    truths = _sources(truth, chosen, "truth")
    sides = {method: _sources(given, chosen, "prediction") for method, given in predictions.items()}
    folder = Path(str(truth)) if isinstance(truth, str | Path) else Path()
    names = chosen.names(split, folder, truths)
    _check_meeting(truth, truths, predictions, sides, names)
    wanted, every = set(names), {*truths, *chosen.names("all", folder, truths)}
    places = tuple(
        Place(name, truths.get(name), {method: one[name] for method, one in sides.items() if name in one})
        for name in names
    )
    alone = [(method, name) for method, one in sides.items() for name in sorted(one) if name not in wanted | every]
    elsewhere = len(set(truths) - wanted)
    return Pairing(chosen, places, tuple(predictions), tuple(alone), elsewhere)


def _is_single(given: Any) -> bool:
    """Whether this is one map and not many."""
    if isinstance(given, Mapping):
        return not all(isinstance(name, str) for name in given)
    if not isinstance(given, str | Path):
        return True
    path = Path(given)
    return NAME not in str(given) and path.is_file() and not _is_table(path)


def _recognised(truth: Any) -> Layout:
    if not isinstance(truth, str | Path) or NAME in str(truth):
        return PLAIN
    path = Path(truth)
    if path.is_file():
        return TABLE
    return recognise_layout(path, (one.name for one in path.iterdir())) if path.is_dir() else PLAIN


def _sources(given: Any, layout: Layout, role: str) -> dict[str, Source]:
    """The maps of one side by the names of their places."""
    if isinstance(given, Mapping):
        return {str(name): one if isinstance(one, Source) else Source(one) for name, one in given.items()}
    if not isinstance(given, str | Path):
        raise ParameterError(f"the {role} is a {type(given).__name__}; give a folder, a pattern, a table or a mapping")
    if NAME in str(given):
        return {name: Source(_as_file(path)) for name, path in files_of(str(given)).items()}
    path = Path(given)
    if path.is_file() and _is_table(path):
        return _images(path)
    if not path.is_dir():
        advice = f"give a folder, a pattern with {NAME}, or a table of pairs"
        raise no_such_file(given, advice, what="no such folder")
    pattern = layout.truth if role == "truth" else layout.prediction
    files = [one for one in sorted(path.iterdir()) if _is_map(one)]
    if pattern is None:
        return _by_name((_name_of(one.name), one) for one in files)
    return _by_name((match[1], one) for one in files if (match := pattern.fullmatch(one.name)))


def _is_map(path: Path) -> bool:
    """Whether a file may be a map: not hidden, and not a side file of another."""
    name = path.name
    listed = name.startswith(".") or name in DESKTOP_FILES or name == "data_split.json"
    return path.is_file() and not listed and not name.lower().endswith(_SIDE_SUFFIXES)


def _name_of(file: str) -> str:
    """The name of a place: that of its file without the suffix."""
    return _DOUBLE.sub("", file) or file


def _by_name(found: Iterable[tuple[str, Path]]) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for name, path in found:
        if name in sources:
            other = Path(sources[name].given).name
            raise ParameterError(
                f"{path.parent} has {other} and {path.name} for {name!r}; choose with a pattern, such as "
                f"{path.parent / (NAME + path.suffix)}"
            )
        sources[name] = Source(_as_file(path))
    return sources


def _is_table(path: Path) -> bool:
    """Whether a file is a SpaceNet table."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return False
    from geoeval.readers.vector.spacenet import has_images

    return has_images(path)


def _images(path: Path) -> dict[str, Source]:
    from geoeval.readers.vector.spacenet import images_of

    return {name: Source(_as_file(path), layer=name) for name in images_of(path)}


def _listed_pairs(table: Any) -> Pairing:
    """The pairs of a CSV: a column with the truths, further columns with the predictions of methods, perhaps names."""
    path = Path(str(table))
    if not path.exists():
        raise no_such_file(table, "give a folder of truths and one of predictions, or a CSV of pairs")
    if path.suffix.lower() != ".csv" or not path.is_file():
        raise ParameterError(f"no predictions are given for {table}; give a folder of them, or a CSV of pairs alone")
    check_table(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, ValueError, csv.Error) as error:
        raise UnreadableInputError(f"{path} cannot be read ({error}); give a CSV in UTF-8 with a header") from error
    columns = [name for name in (rows[0] if rows else {}) if name]
    true = next((name for name in columns if name.strip().lower() in _TRUTHS), None)
    methods = [name for name in columns if name != true and name.strip().lower() != "name"]
    if true is None or not methods:
        raise UnreadableInputError(
            f"{path} is no table of pairs; give it the columns reference and prediction, and perhaps name"
        )
    places: dict[str, Place] = {}
    for number, row in enumerate(rows, start=2):
        cells = {column: (row.get(column) or "").strip() for column in columns}
        given = {column: _listed(path, number, cell) for column, cell in cells.items() if cell}
        own = next((cells[column] for column in columns if column.strip().lower() == "name"), "")
        name = own or _name_of(Path(cells[true]).name) or f"line {number}"
        if name in places:
            raise ParameterError(f"{path}, line {number}: the place {name!r} occurs twice; give each a name of its own")
        places[name] = Place(name, given.get(true), {method: given[method] for method in methods if method in given})
    return Pairing(PLAIN, tuple(places.values()), tuple(methods))


def _listed(table: Path, line: int, cell: str) -> Source:
    """A map that a table of pairs names: a file on this machine, as the table may be of anybody."""
    named = table.parent / cell
    if is_place(cell) or is_place(named):
        raise UnreadableInputError(
            f"{table}, line {line}: {cell[:80]!r} would be downloaded; a table of pairs names files, so save it as one"
        )
    return Source(str(named))


def _as_file(path: Path) -> str:
    """A file that was found in a folder, by a name that no reader takes for a place."""
    return str(path.absolute() if is_place(path) else path)


def _check_meeting(
    truth: Any, truths: Mapping[str, Source], predictions: Mapping[str, Any],
    sides: Mapping[str, Mapping[str, Source]], names: Iterable[str],
) -> None:  # fmt: skip
    """Refuse sides that have no name in common, with a guess at the patterns."""
    if not truths:
        raise UnreadableInputError(f"{truth} holds no truth of this layout; check the folder, or give a pattern")
    wanted = set(names)
    for method, one in sides.items():
        if not wanted & set(one):
            example = next(iter(sorted(truths))), next(iter(sorted(one)), "nothing")
            raise ParameterError(
                f"{truth} and {predictions[method]} have no name in common ({example[0]} and {example[1]}); "
                f"{_guess(truth, predictions[method], truths, one)}"
            )


def _guess(truth: Any, prediction: Any, truths: Mapping[str, Source], others: Mapping[str, Source]) -> str:
    """Patterns that would pair the files, where stripping what all names of a side share makes them meet."""
    cores = [_core(list(names)) for names in (truths, others)]
    if all(cores) and set(cores[0].values()) & set(cores[1].values()):
        patterns = []
        for side, core, sources in ((truth, cores[0], truths), (prediction, cores[1], others)):
            name, own = next(iter(core.items()))
            patterns.append(str(Path(str(side)) / Path(str(sources[name].given)).name.replace(own, NAME, 1)))
        return f"did you mean '{patterns[0]}' '{patterns[1]}'?"
    return f"give patterns, such as 'truth/{NAME}_gt.png' 'output/{NAME}.png'"


def _core(names: list[str]) -> dict[str, str]:
    """Each name without the words that all names begin and end with."""
    words = [re.split(r"(?<=[_\-.])|(?=[_\-.])", name) for name in names]
    if len(names) < 2:
        return {}
    shortest = min(map(len, words)) - 1
    front = next((i for i in range(shortest) if len({one[i] for one in words}) > 1), shortest)
    back = next((i for i in range(shortest - front + 1) if len({one[-1 - i] for one in words}) > 1), 0)
    return {name: "".join(one[front : len(one) - back]).strip("_-.") for name, one in zip(names, words, strict=True)}
