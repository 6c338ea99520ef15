"""Patterns with ``{name}``, which stand for the files of several places, or for the tiles of one scene."""

import glob
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from geoeval.exceptions import UnreadableInputError
from geoeval.files import NAME
from geoeval.trust import no_such_file


def files_of(pattern: str) -> dict[str, Path]:
    """By name the files that a pattern fits, sorted; a second ``{name}`` must be the same text.

    Raises
    ------
    UnreadableInputError
        No file fits.
    """
    first, *rest = pattern.split(NAME)
    expression = re.escape(first) + "(?P<name>[^/]+?)" + "(?P=name)".join(re.escape(part) for part in rest)
    searched = "*".join(glob.escape(part) for part in (first, *rest))
    found: dict[str, Path] = {}
    for path in sorted(glob.glob(searched)):  # noqa: PTH207 - text
        match = re.fullmatch(expression, path)
        if match and Path(path).is_file():
            found[match["name"]] = Path(path)
    if not found and "://" in pattern:
        raise no_such_file(pattern)
    if not found:
        raise UnreadableInputError(f"no file fits the pattern {pattern}; check it, {NAME} stands for the place")
    return found


def is_scene(source: str | Path, options: Mapping[str, Any]) -> bool:
    """Whether tiles are asked for: by a pattern of files, of georeferences or of layers."""
    return any(NAME in str(one) for one in (source, options.get("georeference"), options.get("layer")))
