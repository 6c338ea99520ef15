"""Every object metric by name. A new metric is one module and one line here."""

from geoeval.metrics.registry import Registry

REGISTRY = Registry(
    {
        "bgm": "geoeval.objects.bgm",
        "hoover": "geoeval.objects.hoover",
        "max-overlap": "geoeval.objects.max_overlap",
        "iou": "geoeval.objects.iou",
        # These must be named: each answers a question of its own, and all of them together cost as much as the above.
        "ap": "geoeval.objects.ap",
        "boundary-ap": "geoeval.objects.boundary_ap",
        "polis": "geoeval.objects.polis",
        "c-iou": "geoeval.objects.c_iou",
        "vertex": "geoeval.objects.vertex",
        "angle": "geoeval.objects.angle",
        "right-angles": "geoeval.objects.right_angles",
        "hausdorff": "geoeval.objects.hausdorff",
        "chamfer": "geoeval.objects.chamfer",
        "amounts": "geoeval.objects.amounts",
    }
)
METRICS = REGISTRY.metrics
