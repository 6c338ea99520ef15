"""``verify``: repeat a run from its record, and say what differs."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoeval.contents import SIDES
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress
from geoeval.model.result import versions
from geoeval.pipeline.evaluate import evaluate
from geoeval.pipeline.record import find_recorded
from geoeval.pipeline.recorded_call import RecordedCall
from geoeval.ranking.score_tables import read_result
from geoeval.readers.options import check_options
from geoeval.trust import trusting

# What must be the same, and what this is called where it is not.
_COMPARED = ("scores", "counts", "classes", "parameters", "errors", "matches", "crs", "scale_error", "area", "offset")
# Characters of a name or value that a line shows.
_SHOWN = 80


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
    download: bool = False,
    limits: Any = None,
    links: str | None = None,
    untrusted: bool = False,
) -> Verification:
    """Repeat the run that a result tells of, and compare everything but the time that it took.

    The result says what was evaluated, and nothing else is taken from it: how and where that is done, what files may
    become and where they may lead, is said by whoever calls this. See :mod:`geoeval.pipeline.recorded_call`.

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
    download
        Whether an input that was a place (``osm:``) may be downloaded again.
    limits, links, untrusted
        Of reading, as for ``evaluate``.

    Returns
    -------
    Verification
        What is missing, changed or different.

    Raises
    ------
    GeoevalError
        The file holds no record of a run, or a damaged one; the run was of data that were never in a file, or of a
        place that must not be downloaded.
    """
    path = Path(result)
    reading = {"limits": limits, "links": links, "untrusted": untrusted}
    check_options(reading)
    with trusting(limits=limits, links=links):
        before = read_result(path)
        recorded = RecordedCall.of(before.get("run"), path)
    if recorded.places and not download:
        what = " and ".join(recorded.places)[:200]
        raise ParameterError(f"{path}: {what} would be downloaded; to do so, {{give:download=True}}")
    call = dict(recorded.values)
    places = [*map(Path, inputs), *(file for folder in search for file in _files_in(Path(folder)))]
    missing, changed = [], []
    for name, about in recorded.files.items():
        found, same = find_recorded(about, path.parent, places)
        if found is None:
            missing.append(f"{name}: {about.path[:300]} is not there, and no file has its content; {{give:search=DIR}}")
        elif not same:
            changed.append(f"{name}: {found} changed since the run (SHA-256 {about.sha256[:12]} then)")
        call[name] = str(found)
    if missing:
        return Verification(missing=tuple(missing), changed=tuple(changed), versions=_versions(before))
    call |= {name: value for name, value in reading.items() if value}
    parts = (*_COMPARED, "plan") if "plan" in call else _COMPARED  # earlier versions did not say whether there is one
    again = evaluate(call.pop("reference"), call.pop("prediction"), workers=workers, progress=progress, **call).plain()
    differences = [line for part in parts for line in _compare(part, before.get(part), again[part])]
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


def _without_names(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name not in ("source", "name")}


def _compare(name: str, before: Any, now: Any) -> Iterator[str]:
    """What differs, one line for each value."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*before, *now]):
            yield from _compare(f"{name}.{key}", before.get(key), now.get(key))
    elif before != now:
        yield f"{_short(name)}: {_short(before)} then, {_short(now)} now"


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _versions(before: Mapping[str, Any]) -> tuple[str, ...]:
    from geoeval._version import __version__

    then = {"geoeval": before.get("geoeval"), **(before.get("versions") or {})}
    now = {"geoeval": __version__, **versions()}
    return tuple(f"{name} {old} then, {now.get(name)} now" for name, old in then.items() if old != now.get(name))


def _count(value: Any) -> int:
    return sum(map(_count, value.values())) if isinstance(value, Mapping) else 1
