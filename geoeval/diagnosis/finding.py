"""One thing that is off with a pair of maps, in the form that results, reports and QGIS take."""

from collections.abc import Iterable

Finding = dict[str, str]

_LEVELS = ("error", "warning", "info")


def finding(check: str, level: str, message: str, option: str = "") -> Finding:
    """What a check found; the message names no option, because a dialog has other words for it."""
    return {"check": check, "level": level, "message": message, "option": option}


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors, then warnings, then the rest, each in the order in which they were found."""
    return tuple(sorted(findings, key=lambda one: _LEVELS.index(one["level"])))


def percent(share: float) -> str:
    """A share in words."""
    return "less than 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"
