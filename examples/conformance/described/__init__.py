"""What every case is: two tiny inputs, the rule it is aimed at, the answer, and why that is the answer.

Answers were worked out by hand; where a sum is long, the reasoning says how it is formed.
"""

import itertools
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """One case. Answers are text: a fraction, a decimal number, or ``undefined``."""

    name: str
    rule: str
    reasoning: str
    truth: Any
    prediction: Any
    expected: dict[str, str]
    options: dict[str, Any] = field(default_factory=dict)


def line(*places: tuple[float, float]) -> list[tuple[float, float]]:
    """A road through places."""
    return list(places)


def graph(*roads: list[tuple[float, float]]) -> tuple[list[tuple[float, float]], list[tuple[int, int]]]:
    """Places and pairs of their numbers, each edge once; roads that share a place are joined there."""
    number: dict[tuple[float, float], int] = {}
    pairs = []
    for road in roads:
        for one, other in itertools.pairwise(road):
            pairs.append((number.setdefault(one, len(number)), number.setdefault(other, len(number))))
    return list(number), pairs
