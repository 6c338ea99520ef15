"""Errors for people who fix maps: MapRoulette tasks and a JOSM file.

Both are in WGS 84, so local coordinates cannot be handed over. What nobody can fix on the spot (wrong paths, roads that
many wrong paths share), what is right (matched objects and their links) and what is wrong in the reference itself is
left out unless its kind is named.

MapRoulette makes a task of each feature of a GeoJSON file, and of each line of a file of lines that are
FeatureCollections. GIS programs read the former alone: of the latter GDAL makes rows without geometry. So the former is
what is written, and the latter where the name asks for it.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Sequence
from io import BytesIO
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely.geometry import shape

from geoeval.crs import is_local
from geoeval.exceptions import OutputError, ParameterError
from geoeval.files import check_file, keeps_inputs, new_file, together
from geoeval.model.error_ids import task_ids, with_ids
from geoeval.model.error_kinds import error_kind
from geoeval.model.features import is_of_reference
from geoeval.model.result import Result
from geoeval.writers.drafts import error_drafts
from geoeval.writers.gdal import write_rows
from geoeval.writers.osm_links import element_address, osm_elements
from geoeval.writers.osm_xml import OsmElements

Feature = dict[str, Any]

# The record separator with which each text of a GeoJSON text sequence begins (RFC 8142).
RECORD_SEPARATOR = "\x1e"
# OpenStreetMap's own limit for a tag.
TAG_CHARACTERS = 255
# GeoJSON as every program reads it, and MapRoulette's lines.
_GEOJSON, _LINES = (".geojson", ".json"), (".geojsonl", ".jsonl")
# How a file begins that geoeval wrote.
_OURS = re.compile(rb'"generator":"geoeval"|generator="geoeval"')


@keeps_inputs
def write_maproulette(
    result: Result,
    path: str | Path,
    *,
    kinds: Collection[str] | None = None,
    metrics: Collection[str] | None = None,
    tasks_per_file: int | None = None,
    overwrite: bool = False,
) -> int:
    """Write one MapRoulette task per error, as GeoJSON.

    Each task has an ``instruction`` and an ``id`` that depends on its kind and place alone, so that it stays the same
    as long as the error does. Where the error is about an element of OpenStreetMap, ``@id`` names it, by which
    MapRoulette opens it in an editor, and ``osm_object`` is its page.

    Parameters
    ----------
    result
        The evaluation whose errors are to be fixed. No errors give a file without tasks.
    path
        The file: ``.geojson`` or ``.json``, a FeatureCollection that GIS programs read too; or ``.geojsonl`` or
        ``.jsonl``, MapRoulette's line-by-line format, a FeatureCollection a line after a record separator, which they
        do not read.
    kinds
        Only errors of these kinds; by default all that somebody can fix on the spot.
    metrics
        Only errors that these metrics found; by default all.
    tasks_per_file
        At most so many tasks a file, in files named ``tasks-001.geojson`` and so on after ``tasks.geojson``; they
        appear together. By default one file.
    overwrite
        Replace an existing file, and all numbered files of an earlier run.

    Returns
    -------
    int
        The number of tasks.

    Raises
    ------
    OutputError
        The coordinates are local, the name does not say a format, the file exists, or it cannot be written.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads, write_maproulette
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, 0), (450, 300)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (900, 2)]], crs="EPSG:32610")
    >>> result = evaluate_roads(reference, prediction, metrics="ccq")
    >>> write_maproulette(result, "tasks.geojson", kinds=["missing"], overwrite=True)
    1
    """
    final = check_maproulette(path, tasks_per_file=tasks_per_file, overwrite=overwrite)
    features = [_task(feature) for feature in _features(result, "MapRoulette", kinds, metrics)]
    text = _one_collection if final.suffix.lower() in _GEOJSON else _collection_a_line
    _write(final, features, text, tasks_per_file, overwrite=overwrite)
    return len(features)


@keeps_inputs
def write_josm(
    result: Result,
    path: str | Path,
    *,
    kinds: Collection[str] | None = None,
    metrics: Collection[str] | None = None,
    tasks_per_file: int | None = None,
    overwrite: bool = False,
) -> int:
    """Write the errors as OSM XML that JOSM shows and never uploads.

    Points become nodes, lines ways, polygons closed ways or multipolygons, all with negative ids and the attributes of
    the error as tags; ``fixme`` says what to do, and ``task_id`` is the id of the error in ``write_maproulette``.

    Parameters
    ----------
    result
        The evaluation whose errors are to be fixed. No errors give a file without elements.
    path
        The file, ``.osm``.
    kinds
        Only errors of these kinds; by default all that somebody can fix on the spot.
    metrics
        Only errors that these metrics found; by default all.
    tasks_per_file
        At most so many errors a file, in files named ``errors-001.osm`` and so on after ``errors.osm``; they appear
        together. By default one file.
    overwrite
        Replace an existing file, and all numbered files of an earlier run.

    Returns
    -------
    int
        The number of errors.

    Raises
    ------
    OutputError
        The coordinates are local, the file is not called ``.osm``, exists, or cannot be written.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads, write_josm
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, 0), (450, 300)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (900, 2)]], crs="EPSG:32610")
    >>> result = evaluate_roads(reference, prediction, metrics="ccq")
    >>> write_josm(result, "errors.osm", overwrite=True)
    1
    """
    final = check_josm(path, tasks_per_file=tasks_per_file, overwrite=overwrite)
    features = _features(result, "JOSM", kinds, metrics)
    _write(final, features, _osm_xml, tasks_per_file, overwrite=overwrite)
    return len(features)


def check_maproulette(path: str | Path, *, tasks_per_file: int | None = None, overwrite: bool = False) -> Path:
    """The path of tasks that can be written, or an ``OutputError``; ask before the work."""
    if Path(path).suffix.lower() not in (*_GEOJSON, *_LINES):
        raise OutputError(
            f"{path}: MapRoulette tasks are GeoJSON; give a name that ends in .geojson or .json, or in .geojsonl for "
            "MapRoulette's own line-by-line format"
        )
    return _check(path, tasks_per_file, overwrite=overwrite)


def check_josm(path: str | Path, *, tasks_per_file: int | None = None, overwrite: bool = False) -> Path:
    """The path of a file for JOSM that can be written, or an ``OutputError``; ask before the work."""
    if Path(path).suffix.lower() != ".osm":
        raise OutputError(f"{path}: JOSM opens OSM XML; give a name that ends in .osm")
    return _check(path, tasks_per_file, overwrite=overwrite)


def numbered(path: Path, number: int) -> Path:
    """The name of one of several files: ``tasks-001.geojson`` for ``tasks.geojson``."""
    return path.with_name(f"{path.stem}-{number:03}{path.suffix}")


# ---------------------------------------------------------------------- files


def _check(path: str | Path, tasks_per_file: int | None, *, overwrite: bool) -> Path:
    if tasks_per_file is None:
        check_file(path, overwrite=overwrite)
        return Path(path)
    if tasks_per_file < 1:
        raise ParameterError(f"the number of tasks a file is {tasks_per_file}; give 1 or more")
    final = Path(path)
    for there in (numbered(final, 1), *_numbered_files(final)):
        check_file(there, overwrite=overwrite)
    return final


def _numbered_files(path: Path, first: int = 1) -> list[Path]:
    """The numbered files that are there, from a number on, up to the first that is not."""
    # As of ``os``, which takes a name that is too long for one that is not there.
    return list(takewhile(os.path.exists, (numbered(path, number) for number in count(first))))


def _write(
    path: Path, features: list[Feature], text: Callable[[Sequence[Feature]], str], tasks_per_file: int | None,
    *, overwrite: bool,
) -> None:  # fmt: skip
    """Write the features into one file, or into as many as it takes; all appear together."""
    files: dict[Path, Sequence[Feature]] = {path: features}
    if tasks_per_file is not None:
        starts = range(0, max(len(features), 1), tasks_per_file)
        files = {
            numbered(path, number): features[start : start + tasks_per_file] for number, start in enumerate(starts, 1)
        }
    obsolete = [] if tasks_per_file is None else _numbered_files(path, len(files) + 1)
    for file in obsolete:
        check_file(file, overwrite=overwrite)
        _check_ours(file)
    with together():
        for file, part in files.items():
            with new_file(file, overwrite=overwrite, obsolete=obsolete) as unfinished:
                unfinished.write_text(text(part), encoding="utf-8", newline="\n")
            obsolete = []


def _check_ours(file: Path) -> None:
    """Refuse to remove a file of an earlier run that geoeval did not write."""
    try:
        with file.open("rb") as opened:
            is_ours = _OURS.search(opened.read(300)) is not None
    except OSError:
        is_ours = False
    if not is_ours:
        raise OutputError(
            f"{file} would be taken for one of the files to be written, and geoeval did not write it; move it away or "
            "give another name"
        )


# ---------------------------------------------------------------------- what is written


def _one_collection(tasks: Sequence[Feature]) -> str:
    """GeoJSON with a feature a line."""
    lines = ",\n".join(map(_json, tasks))
    return f'{{"type":"FeatureCollection","generator":"geoeval","features":[\n{lines}\n]}}\n'


def _collection_a_line(tasks: Sequence[Feature]) -> str:
    collections = ({"type": "FeatureCollection", "generator": "geoeval", "features": [task]} for task in tasks)
    return "".join(f"{RECORD_SEPARATOR}{_json(one)}\n" for one in collections)


def _osm_xml(features: Sequence[Feature]) -> str:
    elements = OsmElements()
    for feature in features:
        elements.add(feature["geometry"], _tags(feature))
    return elements.text()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _task(feature: Feature) -> Feature:
    """A feature as MapRoulette wants it."""
    properties, name = feature["properties"], feature["id"]
    kind = str(properties["kind"])
    own = {"id": name, "instruction": _instruction(properties), "about": error_kind(kind).about}
    if feature["element"]:
        own |= {"@id": feature["element"], "osm_object": element_address(feature["element"])}
    return {"type": "Feature", "id": name, "geometry": feature["geometry"], "properties": own | properties}


def _tags(feature: Feature) -> dict[str, str]:
    """The attributes as OSM tags, with what to do."""
    properties = feature["properties"]
    what = _instruction(properties)
    tags = {"fixme": what, "instruction": what, "task_id": feature["id"]}
    if feature["element"]:
        tags["osm_object"] = element_address(feature["element"])
    for name, value in properties.items():
        tags[name] = f"{value:.9g}" if isinstance(value, float) else str(value)
    return {name: value[:TAG_CHARACTERS] for name, value in tags.items()}


def instruction(kind: str) -> str:
    """What a person should do about an error of this kind; a general one for kinds that are not tasks."""
    return error_kind(kind).instruction or f"Look at this place: {error_kind(kind).label.lower()}."


def _instruction(properties: dict[str, Any]) -> str:
    """The instruction for an error, with what its plan says to do."""
    fix = str(properties.get("fix", ""))
    return instruction(str(properties["kind"])) + (f" {fix[0].upper()}{fix[1:]}." if fix else "")


# ---------------------------------------------------------------------- the errors


def _features(
    result: Result, program: str, kinds: Collection[str] | None, metrics: Collection[str] | None
) -> list[Feature]:
    """The errors in WGS 84, the surest first; lines and polygons across the antimeridian are cut there.

    Each has ``id``, ``geometry``, ``properties`` and ``element``, the element of OpenStreetMap that it is about.
    """
    if is_local(result.crs):
        raise OutputError(
            f"{program} needs places on Earth, and these coordinates are local; give the CRS of the inputs"
        )
    features: list[Feature] = []
    for draft in error_drafts(with_ids(result), with_empty=False):
        buffer = BytesIO()
        write_rows(draft.frame, buffer, "geojson", layer_options={"RFC7946": "YES"})
        rows = json.loads(buffer.getvalue())["features"]
        elements = osm_elements(result, draft.frame["ref_id"], draft.frame["pred_id"])
        apart = is_of_reference(draft.frame)
        for row, element, of_reference in zip(rows, elements, apart.tolist(), strict=True):
            given = {name: value for name, value in row["properties"].items() if value not in (None, "")}
            wanted = not of_reference and error_kind(draft.role).is_task if kinds is None else draft.role in kinds
            wanted = wanted and (metrics is None or given.get("metric") in metrics)
            geometry = _tidy(row["geometry"])
            if geometry is not None:
                features.append({"geometry": geometry, "properties": given, "element": element, "wanted": wanted})
    _name(features)
    chosen = [feature for feature in features if feature["wanted"]]
    return sorted(chosen, key=lambda one: -float(one["properties"].get("confidence", 0.0)))


def _name(features: Sequence[Feature]) -> None:
    """Give each error its ``id``: those of equal kind and place in the order of their ids, whether chosen or not."""
    texts = ("kind", "ref_id", "pred_id")
    ordered = sorted(features, key=lambda one: [str(one["properties"].get(name, "")) for name in texts])
    middles = shapely.centroid([shape(one["geometry"]) for one in ordered])
    places = np.column_stack([shapely.get_x(middles), shapely.get_y(middles)]).reshape(-1, 2)
    names = task_ids([str(one["properties"]["kind"]) for one in ordered], places)
    for feature, name in zip(ordered, names, strict=True):
        feature["id"] = name


def _tidy(geometry: dict[str, Any] | None) -> dict[str, Any] | None:
    """A geometry without what collapsed when GDAL rounded it to seven decimals of a degree, about a centimetre.

    Areas lose parts that became lines, lines those that became points, and all the vertices that became equal. What is
    then no line is a point; ``None`` for what has no place.
    """
    if geometry is None or not (geometry.get("coordinates") or geometry.get("geometries")):
        return None
    kind, coordinates = geometry["type"], geometry.get("coordinates")
    if kind == "GeometryCollection":
        parts = {name: [part for one in geometry["geometries"] if one["type"].endswith(name) for part in _parts_of(one)]
                 for name in ("Polygon", "LineString", "Point")}  # fmt: skip
        name = next((name for name, found in parts.items() if found), "")
        if not name:
            return None
        kind, coordinates = f"Multi{name}", parts[name]
    if kind.endswith("LineString"):
        parts_of_lines = _parts_of({"type": kind, "coordinates": coordinates})
        lines = [_without_repeats(part) for part in parts_of_lines if part]
        if not lines:
            return None
        whole = [line for line in lines if len(line) > 1]
        if not whole:
            return {"type": "Point", "coordinates": lines[0][0]}
        coordinates = whole if kind.startswith("Multi") else whole[0]
    elif kind.endswith("Polygon"):
        areas = [[_without_repeats(ring) for ring in part if ring] for part in
                 _parts_of({"type": kind, "coordinates": coordinates}) if part and part[0]]  # fmt: skip
        if not areas:
            return None
        whole_areas = [[area[0], *(ring for ring in area[1:] if len(ring) > 3)] for area in areas if len(area[0]) > 3]
        if not whole_areas:
            return _tidy({"type": "LineString", "coordinates": areas[0][0]})
        coordinates = whole_areas if kind.startswith("Multi") else whole_areas[0]
    return {"type": kind, "coordinates": coordinates}


def _parts_of(geometry: dict[str, Any]) -> list[Any]:
    """The coordinates of each part."""
    coordinates: list[Any] = geometry["coordinates"]
    return coordinates if geometry["type"].startswith("Multi") else [coordinates]


def _without_repeats(places: list[list[float]]) -> list[list[float]]:
    return [place for place, before in zip(places, [None, *places], strict=False) if place != before]
