"""Parameters of metrics from the command line."""

from collections.abc import Iterable
from typing import Any


def parse_settings(settings: Iterable[str] | None) -> dict[str, dict[str, Any]]:
    """Parameters by metric and name from ``METRIC.PARAMETER=VALUE``."""
    from geoeval.metrics.registry import parse_setting

    parameters: dict[str, dict[str, Any]] = {}
    for text in settings or []:
        metric, name, value = parse_setting(text)
        parameters.setdefault(metric, {})[name] = value
    return parameters
