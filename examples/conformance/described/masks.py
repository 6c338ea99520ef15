"""Cases of ``cldice`` and ``betti``: pictures, ``#`` is road."""

from described import Case


def _betti(b0_error: str, b1_error: str, betti_error: str) -> dict[str, str]:
    return {"b0_error": b0_error, "b1_error": b1_error, "betti_error": betti_error}


def _picture(*rows: str) -> list[str]:
    return list(rows)


_EMPTY = "." * 24
_LINE = ".." + "#" * 20 + ".."


def _dice(cldice: str, precision: str, sensitivity: str) -> dict[str, str]:
    return {"cldice": cldice, "precision": precision, "sensitivity": sensitivity}


_ONE = _picture(_EMPTY, _EMPTY, _EMPTY, _LINE, _EMPTY, _EMPTY, _EMPTY)

CLDICE = [
    Case(
        "the-same-line", "A line against itself.", "A line 1 px wide is its own skeleton, and lies in itself.",
        _ONE, _ONE, _dice("1", "1", "1"),
    ),
    Case(
        "half-of-the-line", "The harmonic mean of two shares.",
        "The prediction has 10 of 20 px: sensitivity is 1/2, precision 1.",
        _ONE, _picture(_EMPTY, _EMPTY, _EMPTY, ".." + "#" * 10 + "." * 12, _EMPTY, _EMPTY, _EMPTY),
        _dice("2/3", "1", "1/2"),
    ),
    Case(
        "a-gap-costs-its-length", "A break costs no more than the pixels that are missing.",
        "1 px of 20 is missing: sensitivity is 19/20, though the line is in two parts.",
        _ONE, _picture(_EMPTY, _EMPTY, _EMPTY, ".." + "#" * 9 + "." + "#" * 10 + "..", _EMPTY, _EMPTY, _EMPTY),
        _dice("38/39", "1", "19/20"),
    ),
    Case(
        "width-is-free", "Only skeletons are compared with masks.",
        "The reference is 3 px wide, the prediction 1 px, along its middle. All of the prediction lies in the "
        "reference: precision is 1, though two thirds of the road are missing.",
        _picture(_EMPTY, _EMPTY, _LINE, _LINE, _LINE, _EMPTY, _EMPTY), _ONE, {"precision": "1"},
    ),
    Case(
        "one-pixel-off", "There is no tolerance.",
        "The second half of the prediction lies one row lower: half of either line lies in the other.",
        _ONE,
        _picture(_EMPTY, _EMPTY, _EMPTY, ".." + "#" * 10 + "." * 12, "." * 12 + "#" * 10 + "..", _EMPTY, _EMPTY),
        _dice("1/2", "1/2", "1/2"),
    ),
    Case(
        "nothing-predicted", "A mask without a skeleton leaves its share undefined.",
        "The prediction is empty: precision is 0/0. Sensitivity is 0.",
        _ONE, _picture(*[_EMPTY] * 7), _dice("undefined", "undefined", "0"),
    ),
]  # fmt: skip

_RING = _picture("........", ".#####..", ".#...#..", ".#...#..", ".#####..", "........", "........", "........")
_BLOCK = _picture("........", ".#####..", ".#####..", ".#####..", ".#####..", "........", "........", "........")

BETTI = [
    Case(
        "a-hole-is-filled", "b1 is the number of holes.", "One component each, one hole against none.",
        _RING, _BLOCK, _betti("0", "1", "1"),
    ),
    Case(
        "two-parts-for-one", "b0 is the number of components.", "A second block stands alone.",
        _BLOCK,
        _picture("........", ".#####..", ".#####..", ".#####..", ".#####..", "........", "......#.", "........"),
        _betti("1", "0", "1"),
    ),
    Case(
        "corners-join-roads", "Foreground is connected by 8 neighbours.",
        "Two pixels that touch at a corner are one component, and two that do not are two.",
        _picture("....", ".#..", "..#.", "...."), _picture("....", ".#..", "...#", "...."), _betti("1", "0", "1"),
    ),
    Case(
        "corners-do-not-join-background", "Background is connected by 4 neighbours.",
        "The middle of a diamond touches the outside at corners only, so it is a hole. The prediction lacks a side.",
        _picture(".....", "..#..", ".#.#.", "..#..", "....."), _picture(".....", "..#..", ".#...", "..#..", "....."),
        _betti("0", "1", "1"),
    ),
    Case(
        "errors-cancel-out", "Only numbers are compared, not places.",
        "The ring is at another place: the numbers are the same.",
        _RING,
        _picture("........", "........", "........", "........", "..#####.", "..#...#.", "..#####.", "........"),
        _betti("0", "0", "0"),
    ),
    Case(
        "windows", "With window=4 the numbers are compared in windows of 4 px, and errors averaged.",
        "The reference has 1 block in the first of 4 windows, the prediction in the last. In the whole image there "
        "is no error; two windows have one of 1 each: 2/4.",
        _picture("........", ".##.....", ".##.....", "........", "........", "........", "........", "........"),
        _picture("........", "........", "........", "........", "........", ".....##.", ".....##.", "........"),
        _betti("1/2", "0", "1/2"), {"convention": "window=4"},
    ),
    Case(
        "closed-border", "With closed-border the border is set to background first, and holes alone count.",
        "The upper side of the reference's ring lies on the border of the image. Without it the ring is open; that "
        "of the prediction is closed.",
        _picture(".#####..", ".#...#..", ".#...#..", ".#####..", "........", "........", "........", "........"),
        _RING, _betti("undefined", "1", "1"), {"convention": "closed-border"},
    ),
]  # fmt: skip
