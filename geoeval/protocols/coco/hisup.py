"""``hisup``: the numbers on outlines that HiSup, PolyWorld and Pix2Poly print, in pixels.

PoLiS, IoU and C-IoU, N-ratio, MTA and vertex precision and recall, each with the rules of its script: see the modules
of this folder for what each of them does wrong. With ``rules="mended"`` the same numbers without those faults. (HiSup's
own file for C-IoU cannot be run as it is; PolyWorld's, from which it was taken, is reproduced. Its PoLiS is used by
Pix2Poly too, whose N-ratio stands here.)
"""

from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import Score, ScoreValue, share
from geoeval.protocols.coco.coco import sizes_of
from geoeval.protocols.coco.complexity import complexity_scores
from geoeval.protocols.coco.outlines import check_rules, outlines_by_image
from geoeval.protocols.coco.polis_script import scripted_polis
from geoeval.protocols.coco.tangents import scripted_mta
from geoeval.protocols.coco.vertices import scripted_vertices
from geoeval.protocols.protocol import Protocol
from geoeval.readers.coco.coco_set import CocoSet

UNDEFINED = {
    "polis": "no object of the reference has a detection with a bounding box IoU above 0.5",
    "mta": "no contour of the prediction lies on the reference",
    "n_ratio": "no image has an object in the reference",
}


def hisup(reference: CocoSet, prediction: CocoSet, *, rules: str = "scripted") -> MetricResult:
    """Outlines compared as HiSup, PolyWorld and Pix2Poly do.

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
    scripted = check_rules("hisup", rules)
    images = list(outlines_by_image(reference, prediction))
    alike = complexity_scores(images, sizes_of(reference), scripted=scripted, stale_mask=scripted)
    scores: dict[str, ScoreValue] = {
        "polis": scripted_polis(images, scripted=scripted, skip_zero=scripted),
        **{name: alike[name] for name in ("iou", "c_iou", "n_ratio")},
        "mta": scripted_mta(images, scripted=scripted),
        **scripted_vertices(images, scripted=scripted),
    }
    return MetricResult(scores, notes=notes_of(scores))


def notes_of(scores: dict[str, ScoreValue]) -> dict[str, str]:
    """Why scores are undefined."""
    return {
        name: UNDEFINED.get(name, "there is nothing to compare") for name, value in scores.items() if value is None
    }  # fmt: skip


POLIS = Score(
    "polis", "Mean distance between vertices and the other outline of matched objects.", "lower", (0.0, None), "px"
)
MTA = Score("mta", "Mean over contours of the largest angle between a piece and the reference.", "lower", (0, 90), "°")
IOUS = (
    share("iou", "IoU of all that is drawn in an image, mean over images."),
    share("c_iou", "IoU times the likeness of the numbers of vertices, mean over images."),
)
PROTOCOL = Protocol(
    hisup, "polis", "PoLiS, C-IoU, N-ratio, MTA and vertices of building outlines, as HiSup's kin print them.",
    scores=(
        POLIS, *IOUS,
        Score("n_ratio", "Predicted over true vertices, mean over images; 1 is right.", "neutral", (0.0, None)),
        MTA,
        share("vertex_precision", "Share of the predicted vertices within 5 pixels of a true one."),
        share("vertex_recall", "Share of the true vertices that are found."),
        share("vertex_f1", "Harmonic mean of vertex precision and recall."),
    ),
    version="1", takes="instances",
    origin="Evaluation scripts of HiSup (Xu et al. 2023), PolyWorld, Frame Field Learning and Pix2Poly.",
    blind_to="missed objects: PoLiS and MTA look at what was matched alone; holes; metres",
    prefer=("polis", "c-iou", "vertex", "angle"),
)  # fmt: skip
