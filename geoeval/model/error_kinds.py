"""Every kind of error, one row each: what it is called, how it looks, and what to do about it.

Styles, layer names, the edit plan, the report, the hand-off files, the detection study and the QGIS plugin all read
this table, so a new kind of error is one more row in ``KINDS`` and nothing else.

The colours are those of Okabe and Ito (2008), which people with any common colour blindness can tell apart, and five
beside them that are as far as can be from these, from each other and from the greys of the two inputs. No two kinds of
one content share a colour.
"""

from collections.abc import Iterable
from dataclasses import dataclass

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE, GREY = "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"
INDIGO, WINE, VIOLET, BROWN, MINT = "#332288", "#882255", "#AA55FF", "#5A3A10", "#00E08A"

_LENGTHS = ("ccq", "opt-p", "opt-g", "subg", "apls", "opt-j")
_OBJECTS = ("max-overlap", "hoover", "bgm", "iou", "vector")


@dataclass(frozen=True)
class MapLayer:
    """Where a kind of error occurs: in which content, with which geometry, and what such a layer is called.

    ``always``: an evaluation writes the layer even when it is empty. ``rare``: a form shows it among the advanced ones.
    """

    content: str
    geometry: str
    title: str
    always: bool = False
    rare: bool = False


@dataclass(frozen=True)
class ErrorKind:
    """One kind of error.

    Attributes
    ----------
    name, label, plural
        In data (``false_link``), in a legend (``False link``), and of many (``false links``).
    about
        What it means, in one sentence.
    colour, marker
        On every map; the marker is QGIS's name for it.
    layers
        Where it occurs on the map; the first of a content is its usual geometry.
    layer
        The short name of its layer in files; by default the name.
    instruction
        What a person should do about it.
    action
        The edit that mends it: ``add``, ``delete``, ``join`` or ``move``; ``None`` where the edit plan has none.
    opt_j_change
        How an isolated error of this kind changes TP, PP and AP of OPT-J.
    is_error
        Whether it counts as an error at all; what is matched does not.
    is_task
        Whether somebody can fix it on the spot, so that it becomes a task for mappers.
    is_judged
        Whether a review asks about it: whether this place differs. What is said of one input alone, or of many places
        at once, is no such question.
    of_input
        Whether it is said of one input by itself: of the prediction it is an error, of the reference it is none.
    hidden
        Whether a map shows it only when asked to, because it covers many places at once.
    emphasised
        Whether it is small and must be drawn large.
    graded_by
        The column, from 0 (bad) to 1, by which its areas are coloured; they are drawn as outlines then.
    reported_by
        The metrics that report it, the one whose features a map shows first.
    reveals
        The known errors (``content.error``, as ``perturb`` has them) that it is the answer to.
    """

    name: str
    label: str
    plural: str
    about: str
    colour: str = GREY
    marker: str = "circle"
    layers: tuple[MapLayer, ...] = ()
    layer: str = ""
    instruction: str = ""
    action: str | None = None
    opt_j_change: tuple[int, int, int] = (0, 0, 0)
    is_error: bool = True
    is_task: bool = True
    is_judged: bool = True
    of_input: bool = False
    hidden: bool = False
    emphasised: bool = False
    graded_by: str = ""
    reported_by: tuple[str, ...] = ()
    reveals: tuple[str, ...] = ()


KINDS: dict[str, ErrorKind] = {
    kind.name: kind
    for kind in (
        ErrorKind(
            "break", "Break", "breaks", "A gap in a road that should be connected.", YELLOW, "diamond",
            layers=(MapLayer("roads", "lines", "Breaks", always=True),
                    MapLayer("roads", "points", "Breaks without length")),
            layer="breaks", instruction="Join the two ends: the road should be connected here.", action="join",
            opt_j_change=(2, 2, 4), emphasised=True, reported_by=("opt-p", "opt-j"), reveals=("roads.interruptions",),
        ),
        ErrorKind(
            "false_link", "False link", "false links", "A connection that the reference does not have.", PURPLE,
            "cross_fill",
            layers=(MapLayer("roads", "lines", "False links", always=True),
                    MapLayer("roads", "points", "False links without length", rare=True)),
            layer="falselinks", instruction="Separate what is joined here: there should be no connection.",
            action="delete", opt_j_change=(4, 6, 4), reported_by=("opt-p", "opt-j"), reveals=("roads.overconnections",),
        ),
        ErrorKind(
            "junction", "Junction", "junctions", "The number of arms differs from the reference.", GREEN, "triangle",
            layers=(MapLayer("roads", "points", "Wrong junctions", always=True),),
            layer="junctions", instruction="Correct this junction so that it has the right number of arms.",
            action="move", reported_by=("opt-j", "junct"),
        ),
        ErrorKind(
            "missing", "Missing", "missing", "In the reference, but not in the prediction.", BLUE, "circle",
            layers=(MapLayer("roads", "lines", "Missing roads", always=True),
                    MapLayer("roads", "points", "Missing junctions and ends", rare=True)),
            instruction="Add what is missing here.", action="add", opt_j_change=(-2, -2, 0), reported_by=_LENGTHS,
            reveals=("roads.missing",),
        ),
        ErrorKind(
            "spurious", "Spurious", "spurious", "In the prediction, but not in the reference.", VERMILLION, "square",
            layers=(MapLayer("roads", "lines", "Spurious roads", always=True),
                    MapLayer("roads", "points", "Spurious junctions and ends", rare=True)),
            instruction="Check whether this exists, and delete it if it does not.", action="delete",
            opt_j_change=(2, 4, 2), reported_by=_LENGTHS,
            # A long false link is a false road too.
            reveals=("roads.overconnections", "roads.far_false_positives"),
        ),
        ErrorKind(
            "doubled", "Doubled", "doubled", "One road of the reference is drawn more than once.", ORANGE, "pentagon",
            layers=(MapLayer("roads", "lines", "Doubled roads", always=True),),
            instruction="Keep one of these roads and delete the copy.", action="delete", opt_j_change=(4, 6, 4),
            reported_by=("opt-p",),
        ),
        ErrorKind(
            "merged", "Merged", "merged", "Several roads of the reference are drawn as one.", SKY, "hexagon",
            layers=(MapLayer("roads", "lines", "Merged roads", always=True),),
            instruction="Draw the roads that are drawn as one here separately.", action="add", opt_j_change=(4, 4, 6),
            reported_by=("opt-p",),
        ),
        ErrorKind(
            "drawn_double", "Drawn double", "drawn double", "Two lines are drawn for one road of the reference.", WINE,
            "octagon",
            layers=(MapLayer("roads", "lines", "Roads drawn double", always=True),),
            layer="drawndbl", instruction="Draw one line for this road, as the reference does, or leave it divided.",
            action="move",
        ),
        ErrorKind(
            "drawn_single", "Drawn single", "drawn single", "One line is drawn for a divided road of the reference.",
            VIOLET, "trapezoid",
            layers=(MapLayer("roads", "lines", "Roads drawn single", always=True),),
            layer="drawnsgl", instruction="Draw both carriageways of this road, as the reference does.", action="move",
        ),
        ErrorKind(
            "displaced", "Displaced", "displaced", "There, but away from where it should be.", BLACK, "star",
            layers=(MapLayer("roads", "lines", "Displaced roads", always=True),
                    MapLayer("roads", "points", "Displaced junctions", rare=True),
                    MapLayer("lines", "lines", "Displaced lines"),
                    MapLayer("objects", "lines", "Displaced sides of objects", rare=True)),
            instruction="Move this to its right place.", action="move", reveals=("lines.shifted",),
        ),
        ErrorKind(
            "duplicate", "Duplicate", "duplicates", "The same segment twice in the input; counted once.", MINT,
            "square",
            layers=(MapLayer("roads", "lines", "Duplicate segments of the input", rare=True),),
            layer="duplicates", instruction="Delete one of the two segments that lie on each other.", hidden=True,
            is_judged=False, of_input=True,
        ),
        ErrorKind(
            "culprit", "Culprit", "culprits", "Many wrong paths lead through this road.", BROWN, "circle",
            layers=(MapLayer("roads", "lines", "Roads behind many wrong paths", rare=True),),
            layer="culprits", is_task=False, is_judged=False, hidden=True, reported_by=("tlts", "apls"),
        ),
        ErrorKind(
            "path", "Wrong path", "paths", "A shortest path whose length the prediction does not keep.", INDIGO,
            "circle",
            layers=(MapLayer("roads", "lines", "Wrong paths", rare=True),),
            layer="paths", is_task=False, is_judged=False, hidden=True,
        ),
        ErrorKind(
            "missed", "Missed", "missed", "In the reference, but nothing in the prediction matches it.", BLUE, "circle",
            layers=(MapLayer("objects", "polygons", "Missed objects", always=True),
                    MapLayer("lines", "lines", "Missed lines", always=True)),
            instruction="Add the object that is missing here.", reported_by=_OBJECTS,
            reveals=("objects.missed", "lines.missed"),
        ),
        ErrorKind(
            "false_alarm", "False alarm", "false alarms", "In the prediction, but nothing in the reference.",
            VERMILLION, "square",
            layers=(MapLayer("objects", "polygons", "False alarms", always=True),
                    MapLayer("lines", "lines", "False alarms", always=True)),
            layer="falsealarm", instruction="Check whether this exists, and delete it if it does not.",
            reported_by=_OBJECTS, reveals=("objects.false_alarm",),
        ),
        ErrorKind(
            "split", "Split", "split", "One object of the reference is several in the prediction.", ORANGE, "pentagon",
            layers=(MapLayer("objects", "polygons", "Split objects", always=True),),
            layer="splits", instruction="Join the pieces of this object into one.", reported_by=_OBJECTS,
            reveals=("objects.split",),
        ),
        ErrorKind(
            "merge", "Merge", "merged", "Several objects of the reference are one in the prediction.", SKY, "hexagon",
            layers=(MapLayer("objects", "polygons", "Merged objects", always=True),),
            layer="merges", instruction="Separate the objects that are drawn as one here.", reported_by=_OBJECTS,
            reveals=("objects.merged",),
        ),
        ErrorKind(
            "boundary", "Boundary", "boundaries", "Matched, but the outline lies elsewhere.", YELLOW, "diamond",
            layers=(MapLayer("objects", "polygons", "Objects whose outline lies elsewhere", always=True),),
            instruction="Correct the outline of this object.", reveals=("objects.shifted", "objects.grown"),
        ),
        ErrorKind(
            "fragmented", "Fragmented", "fragmented", "One line of the reference came out in several pieces.", ORANGE,
            "pentagon",
            layers=(MapLayer("lines", "lines", "Fragmented lines", always=True),),
            instruction="Join the pieces of this line into one.", reveals=("lines.fragmented",),
        ),
        ErrorKind(
            "consolidated", "Consolidated", "consolidated", "Several lines of the reference came out as one.", SKY,
            "hexagon",
            layers=(MapLayer("lines", "lines", "Consolidated lines", always=True),),
            layer="consolid", instruction="Separate the lines that are drawn as one here.",
            reveals=("lines.consolidated",),
        ),
        ErrorKind(
            "incomplete", "Incomplete", "incomplete", "Found, but a part of the line is not there.", INDIGO, "circle",
            layers=(MapLayer("lines", "lines", "Incomplete lines", rare=True),),
            instruction="Draw the part of this line that is not there.",
        ),
        ErrorKind(
            "overlong", "Too long", "too long", "Right in part, but a part of the line should not be there.", WINE,
            "square",
            layers=(MapLayer("lines", "lines", "Lines that are too long", rare=True),),
            instruction="Cut off the part of this line that should not be there.",
        ),
        ErrorKind(
            "wrong_width", "Wrong width", "wrong width", "Found, but thicker or thinner than it should be.", PURPLE,
            "cross_fill",
            layers=(MapLayer("lines", "lines", "Lines of the wrong width", rare=True),),
            layer="wrongwidth", instruction="Correct the width of this line.", reveals=("lines.wrong_width",),
        ),
        ErrorKind(
            "wrong_style", "Wrong style", "wrong style", "Found, but solid where dashed, or the other way.", YELLOW,
            "diamond",
            layers=(MapLayer("lines", "lines", "Lines of the wrong style", rare=True),),
            layer="wrongstyle", instruction="Correct the style of this line.",
        ),
        ErrorKind(
            "wrong_shape", "Wrong shape", "wrong shape", "Found, but a bar, arc or polyline where another is.", VIOLET,
            "triangle",
            layers=(MapLayer("lines", "lines", "Lines of the wrong shape", rare=True),),
            instruction="Draw this line as the bar, arc or polyline that it is.",
        ),
        ErrorKind(
            "unmatched_hole", "Unmatched hole", "unmatched holes",
            "A published protocol found no prediction for this stretch of the reference.", BLUE, "circle",
            is_task=False,
        ),
        ErrorKind(
            "unmatched_marble", "Unmatched marble", "unmatched marbles",
            "A published protocol found no reference for this stretch of the prediction.", VERMILLION, "circle",
            is_task=False,
        ),
        ErrorKind(
            "lost_path", "Lost path", "lost paths",
            "A place to which the paths of a published protocol are lost or of another length.", ORANGE, "diamond",
            is_task=False,
        ),
        ErrorKind(
            "matched", "Matched", "matched", "Found as it should be.", GREEN, "triangle",
            layers=(MapLayer("objects", "polygons", "Objects found as they should be", rare=True),
                    MapLayer("lines", "lines", "Lines found as they should be", rare=True)),
            is_error=False, is_task=False, is_judged=False, graded_by="iou", reported_by=_OBJECTS,
        ),
        ErrorKind(
            "link", "Link", "links", "From an object of the reference to the object that matches it.", BROWN, "circle",
            layers=(MapLayer("objects", "lines", "Links between objects that match", rare=True),),
            layer="links", is_error=False, is_task=False, is_judged=False,
        ),
    )
}  # fmt: skip


def error_kind(name: str) -> ErrorKind:
    """The row of any kind; one that the table does not have is grey and called by its name."""
    if name in KINDS:
        return KINDS[name]
    label = name.replace("_", " ").strip().capitalize() or "Other"
    return ErrorKind(
        name, label, label.lower(), f"Errors of the kind {name!r}.",
        instruction=f"Look at this place and correct it: {label.lower()}.",
    )  # fmt: skip


def standard_layers(content: str) -> dict[str, str]:
    """The kinds that an evaluation of this content always writes, in order, each with its usual geometry."""
    return {kind.name: one.geometry for kind in KINDS.values() for one in kind.layers
            if one.content == content and one.always}  # fmt: skip


def kinds_that_reveal(content: str, error: str) -> tuple[str, ...]:
    """The kinds by which a known error is found, as ``perturb`` names it; none for an error that no layer shows."""
    return tuple(kind.name for kind in KINDS.values() if f"{content}.{error}" in kind.reveals)


def shown_metric(name: str, evaluated: Iterable[str]) -> str | None:
    """Of the metrics that report a kind, the one whose features a map shows; ``None`` where no one of them comes first.

    ``evaluated`` are the metrics of the evaluation.
    """
    there = set(evaluated)
    return next((metric for metric in error_kind(name).reported_by if metric in there), None)
