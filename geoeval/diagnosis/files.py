"""What is off with the files of a pair: one that is there twice, a copy of the other, one that holds nothing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from geoeval.contents import SIDES
from geoeval.diagnosis.finding import Finding, finding

_AMOUNTS = {"roads": "length_m", "objects": "objects", "lines": "lines"}


def check_files(kind: str, run: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]]) -> list[Finding]:
    """What the digests and amounts of two files say.

    Parameters
    ----------
    kind
        What they hold.
    run
        The record of the run: what was asked for, and the digests of the files.
    facts
        By side what is said of each input. Maps that are no files are their owner's business.
    """
    call, files = run.get("call", {}), run.get("files", {})
    found = [
        finding(
            "empty",
            "warning",
            f"nothing is evaluated of the {side}: its file holds no {kind}, or none on the evaluated ground",
        )
        for side in SIDES
        if call.get(side) is not None and facts[side].get(_AMOUNTS[kind]) == 0
    ]
    # Two layers of one file are two maps.
    is_read_alike = not any(name.startswith(("reference_", "prediction_")) for name in call)
    if is_read_alike and len({files[side]["sha256"] if side in files else side for side in SIDES}) == 1:
        paths = [Path(files[side]["path"]) for side in SIDES]
        what = "the same file as" if paths[0] == paths[1] else "a copy of"
        message = f"the prediction is {what} the reference: their contents are equal, byte by byte"
        found.append(finding("copy", "warning", message))
    return found
