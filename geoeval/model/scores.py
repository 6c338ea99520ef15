"""What a score is: which way it is better, between which numbers it lies, in which unit, and what it says."""

from dataclasses import dataclass
from typing import Literal

# ``None`` where a score is undefined; the reason is then in the notes.
ScoreValue = float | int | None
Direction = Literal["higher", "lower", "neutral"]


@dataclass(frozen=True)
class Score:
    """A score as its metric declares it.

    Attributes
    ----------
    name
        As in results: ``f1``.
    about
        What it says, in one sentence.
    better
        Whether ``higher`` or ``lower`` values are better; ``neutral`` where neither is.
    range
        The smallest and the largest value that it can have; ``None`` where there is no limit.
    unit
        Empty for shares and indices, else ``m``, ``s``, ``count`` or whatever it is counted in.
    """

    name: str
    about: str
    better: Direction = "higher"
    range: tuple[float | None, float | None] = (0.0, 1.0)
    unit: str = ""


def share(name: str, about: str) -> Score:
    """A score between 0 and 1 of which more is better."""
    return Score(name, about)


def error_share(name: str, about: str) -> Score:
    """A score between 0 and 1 of which less is better."""
    return Score(name, about, "lower")


def count(name: str, about: str, better: Direction = "neutral") -> Score:
    """A whole number from 0 on."""
    return Score(name, about, better, (0.0, None), "count")


def metres(name: str, about: str) -> Score:
    """A distance, of which less is better."""
    return Score(name, about, "lower", (0.0, None), "m")


def spread(of: str) -> Score:
    """The standard deviation of a sampled score."""
    return Score("sd", f"Standard deviation of {of} from sampling.", "neutral", (0.0, None))
