"""The combined detection index: CDI = gamma PRI + (1 - gamma) VRI. Liu and Dori 1997, (28)."""

from geoeval.lines.pixel import pixel
from geoeval.lines.rates import check_weight
from geoeval.lines.vector import overlap_rates
from geoeval.lines.work import Work
from geoeval.model.drawing import Drawing
from geoeval.model.result import MetricResult


def combined(reference: Drawing, prediction: Drawing, *, gamma: float = 0.5, work: Work | None = None) -> MetricResult:
    """Score ``cdi``, from the pixel and the vector level with their own weights; ``gamma`` is that of the pixels."""
    check_weight("gamma", gamma)
    shared = work or Work(reference, prediction)
    pri = pixel(reference, prediction, alpha=shared.alpha, work=shared).scores["pri"]
    vri = overlap_rates(shared.matching, shared.even_width).index(shared.beta)
    return MetricResult(scores={"cdi": combined_index(float(pri or 0.0), vri, gamma)})


def combined_index(pri: float, vri: float, gamma: float = 0.5) -> float:
    """The weighted mean of both indices."""
    return gamma * pri + (1 - gamma) * vri
