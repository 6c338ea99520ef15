"""``cldice``: centreline Dice of two masks (Shit et al., CVPR 2021), with skeletons by scikit-image.

The share of each skeleton that lies in the other mask, and the harmonic mean of both.
"""

import numpy as np

from geoeval.arrays import Bools
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import share
from geoeval.protocols.aggregation import harmonic, mean_of_places
from geoeval.protocols.protocol import Protocol
from geoeval.readers.extras import import_extra


def cldice(reference: Bools, prediction: Bools, *, method: str = "zhang") -> MetricResult:
    """ClDice of two masks of one size.

    Parameters
    ----------
    reference, prediction
        Masks.
    method
        How scikit-image thins: ``zhang``, which the published code uses, or ``lee``.

    Returns
    -------
    MetricResult
        A mask without a skeleton leaves its share undefined, and with it clDice.
    """
    thin = import_extra("skimage.morphology").skeletonize
    skeletons = [thin(np.asarray(mask, dtype=bool), method=method).astype(bool) for mask in (reference, prediction)]
    pairs = (
        (skeletons[0], prediction, "sensitivity", "reference"),
        (skeletons[1], reference, "precision", "prediction"),
    )
    values, notes = {}, {}
    for skeleton, mask, name, side in pairs:
        count = int(skeleton.sum())
        values[name] = float((skeleton & mask).sum() / count) if count else None
        if not count:
            notes[name] = notes["cldice"] = f"the {side} has no skeleton"
    return MetricResult(
        {"cldice": harmonic(values["precision"], values["sensitivity"]), **values}, notes=notes
    )  # fmt: skip


PROTOCOL = Protocol(
    cldice, "cldice", "How much of each mask's centreline lies in the other mask.",
    scores=(
        share("cldice", "Harmonic mean of precision and sensitivity."),
        share("precision", "Share of the prediction's skeleton that lies in the reference."),
        share("sensitivity", "Share of the reference's skeleton that lies in the prediction."),
    ),
    version="1", takes="masks",
    origin="clDice (Shit et al., CVPR 2021), as jocpae/clDice computes it.",
    blind_to="gaps, which cost only their length; how wide roads are; connections at all",
    prefer=("ccq", "opt-p"),
    aggregates={"mean": mean_of_places},
)  # fmt: skip
