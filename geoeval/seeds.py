"""Seeds: whole numbers, or numpy's generators, from which one is drawn; what is recorded is always the number."""

from numbers import Integral
from typing import Any

import numpy as np

from geoeval.exceptions import ParameterError

# What functions take as ``seed``, and as ``rng`` (the word of SPEC 7).
Seed = int | np.integer[Any] | np.random.Generator
# Numbers that are drawn are below this, so that everything that keeps a seed can hold them.
_BEYOND = 2**31


def whole_seed(seed: Any, rng: Any = None) -> int:
    """The whole number of a seed that was given as ``seed`` or as ``rng``.

    Parameters
    ----------
    seed, rng
        A whole number from 0 on is the seed itself. From a ``numpy.random.Generator`` one is drawn, below 2**31: the
        generator goes on by one draw, and the same generator in the same state gives the same seed. ``rng`` also takes
        whatever ``numpy.random.default_rng`` makes a generator of, but for ``None``: then ``seed`` counts.

    Returns
    -------
    int
        What is kept in results, so that ``seed=`` this number repeats them.

    Raises
    ------
    ParameterError
        It is none of these, or both are given.
    """
    if rng is None:
        return _number_of(seed, "seed")
    if isinstance(seed, np.random.Generator) or seed != 0:
        raise ParameterError("seed and rng are two words for one thing; leave one of them out")
    if isinstance(rng, np.random.BitGenerator | np.random.SeedSequence):
        rng = np.random.default_rng(rng)
    return _number_of(rng, "rng")


def _number_of(given: Any, name: str) -> int:
    if isinstance(given, np.random.Generator):
        return int(given.integers(_BEYOND))
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 0:
        raise ParameterError(
            f"the {name} is {str(given)[:40]}; give a whole number from 0 on, or a numpy.random.Generator"
        )
    return int(given)
