"""A score as a function of the tolerance: how much of a result depends on the choice of one number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress
from geoeval.model.scores import ScoreValue
from geoeval.pipeline.evaluate import prepare
from geoeval.roads.evaluate import evaluate_roads
from geoeval.roads.registry import choose_metrics
from geoeval.seeds import Seed, whole_seed

if TYPE_CHECKING:
    import pandas as pd

TOLERANCES = ("tolerance", "max_distance")


@dataclass(frozen=True)
class Curve:
    """The scores of one metric at several tolerances.

    Attributes
    ----------
    metric, headline
        The metric, and its headline score.
    tolerances
        In metres, increasing.
    scores
        All scores of the metric at each tolerance; ``None`` where a score is undefined.
    """

    metric: str
    headline: str
    tolerances: Floats
    scores: list[dict[str, ScoreValue]]

    @property
    def values(self) -> Floats:
        """The headline score at each tolerance; NaN where it is undefined."""
        return np.array(
            [np.nan if row[self.headline] is None else row[self.headline] for row in self.scores], dtype=float
        )

    @property
    def area(self) -> float | None:
        """The mean headline score: the area under the curve, divided by the range of tolerances.

        ``None`` if the score is undefined at any tolerance.
        """
        if len(self.tolerances) == 1:
            mean = float(self.values[0])
        else:
            mean = float(np.trapezoid(self.values, self.tolerances) / np.ptp(self.tolerances))
        return mean if np.isfinite(mean) else None

    def to_frame(self) -> "pd.DataFrame":
        """One row per tolerance, one column per score."""
        import pandas as pd

        return pd.DataFrame(
            [{"tolerance_m": t, **row} for t, row in zip(self.tolerances.tolist(), self.scores, strict=True)]
        )


def tolerance_curve(
    reference: Any,
    prediction: Any,
    *,
    metric: str = "opt-j",
    tolerances: Floats | Sequence[float],
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    seed: Seed = 0,
    rng: Seed | None = None,
    aoi: Any = None,
    crs: Any = "auto",
    progress: Progress | None = None,
    **reading: Any,
) -> Curve:
    """Compute the scores of a road metric at several tolerances.

    Parameters
    ----------
    reference, prediction
        Road networks, in any form that ``geoeval.evaluate`` takes.
    metric
        A metric with a parameter ``tolerance`` or ``max_distance``.
    tolerances
        Values of that parameter in metres, increasing.
    parameters
        The other parameters, by metric and name.
    seed, rng, aoi, crs, reading
        As in ``geoeval.evaluate``.
    progress
        Called with a fraction from 0 to 1 and a message.

    Raises
    ------
    ParameterError
        The metric has no tolerance, or the tolerances are not positive and increasing.

    Examples
    --------
    >>> from geoeval import RoadNetwork
    >>> from geoeval.studies.curve import tolerance_curve
    >>> reference = RoadNetwork.from_lines([[(0, 0), (100, 0)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 4), (100, 4)]], crs="EPSG:32610")
    >>> tolerance_curve(reference, prediction, metric="ccq", tolerances=[2, 6]).values.tolist()
    [0.0, 1.0]
    """
    chosen = choose_metrics(metric)
    if len(chosen) != 1:
        raise ParameterError(f"a curve shows one metric, not {metric!r}; name one")
    name = next((name for name in TOLERANCES if name in chosen[0].defaults), None)
    if name is None:
        raise ParameterError(f"{chosen[0].name} has no tolerance; choose another metric")
    steps = np.asarray(tolerances, dtype=np.float64)
    if len(steps) == 0 or (np.diff(steps) <= 0).any() or steps[0] <= 0:
        raise ParameterError(
            "the tolerances must be positive and increasing; give them as FIRST:LAST or FIRST:LAST:STEP"
        )
    seed = whole_seed(seed, rng)
    tell = progress or (lambda _fraction, _message: None)
    tell(0.0, "reading")
    pair = prepare(reference, prediction, aoi=aoi, crs=crs, **reading)
    rows = []
    for i, value in enumerate(steps.tolist()):
        tell(i / len(steps), f"tolerance {value:g} m")
        own = {**dict((parameters or {}).get(chosen[0].name, {})), name: value}
        result = evaluate_roads(
            pair.reference, pair.prediction, metrics=chosen[0].name, parameters={chosen[0].name: own}, seed=seed
        )
        rows.append(result.scores[chosen[0].name])
    return Curve(chosen[0].name, chosen[0].headline, steps, rows)


def parse_range(text: str) -> Floats:
    """Parse tolerances written as ``FIRST:LAST`` (every metre) or ``FIRST:LAST:STEP``."""
    try:
        numbers = [float(word) for word in text.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) not in {2, 3} or numbers[-1] <= 0 or numbers[0] <= 0 or numbers[1] < numbers[0]:
        raise ParameterError(
            f"cannot read the range {text!r}; write it as FIRST:LAST or FIRST:LAST:STEP, for example 1:30"
        )
    first, last, step = (*numbers, 1.0)[:3]
    return np.asarray(first + step * np.arange(int((last - first) / step + 1e-9) + 1), dtype=np.float64)
