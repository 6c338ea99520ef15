"""The packages that ``geoeval[all]`` brings with it, as they are installed here."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Extras that only the tests and the developers need.
OTHERS = {"all", "docs", "test", "dev"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def direct() -> dict[str, str]:
    """The extra of each direct dependency of ``geoeval[all]``, empty for those that everybody needs."""
    groups = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    return {normal(Requirement(one).name): extra for extra, group in groups.items() if extra not in OTHERS
            for one in group}  # fmt: skip


def everything() -> dict[str, str]:
    """All packages that come with ``geoeval[all]`` on this machine, with their licences."""
    found: dict[str, str] = {}
    waiting = [(name, ()) for name in direct()]
    while waiting:
        name, extras = waiting.pop()
        if name in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        found[name] = licence(name)
        for line in package.requires or []:
            needed = Requirement(line)
            if any(_applies(needed, extra) for extra in ("", *extras)):
                waiting.append((normal(needed.name), tuple(needed.extras)))
    return dict(sorted(found.items()))


def _applies(needed: Requirement, extra: str) -> bool:
    return needed.marker is None or needed.marker.evaluate({"extra": extra})


def licence(name: str) -> str:
    """The licence that a package states: as an expression, in its classifiers, or in words."""
    about = distribution(name).metadata
    stated = about.get("License-Expression")
    if stated:
        return stated
    classified = [one.split(" :: ")[-1] for one in about.get_all("Classifier", []) if one.startswith("License :: ")]
    classified = [one for one in classified if one != "OSI Approved"]
    words = (about.get("License") or "").strip().splitlines()
    return " AND ".join(classified) or (words[0] if words else "not stated")
