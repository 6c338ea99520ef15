"""``benchmark``: many places, one or several methods, one table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from geoeval.area import EVERYTHING
from geoeval.benchmarking.evaluating import SKIP, Ruler, Rules, evaluate_places
from geoeval.benchmarking.inputs import FRAMES
from geoeval.benchmarking.layouts import SPLITS
from geoeval.benchmarking.places import Pairing, find_places
from geoeval.benchmarking.result import Benchmark
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress
from geoeval.readers.unused import check_use
from geoeval.seeds import Seed, whole_seed


def benchmark(
    truth: Any,
    predictions: Any = None,
    *,
    kind: str = "roads",
    metrics: str | Iterable[str] = "all",
    protocol: str | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    preset: str = "default",
    layout: str = "auto",
    split: str = "test",
    frame: str = "file",
    missing: str = SKIP,
    empty: str = SKIP,
    failed: str = SKIP,
    seed: Seed = 0,
    rng: Seed | None = None,
    repetitions: int = 1000,
    aoi: Any = EVERYTHING,
    crs: Any = "auto",
    align: bool = False,
    workers: int = 1,
    scheduler: str | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Benchmark:
    """Score the predictions of one or several methods for many places, as ``geoeval benchmark`` does.

    Parameters
    ----------
    truth
        A folder, a pattern with ``{name}`` such as ``"gt/region_{name}.p"``, a SpaceNet table with many images, a file,
        or a mapping from names to maps; or a CSV of pairs (columns ``reference``, one for each method, and perhaps
        ``name``), without ``predictions``.
    predictions
        The same for one method, a list of these, or a mapping from methods to these. Places are paired by name.
    kind, metrics, protocol, parameters, preset, seed, rng, crs, align
        As for :func:`geoeval.evaluate`.
    layout
        ``"auto"`` recognises data sets by the names of their files; :mod:`geoeval.benchmarking.layouts` has them.
    split
        Which part of a known data set: ``"test"``, ``"validation"``, ``"train"`` or ``"all"``.
    frame
        How the pixels of predictions lie: ``"file"``, as in the truth's files; ``"image"``, with rows that go down
        where those of SpaceNet's truth go up.
    missing, empty, failed
        What to do with places without a prediction, with an empty truth, and that cannot be evaluated: ``"skip"``
        leaves them out, ``"zero"`` gives them the worst scores, ``"fail"`` ends the run; an empty truth also
        ``"score"``.
    repetitions
        Of the bootstrap behind the intervals.
    aoi
        As for :func:`geoeval.evaluate`, but by default nothing is cut: the tile is the area.
    workers, scheduler
        Processes on this machine that share the places, or the address of a Dask scheduler.
    resume
        Folder that keeps finished places: the same call goes on after an interruption.
    progress
        Called with a fraction from 0 to 1 and what is being done.
    reading
        Options of the readers, for both sides or for one of them.

    Returns
    -------
    Benchmark
        ``table``, ``scores``, ``intervals``, ``comparisons()``, ``ranking()``, ``write()``.

    Raises
    ------
    GeoevalError
        The sides have no name in common, an option makes no sense, or a rule ends the run. What is wrong with a single
        place stands in the table.

    Examples
    --------
    >>> from geoeval import RoadNetwork, benchmark
    >>> whole = RoadNetwork.from_lines([[(0, 0), (100, 0)]], crs="EPSG:32610")
    >>> half = RoadNetwork.from_lines([[(0, 0), (50, 0)]], crs="EPSG:32610")
    >>> found = benchmark({"a": whole, "b": whole}, {"A": {"a": whole, "b": half}}, metrics="ccq")
    >>> round(found.scores["A"]["pooled"]["ccq.completeness"], 6)
    0.775
    """
    seed = whole_seed(seed, rng)
    for name, value, allowed in (("split", split, SPLITS), ("frame", frame, FRAMES)):
        if value not in allowed:
            raise ParameterError(f"{name} is {value!r}; choose among {', '.join(allowed)}")
    if repetitions < 0:
        raise ParameterError(f"repetitions is {repetitions}; give a whole number from 0 on")
    rules = Rules(missing, empty, failed)
    found = find_places(truth, named_methods(predictions), layout=layout, split=split)
    ruler = Ruler.checked(
        found.layout, frame=frame, kind=kind, metrics=metrics, protocol=protocol, parameters=parameters,
        preset=preset, seed=seed, crs=crs, aoi=aoi, align=align, reading=reading,
    )  # fmt: skip
    if protocol is None:
        check_use(kind, _inputs_of(found, ruler.evaluation.sides))
    outcomes = evaluate_places(
        found, ruler, rules, workers=workers, scheduler=scheduler, resume=resume, progress=progress
    )
    return Benchmark(found, ruler, rules, tuple(outcomes), seed, repetitions)


def named_methods(predictions: Any) -> dict[str, Any]:
    """Predictions by method: of paths the names of their folders, with as much of them as tells them apart."""
    if predictions is None:
        return {}
    if isinstance(predictions, Mapping) and all(isinstance(name, str) for name in predictions):
        nested = all(isinstance(one, str | Path | Mapping) for one in predictions.values())
        return dict(predictions) if nested else {"prediction": predictions}
    given: Sequence[Any] = predictions if isinstance(predictions, list) else [predictions]
    if not given:
        return {}
    if not all(isinstance(one, str | Path) for one in given):
        return {f"prediction {i}" if len(given) > 1 else "prediction": one for i, one in enumerate(given, start=1)}
    parts = [_telling(Path(one)) for one in given]
    for depth in range(1, 1 + max(map(len, parts))):
        names = ["/".join(one[-depth:]) for one in parts]
        if len(set(names)) == len(names):
            return dict(zip(names, given, strict=True))
    raise ParameterError("the same predictions are given twice; give each once")


def _telling(path: Path) -> tuple[str, ...]:
    """The parts of a path that tell a method: of a pattern the folders, without the suffix of a file."""
    parts = tuple(part for part in path.resolve().parts if "{name}" not in part)
    return (*parts[:-1], Path(parts[-1]).stem) if path.is_file() else parts


def _inputs_of(found: Pairing, reading: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Every map, and the options it is read with."""
    for place in found.places:
        if place.truth is not None:
            yield place.truth.given, reading["reference"]
        for one in place.predictions.values():
            yield one.given, reading["prediction"]
