"""Every line metric by name. A new metric is one module and one line here."""

from geoeval.metrics.registry import Registry

REGISTRY = Registry(
    {
        "pixel": "geoeval.lines.pixel",
        "vector": "geoeval.lines.vector",
        "combined": "geoeval.lines.combined",
        "time": "geoeval.lines.time",
        "kong": "geoeval.lines.kong",
        "hori-doermann": "geoeval.lines.hori_doermann",
    }
)
