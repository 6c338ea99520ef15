"""``verify``: repeat a run from its record, and say what differs."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoeval.area import area_in
from geoeval.contents import SIDES
from geoeval.crs import from_name
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress
from geoeval.model.result import versions
from geoeval.pipeline.evaluate import evaluate
from geoeval.pipeline.record import described, is_there
from geoeval.ranking.score_tables import read_result

# What must be the same, and what this is called where it is not.
_COMPARED = ("scores", "counts", "classes", "parameters", "errors", "matches", "crs", "scale_error", "area", "offset")


@dataclass(frozen=True)
class Verification:
    """What came of repeating a run.

    Attributes
    ----------
    missing
        Inputs that were not found, one line each: the run could not be repeated.
    changed
        Inputs whose content is no longer that of the run, one line each.
    differences
        What came out differently, one line each: scores first.
    versions
        Programs of other versions than those of the run, one line each; no difference by themselves.
    compared
        How many numbers were compared.
    """

    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    compared: int = 0

    @property
    def same(self) -> bool:
        """Whether the run was repeated with the same inputs, and everything came out the same."""
        return not (self.missing or self.changed or self.differences)


def verify(
    result: str | Path,
    *,
    inputs: Iterable[str | Path] = (),
    search: Iterable[str | Path] = (),
    workers: int = 1,
    progress: Progress | None = None,
) -> Verification:
    """Repeat the run that a result tells of, and compare everything but the time that it took.

    Parameters
    ----------
    result
        A file that ``--json`` or ``Result.write_json`` wrote.
    inputs, search
        Files, and folders to look in, where an input is no longer where it was, or changed there. Inputs are known by
        the digest of their content, whatever their names are now.
    workers
        Processes that share the work.
    progress
        Called with a fraction from 0 to 1 and what is being done.

    Returns
    -------
    Verification
        What is missing, changed or different.

    Raises
    ------
    GeoevalError
        The file holds no record of a run, or the run was of data that were never in a file.
    """
    path = Path(result)
    before = read_result(path)
    record = before.get("run")
    if not isinstance(record, dict) or not isinstance(record.get("call"), dict):
        raise ParameterError(f"{path} holds no record of its run; write it again with this version of geoeval")
    call = dict(record["call"])
    unknown = [name for name, value in call.items() if value is None]
    if unknown:
        raise ParameterError(
            f"{path}: the {' and '.join(unknown)} of this run came from memory, not from a file; nobody can repeat it"
        )
    places = [*map(Path, inputs), *(file for folder in search for file in _files_in(Path(folder)))]
    missing, changed = [], []
    for name, about in record.get("files", {}).items():
        found, same = _find(about, path.parent, places)
        if found is None:
            missing.append(f"{name}: {about['path']} is not there, and no file has its content; give --search DIR")
        elif not same:
            changed.append(f"{name}: {found} changed since the run (SHA-256 {about['sha256'][:12]} then)")
        call[name] = str(found)
    if missing:
        return Verification(missing=tuple(missing), changed=tuple(changed), versions=_versions(before))
    if isinstance(call.get("aoi"), Mapping):
        call["aoi"] = _area(call["aoi"])
    again = evaluate(call.pop("reference"), call.pop("prediction"), workers=workers, progress=progress, **call).plain()
    differences = [line for part in _COMPARED for line in _compare(part, before.get(part), again[part])]
    differences += [
        line
        for side in SIDES
        for line in _compare(side, _without_names(before.get(side) or {}), _without_names(again[side]))
    ]
    return Verification(
        changed=tuple(changed), differences=tuple(differences), versions=_versions(before),
        compared=sum(_count(before.get(part)) for part in ("scores", "counts", "classes")),
    )  # fmt: skip


def _files_in(folder: Path) -> Iterator[Path]:
    """All files in a folder and below, in order; parts of shapefiles by their main file only."""
    if not folder.is_dir():
        raise ParameterError(f"{folder} is no folder; give one to look for inputs in")
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(place) / name for name in sorted(names))


def _find(about: Mapping[str, Any], beside: Path, places: list[Path]) -> tuple[Path | None, bool]:
    """Where an input is now, and whether it has the content that it had."""
    there = [place for place in (Path(about["path"]), beside / about["path"]) if is_there(place)]
    for place in (*there, *places):
        if _has_content(place, about):
            return place, True
    return (there[0], False) if there else (None, False)


def _has_content(place: Path, about: Mapping[str, Any]) -> bool:
    if place.is_file() and place.suffix.lower() != ".shp" and place.stat().st_size != about.get("bytes"):
        return False
    found = described(place)
    return found is not None and found["sha256"] == about["sha256"]


def _area(written: Mapping[str, Any]) -> Any:
    """An area that was a polygon, or rows of polygons with a CRS."""
    import geopandas as gpd
    import shapely

    polygon = shapely.from_wkt(written["wkt"])
    if "crs" not in written:
        return polygon
    crs = from_name(written["crs"])
    return gpd.GeoSeries([area_in(polygon, crs, aoi_crs=crs)], crs=crs)


def _without_names(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name != "source"}


def _compare(name: str, before: Any, now: Any) -> Iterator[str]:
    """What differs, one line for each value."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*before, *now]):
            yield from _compare(f"{name}.{key}", before.get(key), now.get(key))
    elif before != now:
        yield f"{name}: {_short(before)} then, {_short(now)} now"


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _versions(before: Mapping[str, Any]) -> tuple[str, ...]:
    from geoeval._version import __version__

    then = {"geoeval": before.get("geoeval"), **(before.get("versions") or {})}
    now = {"geoeval": __version__, **versions()}
    return tuple(f"{name} {old} then, {now.get(name)} now" for name, old in then.items() if old != now.get(name))


def _count(value: Any) -> int:
    return sum(map(_count, value.values())) if isinstance(value, Mapping) else 1
