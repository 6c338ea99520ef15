"""Every level and protocol for lines by name. A new one is one module and one line here."""

from geoeval.registry import Metric, Registry

_HOME = "geoeval.lines"
REGISTRY = Registry(
    {
        metric.name: metric
        for metric in (
            Metric("pixel", "pri", "Black pixels found, and black pixels that are none.", package=_HOME),
            Metric("vector", "vri", "Lines found, with ends, place, width, style and shape.", package=_HOME),
            Metric("combined", "cdi", "Pixel and vector level in one number.", package=_HOME),
            Metric("time", "per_line", "Seconds of the detection per pixel and line.", in_all=False, package=_HOME),
            Metric("kong", "detection", "Bars matched by angle and distance, or not.", in_all=False, package=_HOME),
            Metric("hori-doermann", "matched", "Ratios of length and count, deviation.", in_all=False, package=_HOME),
        )
    }
)
