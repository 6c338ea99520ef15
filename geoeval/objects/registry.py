"""Every metric of objects by name. A new metric is one module and one line here."""

from functools import partial

from geoeval.registry import Metric, Registry

_metric = partial(Metric, package="geoeval.objects")

METRICS = {
    metric.name: metric
    for metric in (
        _metric("bgm", "score", "Overlap of the best one-to-one matching, as a share of all covered ground."),
        _metric("hoover", "score", "How well objects overlap that are found, found in pieces, or found as one."),
        _metric("max-overlap", "f1", "Objects in any match, also several to one, and how well their shapes agree."),
        _metric("iou", "f1", "Objects found one to one with at least a given intersection over union."),
    )
}

# The metric whose features stand for a kind on the map: the first of these that was evaluated.
LEADING = dict.fromkeys(("missed", "false_alarm", "split", "merge", "matched"), ("max-overlap", "hoover", "bgm", "iou"))

REGISTRY = Registry(METRICS)
