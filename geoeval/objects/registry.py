"""Every object metric by name. A new metric is one module and one line here."""

from geoeval.metrics.registry import Registry

REGISTRY = Registry(
    {
        "bgm": "geoeval.objects.bgm",
        "hoover": "geoeval.objects.hoover",
        "max-overlap": "geoeval.objects.max_overlap",
        "iou": "geoeval.objects.iou",
    }
)
METRICS = REGISTRY.metrics
