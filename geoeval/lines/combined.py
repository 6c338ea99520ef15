"""The combined detection index: CDI = gamma PRI + (1 - gamma) VRI. Liu and Dori 1997, (28)."""

from geoeval.lines.pixel import pixel
from geoeval.lines.rates import check_weight
from geoeval.lines.shared_work import SharedWork
from geoeval.lines.vector import overlap_rates
from geoeval.metrics.metric import Metric
from geoeval.model.drawing import Drawing
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import share


def combined(
    reference: Drawing, prediction: Drawing, *, gamma: float = 0.5, work: SharedWork | None = None
) -> MetricResult:
    """Score ``cdi``, the mean of PRI and VRI.

    Parameters
    ----------
    reference, prediction
        The drawings, in one unit of length.
    gamma
        Weight of PRI, from 0 to 1.
    work
        What other metrics of the same drawings have computed, with the weights of PRI and VRI.

    Returns
    -------
    MetricResult
        Both drawings empty: 1.

    Notes
    -----
    That of ``pixel`` and ``vector``, whose work it shares.
    """
    check_weight("gamma", gamma)
    work = work or SharedWork(reference, prediction)
    pri = pixel(reference, prediction, alpha=work.alpha, work=work).scores["pri"]
    vri = overlap_rates(work.matching, work.even_width).index(work.beta)
    return MetricResult(scores={"cdi": combined_index(float(pri or 0.0), vri, gamma)})


def combined_index(pri: float, vri: float, gamma: float = 0.5) -> float:
    """Weighted mean of the pixel and the vector recovery index."""
    return gamma * pri + (1 - gamma) * vri


METRIC = Metric(
    combined, "cdi", "Pixel and vector level in one index.",
    scores=(share("cdi", "Weighted mean of the pixel index (PRI) and the vector index (VRI)."),),
)  # fmt: skip
