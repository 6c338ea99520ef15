"""``p3``: the numbers on outlines that P3 prints, in pixels.

As ``hisup``, but: images whose PoLiS is 0 count, C-IoU is taken over all images of the reference with no mask left
over, and ``nr``, which P3 calls N-ratio, is the likeness of the numbers of vertices, not their ratio. With
``rules="mended"`` first rings and closing vertices are put right as well.
"""

from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import ScoreValue, share
from geoeval.protocols.coco.coco import sizes_of
from geoeval.protocols.coco.complexity import complexity_scores
from geoeval.protocols.coco.hisup import IOUS, MTA, POLIS, notes_of
from geoeval.protocols.coco.outlines import check_rules, outlines_by_image
from geoeval.protocols.coco.polis_script import scripted_polis
from geoeval.protocols.coco.tangents import scripted_mta
from geoeval.protocols.protocol import Protocol
from geoeval.readers.coco.coco_set import CocoSet


def p3(reference: CocoSet, prediction: CocoSet, *, rules: str = "scripted") -> MetricResult:
    """Outlines compared as P3 does.

    Parameters
    ----------
    reference, prediction
        Annotations and results with outlines; scores of results are not used.
    rules
        ``scripted``, or ``mended``: without the faults of the scripts.

    Returns
    -------
    MetricResult
        ``polis`` in pixels, ``mta`` in degrees. Nothing detected: IoU 0, and what has nothing to compare is undefined.

    Notes
    -----
    O(n m) for n true and m predicted objects of an image.
    """
    scripted = check_rules("p3", rules)
    images = list(outlines_by_image(reference, prediction))
    alike = complexity_scores(images, sizes_of(reference), scripted=scripted, stale_mask=False)
    scores: dict[str, ScoreValue] = {
        "polis": scripted_polis(images, scripted=scripted, skip_zero=False),
        "iou": alike["iou"], "c_iou": alike["c_iou"], "nr": alike["similarity"],
        "mta": scripted_mta(images, scripted=scripted),
    }  # fmt: skip
    return MetricResult(scores, notes=notes_of(scores))


PROTOCOL = Protocol(
    p3, "polis", "PoLiS, C-IoU, NR and MTA of building outlines, as P3 prints them.",
    scores=(POLIS, *IOUS, share("nr", "1 less the difference of the numbers of vertices over their sum."), MTA),
    version="1", takes="instances",
    origin="Evaluation of P3 (Pixels to Polygons with Point clouds, 2025), which has the newest copies of the scripts.",
    blind_to="missed objects: PoLiS and MTA look at what was matched alone; holes; metres",
    prefer=("polis", "c-iou", "angle"),
)  # fmt: skip
