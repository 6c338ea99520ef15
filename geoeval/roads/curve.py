"""A score as a function of its tolerance: how much of a result is the choice of one number."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geoeval.exceptions import ParameterError
from geoeval.model.network import RoadNetwork
from geoeval.model.result import Score
from geoeval.roads.evaluate import evaluate_roads
from geoeval.roads.registry import choose_metrics

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
TOLERANCES = ("tolerance", "max_distance")


@dataclass(frozen=True)
class Curve:
    """Scores of one metric at each tolerance, in metres."""

    metric: str
    headline: str
    tolerances: Floats
    scores: list[dict[str, Score]]

    @property
    def values(self) -> Floats:
        """The headline score at each tolerance; NaN where undefined."""
        return np.array(
            [np.nan if row[self.headline] is None else row[self.headline] for row in self.scores], dtype=float
        )

    @property
    def area(self) -> float | None:
        """Mean of the headline score over the range of tolerances; ``None`` where it is undefined somewhere."""
        if len(self.tolerances) == 1:
            mean = float(self.values[0])
        else:
            mean = float(np.trapezoid(self.values, self.tolerances) / np.ptp(self.tolerances))
        return mean if np.isfinite(mean) else None

    def to_frame(self) -> "pd.DataFrame":
        """One row a tolerance, one column a score."""
        import pandas as pd

        return pd.DataFrame(
            [{"tolerance_m": t, **row} for t, row in zip(self.tolerances.tolist(), self.scores, strict=True)]
        )


def tolerance_curve(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    metric: str = "opt-j",
    tolerances: Floats | list[float],
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 0,
    aoi: Any = None,
    progress: Callable[[float, str], None] | None = None,
) -> Curve:
    """The scores of a metric at each tolerance (its ``tolerance`` or ``max_distance``), all else equal."""
    chosen = choose_metrics(metric)
    if len(chosen) != 1:
        raise ParameterError(f"a curve is of one metric, not of {metric!r}; name one")
    name = next((name for name in TOLERANCES if name in chosen[0].defaults), None)
    if name is None:
        raise ParameterError(f"{chosen[0].name} has no tolerance; choose another metric")
    steps = np.asarray(tolerances, dtype=np.float64)
    if len(steps) == 0 or (np.diff(steps) <= 0).any() or steps[0] <= 0:
        raise ParameterError("the tolerances must be positive and grow; give them as FIRST:LAST or FIRST:LAST:STEP")
    rows = []
    for i, value in enumerate(steps.tolist()):
        if progress is not None:
            progress(i / len(steps), f"tolerance {value:g} m")
        own = {**dict((parameters or {}).get(chosen[0].name, {})), name: value}
        result = evaluate_roads(
            reference, prediction, metrics=chosen[0].name, parameters={chosen[0].name: own}, seed=seed, aoi=aoi
        )
        rows.append(result.scores[chosen[0].name])
    return Curve(chosen[0].name, chosen[0].headline, steps, rows)


def parse_range(text: str) -> Floats:
    """Tolerances from ``FIRST:LAST`` (every metre) or ``FIRST:LAST:STEP``."""
    try:
        numbers = [float(word) for word in text.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) not in {2, 3} or numbers[-1] <= 0 or numbers[0] <= 0 or numbers[1] < numbers[0]:
        raise ParameterError(f"cannot read the range {text!r}; write it as FIRST:LAST or FIRST:LAST:STEP, as 1:30")
    first, last, step = (*numbers, 1.0)[:3]
    return np.asarray(first + step * np.arange(int((last - first) / step + 1e-9) + 1), dtype=np.float64)
