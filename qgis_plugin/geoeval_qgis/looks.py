"""What to look at: a few named sets of kinds of errors. No QGIS here."""

ALL = "all errors"
# Per content: the name of a set, and the kinds in it. A kind in none of them is in "all errors" only.
SETS = {
    "roads": {
        "missing and false roads": ("missing", "spurious"),
        "connections": ("break", "false_link", "junction"),
        "how roads are drawn": ("displaced", "doubled", "merged", "drawn_double", "drawn_single"),
    },
    "objects": {
        "missed and false objects": ("missed", "false_alarm"),
        "split and merged objects": ("split", "merge"),
        "outlines": ("boundary",),
    },
    "lines": {
        "missed and false lines": ("missed", "false_alarm"),
        "pieces": ("fragmented", "consolidated", "incomplete", "overlong"),
        "how lines are drawn": ("displaced", "wrong_width", "wrong_style", "wrong_shape"),
    },
}


def names(content):
    """Names of the sets, the one with everything first."""
    return [ALL, *SETS.get(content, ())]


def contains(content, name, kind):
    """Whether a set has a kind of error; what is no error, such as the scores, is in every set."""
    known = {one for kinds in SETS.get(content, {}).values() for one in kinds}
    return name == ALL or kind in SETS.get(content, {}).get(name, ()) or kind in {"area", "grid"} - known
