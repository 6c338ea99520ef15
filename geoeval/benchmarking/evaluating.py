"""Evaluate places, one after the other or side by side; what is done is kept, so that a run can go on."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval._version import __version__
from geoeval.area import EVERYTHING
from geoeval.benchmarking.inputs import read_place
from geoeval.benchmarking.layouts import Layout
from geoeval.benchmarking.outcome import EMPTY, FAILED, MISSING, NO_TRUTH, SCORED, Outcome, check_outcome
from geoeval.benchmarking.places import Pairing, Place, Source
from geoeval.contents import SIDES
from geoeval.engines import open_engine
from geoeval.exceptions import GeoevalError, ParameterError
from geoeval.metrics.metric import Metric
from geoeval.metrics.registry import declarations_of
from geoeval.metrics.running import Progress
from geoeval.pipeline.evaluate import run_evaluation
from geoeval.pipeline.evaluation import Evaluation
from geoeval.protocols.running import choose_protocol
from geoeval.scale.tiles.run_folder import RunFolder, digest_of
from geoeval.scale.tiles.running import kept_parts, run_parts

if TYPE_CHECKING:
    from geoeval.model.result import Result
    from geoeval.protocols.protocol import Protocol

SKIP, ZERO, SCORE, FAIL = "skip", "zero", "score", "fail"


@dataclass(frozen=True)
class Rules:
    """What is done with a place that has no score of its own.

    ``skip`` leaves it out, ``zero`` gives it the worst scores, ``fail`` ends the run; an empty truth can also be taken
    as it is (``score``).
    """

    missing: str = SKIP
    empty: str = SKIP
    failed: str = SKIP

    def __post_init__(self) -> None:
        for name, allowed in (("missing", (SKIP, ZERO, FAIL)), ("empty", (SKIP, ZERO, SCORE, FAIL)),
                              ("failed", (SKIP, ZERO, FAIL))):  # fmt: skip
            if getattr(self, name) not in allowed:
                raise ParameterError(f"{name}={getattr(self, name)!r} is no rule; choose among {', '.join(allowed)}")

    def of(self, status: str) -> str:
        """The rule for a status."""
        by_status = {MISSING: self.missing, NO_TRUTH: self.failed, EMPTY: self.empty, FAILED: self.failed}
        return by_status.get(status, SCORE)


@dataclass(frozen=True)
class Ruler:
    """What places are scored by: the evaluation of each, and how the pixels of its maps lie."""

    evaluation: Evaluation
    frame: str = "file"

    @classmethod
    def checked(cls, layout: Layout, *, frame: str = "file", **asked: Any) -> "Ruler":
        """A ruler whose evaluation makes sense; the parameters of the layout come before the defaults of a protocol."""
        protocol = asked.get("protocol")
        if protocol is not None:
            kind = asked.get("kind", "roads")
            given = dict(asked.get("parameters") or {})
            name = choose_protocol(protocol, kind=kind)[0].name
            if kind != "roads":
                raise ParameterError(f"places are scored by protocols of roads, not of {kind}; {{leave:protocol}}")
            asked["parameters"] = {**given, name: {**layout.parameters.get(name, {}), **given.get(name, {})}}
        return cls(Evaluation.checked(**asked), frame)

    @property
    def kind(self) -> str:
        """What kind of map the places have."""
        return self.evaluation.kind

    @property
    def protocol(self) -> str | None:
        """The protocol that they are scored by, if any."""
        return self.evaluation.protocol

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, or of the protocol."""
        return self.evaluation.names if self.protocol is None else (self.protocol,)

    @property
    def seed(self) -> int:
        """The seed of every place."""
        return self.evaluation.seed

    @property
    def declared(self) -> list[Metric]:
        """The metrics or the protocol as they declare themselves, in order."""
        known = declarations_of(self.kind)
        return [known[name] for name in self.metrics]

    @property
    def headlines(self) -> list[str]:
        """The score that stands for each metric, as ``metric.score``."""
        return [f"{metric.name}.{metric.headline}" for metric in self.declared]

    def result(
        self, truth: Source, prediction: Source | None, layout: Layout, *, plan: bool = False
    ) -> "tuple[Result, Mapping[str, str]]":
        """The result of one place, and which of its maps are empty; tables need no plan of what to fix first."""
        protocol: Protocol | None = None if self.protocol is None else choose_protocol(self.protocol)[0]
        maps = read_place(
            truth, prediction, kind=self.kind, protocol=protocol, layout=layout, reading=self.evaluation.sides,
            frame=self.frame,
        )  # fmt: skip
        asked = replace(self.evaluation, plan=plan, reading={})
        if len(maps.empty) == len(SIDES):
            asked = replace(asked, align=False, aoi=EVERYTHING)
        found = run_evaluation(asked, maps.reference, maps.prediction)
        if self.kind == "roads" and found.unit == "m" and self._in_pixels(layout):
            unit = {"unit": "px"}
            found = replace(found, reference={**found.reference, **unit}, prediction={**found.prediction, **unit})
        return found, maps.empty

    def _in_pixels(self, layout: Layout) -> bool:
        """Whether lengths are in pixels: of protocols, and where one pixel counts as a metre."""
        sizes = [{**layout.reading, **own}.get("pixel_size") for own in self.evaluation.sides.values()]
        return self.protocol is not None or (bool(sizes) and all(size == 1 for size in sizes))


def evaluate_place(place: Place, method: str, layout: Layout, ruler: Ruler, rules: Rules) -> bytes:
    """The outcome of one place under one method, as bytes; whatever is wrong with it is said, not raised."""
    return _outcome(place, method, layout, ruler, rules).to_bytes()


def _outcome(place: Place, method: str, layout: Layout, ruler: Ruler, rules: Rules) -> Outcome:
    prediction = place.predictions.get(method)
    if place.truth is None:
        return Outcome(place.name, method, NO_TRUTH, "there is no truth of this name")
    if prediction is None and rules.missing != ZERO:
        return Outcome(place.name, method, MISSING, "there is no prediction of this name")
    try:
        result, empty = ruler.result(place.truth, prediction, layout)
    except GeoevalError as error:
        return Outcome(place.name, method, FAILED, str(error))
    except Exception as error:  # noqa: BLE001 - one place in which we fail must not cost the others
        return Outcome(place.name, method, FAILED, f"unexpected {type(error).__name__}: {error}")
    if prediction is None:
        return Outcome.of_result(place.name, method, result, status=MISSING, note="there is no prediction of this name")
    if "reference" in empty:
        return Outcome.of_result(place.name, method, result, status=EMPTY, note="the truth is empty")
    if "prediction" in empty:
        return Outcome.of_result(place.name, method, result, note="the prediction is empty")
    said = [one["message"] for one in result.diagnosis if one["level"] == "error"]
    said += [f"{name}: {why}" for name, why in result.notes.items() if name in ruler.headlines]
    return Outcome.of_result(place.name, method, result, note="; ".join(said))


def evaluate_places(
    found: Pairing, ruler: Ruler, rules: Rules, *, workers: int = 1, scheduler: str | None = None,
    resume: str | Path | None = None, progress: Progress | None = None,
) -> list[Outcome]:  # fmt: skip
    """The outcome of every place under every method, method by method, in the order of the places.

    Raises
    ------
    ParameterError
        A rule says that such a place ends the run.
    OutputError
        The folder to resume from holds another run.
    """
    tell = progress or (lambda _fraction, _message: None)
    pairs = {f"{i:03}_{j:05}": (place, method) for i, method in enumerate(found.methods)
             for j, place in enumerate(found.places)}  # fmt: skip
    _check_missing(pairs.values(), rules)
    tell(0.0, "looking for places that are done")
    folder = None if resume is None else RunFolder(Path(resume), _facts(found, ruler, rules))
    done = kept_parts(pairs, folder, check_outcome)
    tasks = {
        name: (evaluate_place, (place, method, found.layout, ruler, rules))
        for name, (place, method) in pairs.items()
        if name not in done
    }
    with open_engine(min(workers, max(len(tasks), 1)), scheduler, prepare="geoeval.roads.evaluate") as engine:
        made = run_parts(
            tasks, _Checked(engine, rules), folder, lambda share, said: tell(share, said.replace("part", "place")),
            done=len(done), since=len(done) / max(len(pairs), 1),
        )  # fmt: skip
    return [Outcome.from_bytes(done.get(name) or made[name]) for name in pairs]


class _Checked:
    """An engine that ends the run at the first place that a rule does not allow."""

    def __init__(self, engine: Any, rules: Rules) -> None:
        self._engine, self._rules = engine, rules

    def run(self, tasks: Sequence[Any]) -> Any:
        for number, data in self._engine.run(tasks):
            if FAIL in (self._rules.failed, self._rules.empty):
                refuse_by_rule(Outcome.from_bytes(data), self._rules)
            yield number, data


def refuse_by_rule(outcome: Outcome, rules: Rules) -> None:
    """Raise ``ParameterError`` where a rule says that such an outcome ends the run."""
    if outcome.status != SCORED and rules.of(outcome.status) == FAIL:
        option = {NO_TRUTH: "failed"}.get(outcome.status, outcome.status)
        raise ParameterError(
            f"{outcome.method}, {outcome.place}: {outcome.note}; to go on without it, {{give:{option}=skip}}"
        )


def _check_missing(pairs: Any, rules: Rules) -> None:
    for place, method in pairs:
        status = NO_TRUTH if place.truth is None else MISSING if method not in place.predictions else SCORED
        refuse_by_rule(Outcome(place.name, method, status, "there is no file of this name"), rules)


def _facts(found: Pairing, ruler: Ruler, rules: Rules) -> dict[str, Any]:
    """Everything that the outcomes depend on."""
    digests: dict[str, str] = {}
    listed = [
        [place.name, None if source is None else _source_facts(source, digests)]
        for place in found.places
        for source in (place.truth, *place.predictions.values())
    ]
    text = json.dumps(listed, sort_keys=True)
    asked = ruler.evaluation
    options = {name: str(getattr(asked, name)) for name in ("parameters", "preset", "seed", "crs", "aoi", "align")}
    options |= {"frame": ruler.frame, "reading": str(asked.sides)}
    return {
        "geoeval": __version__, "kind": ruler.kind, "metrics": [ruler.protocol or "", *ruler.metrics],
        "methods": list(found.methods), "layout": found.layout.name, "rules": str(rules), "options": options,
        "inputs": hashlib.sha256(text.encode()).hexdigest(),
    }  # fmt: skip


def _source_facts(source: Source, digests: dict[str, str]) -> list[str | None]:
    given = source.given
    if not isinstance(given, str | Path):
        raise ParameterError("a run can be resumed only from files; {leave:resume}, or write the maps to files")
    path = str(given)
    if path not in digests:
        digests[path] = digest_of(Path(path)) if Path(path).is_file() else ""
    return [path, source.layer, digests[path]]
