"""A photograph is not a mask: what tells them apart, and the line that says so.

A mask is black and white, and a probability map nearly so: few of its pixels are neither. In an image of labels few
pixels differ from their neighbours. In a photograph most do both.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.arrays import Bools
from geoeval.exceptions import ParameterError

# Fewer values than this are a drawing or a coarse map, not a photograph.
_FEWEST_VALUES = 24
# The middle of the scale, and the share of pixels in it above which an image is a photograph.
_DARK, _BRIGHT, _SHARE = 0.15, 0.85, 0.4
# Share of pixels that differ from the next one above which an image does not show labels.
_CHANGES = 0.5
_INSTEAD = "give a mask or labels; {option:threshold=V} makes a mask of all pixels of at least V"


def refuse_photograph(values: NDArray[Any], valid: Bools, path: str | Path) -> None:
    """Raise ``ParameterError`` if most pixels of a mask are neither dark nor bright. O(pixels)."""
    seen = values[valid]
    if len(seen) == 0 or len(np.unique(seen)) < _FEWEST_VALUES:
        return
    low, high = float(seen.min()), float(seen.max())
    between = (seen > low + _DARK * (high - low)) & (seen < low + _BRIGHT * (high - low))
    share = float(between.mean())
    if share > _SHARE:
        grey = f"{100 * share:.0f} % of its pixels are neither dark nor bright"
        raise ParameterError(f"{path} looks like a photograph, not like a mask ({grey}); {_INSTEAD}")


def refuse_photograph_of_labels(values: NDArray[Any], path: str | Path) -> None:
    """Raise ``ParameterError`` if most pixels have another label than the next one. O(pixels)."""
    if values.shape[1] < 2 or len(np.unique(values)) < _FEWEST_VALUES:
        return
    share = float((values[:, 1:] != values[:, :-1]).mean())
    if share > _CHANGES:
        what = f"{100 * share:.0f} % of its pixels differ from the next one"
        raise ParameterError(f"{path} looks like a photograph, not like labels ({what}); {_INSTEAD}")
