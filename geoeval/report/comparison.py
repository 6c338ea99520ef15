"""What changed since an earlier run: scores side by side, and which kinds of error grew or shrank."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from geoeval.exceptions import ParameterError
from geoeval.model.error_kinds import error_kind
from geoeval.model.result import Result
from geoeval.report.map_content import in_order
from geoeval.report.score_texts import number

# No map has so many errors, or metres of them.
_FARTHEST = 1e15


@dataclass(frozen=True)
class Change:
    """One row: what it is, before and now as text, and the difference with its verdict.

    ``verdict`` is ``better``, ``worse``, or empty where nothing changed or nobody can say.
    """

    name: str
    before: str
    now: str
    difference: str
    verdict: str


@dataclass(frozen=True)
class RunComparison:
    """Two runs.

    Attributes
    ----------
    before
        What the earlier prediction was.
    scores
        The headline of each metric that both runs have.
    errors, lengths
        Number and metres of each kind of error that one of the runs has.
    differs
        What the runs do not share, so that their numbers must be compared with care.
    """

    before: str
    scores: tuple[Change, ...]
    errors: tuple[Change, ...]
    lengths: tuple[Change, ...]
    differs: tuple[str, ...]

    @property
    def kinds(self) -> list[tuple[Change, Change]]:
        """Number and metres of each kind."""
        return list(zip(self.errors, self.lengths, strict=True))


def compare_runs(result: Result, previous: Result | Mapping[str, Any]) -> RunComparison:
    """Compare a result with an earlier one.

    Parameters
    ----------
    result
        What was found now.
    previous
        What was found before: a result, or what its JSON holds.

    Raises
    ------
    ParameterError
        The two are of different kinds of content.
    """
    earlier = previous.plain() if isinstance(previous, Result) else previous
    check_comparable(earlier, result.kind)
    now = result.plain()
    kinds = in_order({*now["errors"], *_part(earlier, "errors")})
    return RunComparison(
        before=str(_part(earlier, "prediction").get("source", "")),
        scores=tuple(_score_changes(result, earlier["scores"])),
        errors=tuple(_error_change(kind, now["errors"], _part(earlier, "errors"), "count") for kind in kinds),
        lengths=tuple(_error_change(kind, now["errors"], _part(earlier, "errors"), "length_m") for kind in kinds),
        differs=tuple(_differences(now, earlier)),
    )


def check_comparable(previous: Mapping[str, Any], kind: str) -> None:
    """Raise ``ParameterError`` where the earlier result is of another content than ``kind``."""
    if previous.get("kind") != kind:
        raise ParameterError(
            f"the earlier result is of {previous.get('kind')}, this one of {kind}; give an earlier result of {kind}"
        )


def _part(result: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = result.get(name)
    return part if isinstance(part, Mapping) else {}


def _score_changes(result: Result, before: Mapping[str, Any]) -> list[Change]:
    changes = []
    rows: list[dict[Any, Any]] = result.table().to_dict("records")
    for row in rows:
        metric, score = row["metric"], row["score"]
        if not row["headline"] or score not in _part(before, metric):
            continue
        old, new = before[metric][score], result.scores[metric][score]
        name = f"{metric}.{score}"
        if not isinstance(old, int | float) or new is None:
            changes.append(Change(name, _text(old, row["unit"]), number(new, row["unit"]), "", ""))
            continue
        grew = float(new) - float(old)
        sign = {"higher": 1, "lower": -1}.get(row["better"], 0) * grew
        changes.append(Change(name, number(old, row["unit"]), number(new, row["unit"]), f"{grew:+.4f}", _verdict(sign)))
    return changes


def _text(value: Any, unit: str) -> str:
    return number(value, unit) if isinstance(value, int | float) else "undefined"


def _verdict(gain: float) -> str:
    return "better" if gain > 0 else "worse" if gain < 0 else ""


def _error_change(kind: str, now: Mapping[str, Any], before: Mapping[str, Any], what: str) -> Change:
    new, old = (_amount(_part(errors, kind).get(what)) for errors in (now, before))
    difference = round(new) - round(old)
    return Change(
        error_kind(kind).label, f"{old:,.0f}", f"{new:,.0f}", f"{difference:+,}" if difference else "0",
        _verdict(-difference),
    )  # fmt: skip


def _amount(value: Any) -> float:
    """A number of an earlier result; 0 where it has none."""
    return float(value) if isinstance(value, int | float) and abs(value) < _FARTHEST else 0.0


def _differences(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """What the runs do not share, each in a few words."""
    different = []
    digests = [_part(one, "reference").get("sha256") for one in (now, before)]
    if digests[0] != digests[1]:
        different.append("the reference is another")
    if _part(now, "area").get("wkt") != _part(before, "area").get("wkt"):
        different.append("the evaluated ground is another")
    parameters, earlier = now["parameters"], _part(before, "parameters")
    other = [metric for metric in parameters if metric in earlier and parameters[metric] != earlier[metric]]
    different += [f"the parameters of {', '.join(other)} are others"] if other else []
    different += (
        [f"the seed is {now['seed']}, it was {before.get('seed')}"] if now["seed"] != before.get("seed") else []
    )
    different += [] if now["geoeval"] == before.get("geoeval") else [f"it was geoeval {before.get('geoeval')}"]
    return different
