"""The errors of a run and the verdicts on them, as the panel walks through them. No QGIS here."""

import datetime as dt
import statistics
from typing import NamedTuple

from ..run_file import opened, unit

ERROR, NOT_AN_ERROR, REFERENCE_IS_WRONG, LATER = "error", "not-an-error", "reference-is-wrong", "later"
VERDICTS = {ERROR: "Error", NOT_AN_ERROR: "Not an error", REFERENCE_IS_WRONG: "Reference is wrong", LATER: "Later"}
# The median of the last verdicts tells how long the rest takes.
RECENT = 50
# An error that was on the screen for longer was not looked at all the time.
LONGEST_LOOK = 600.0
_ERRORS = """SELECT error_id, layer, "row", kind, label, "class", severity, length_m, gain, note, xmin, ymin, xmax, ymax
FROM errors ORDER BY number"""
_JUDGE = """INSERT INTO verdicts (error_id, verdict, remark, judged_at, judged_by, seconds,
                      kind, ref_id, pred_id, length_m, x, y, crs, carried)
SELECT error_id, ?, ?, ?, ?, ?, kind, ref_id, pred_id, length_m, x, y,
       (SELECT value FROM run WHERE name = 'crs'), ''
FROM errors WHERE error_id = ?
ON CONFLICT (error_id) DO UPDATE SET
    verdict = excluded.verdict, remark = excluded.remark, judged_at = excluded.judged_at,
    judged_by = excluded.judged_by, seconds = excluded.seconds, kind = excluded.kind, ref_id = excluded.ref_id,
    pred_id = excluded.pred_id, length_m = excluded.length_m, x = excluded.x, y = excluded.y, crs = excluded.crs,
    carried = excluded.carried"""


class ListedError(NamedTuple):
    """One row of the list of errors."""

    error_id: str
    layer: str
    row: int
    kind: str
    label: str
    road_class: str
    severity: float
    length_m: float
    gain: float
    note: str
    xmin: float
    ymin: float
    xmax: float
    ymax: float


class Verdict(NamedTuple):
    """What was said about an error; ``carried`` is empty if it was said in this run."""

    verdict: str
    remark: str
    carried: str


class Filter(NamedTuple):
    """Which errors are shown; an empty choice shows all. ``state`` is ``left``, ``all`` or a verdict."""

    kinds: frozenset = frozenset()
    classes: frozenset = frozenset()
    severity: float = 0.0
    state: str = "left"
    shuffled: bool = False


class ErrorList:
    """All errors of a result file in the order of the review, and those that a filter shows.

    ``shown`` holds the numbers of the errors that are shown. Reading takes time in proportion to the errors, everything
    that follows a single verdict does not.
    """

    def __init__(self, path):
        self.path, self.unit = path, unit(path)
        with opened(path) as connection:
            self.errors = list(map(ListedError._make, connection.execute(_ERRORS)))
            self.verdicts = {
                name: Verdict(verdict, remark or "", carried or "")
                for name, verdict, remark, carried in connection.execute(
                    "SELECT error_id, verdict, remark, carried FROM verdicts"
                )
            }
            recent = connection.execute(
                "SELECT seconds FROM verdicts WHERE seconds IS NOT NULL AND coalesce(carried, '') = '' "
                "ORDER BY judged_at DESC LIMIT ?",
                (RECENT,),
            )
            self.recent = [seconds for (seconds,) in recent][::-1]
        self.filter, self.shown = Filter(), []
        judged = {name for name, said in self.verdicts.items() if said.verdict != LATER}
        self.left = len(self.errors) - sum(error.error_id in judged for error in self.errors)

    def apply(self, chosen):
        """Show what a filter asks for."""
        self.filter = chosen
        if chosen == Filter() and not self.verdicts:
            self.shown = list(range(len(self.errors)))
            return
        self.shown = [number for number, error in enumerate(self.errors) if self._fits(error)]
        if chosen.shuffled:
            # The ids are as good as random, and the same order comes again.
            self.shown.sort(key=lambda number: self.errors[number].error_id)

    def _fits(self, error):
        chosen = self.filter
        if chosen.kinds and error.kind not in chosen.kinds:
            return False
        if chosen.classes and (error.road_class or "") not in chosen.classes:
            return False
        if chosen.severity > 0 and not (error.severity is not None and error.severity >= chosen.severity):
            return False
        if chosen.state == "all":
            return True
        return self.is_left(error) if chosen.state == "left" else self.verdict_of(error) == chosen.state

    def kinds(self):
        """Every kind with its label, in the order in which they occur."""
        return {error.kind: error.label for error in self.errors}

    def classes(self):
        """Every class of road that is known."""
        return sorted({error.road_class for error in self.errors if error.road_class})

    def verdict_of(self, error):
        """The verdict on an error, or an empty text."""
        found = self.verdicts.get(error.error_id)
        return found.verdict if found is not None else ""

    def is_left(self, error):
        """Whether an error has still to be judged; one that was put off has."""
        return self.verdict_of(error) in ("", LATER)

    def judge(self, error, verdict, *, remark="", seconds=None, judged_by=""):
        """Keep a verdict in the file, and in memory once it is there."""
        was_left = self.is_left(error)
        seconds = None if seconds is None else round(min(seconds, LONGEST_LOOK), 2)
        with opened(self.path, writing=True) as connection:
            connection.execute(_JUDGE, (verdict, remark, now(), judged_by, seconds, error.error_id))
        self.verdicts[error.error_id] = Verdict(verdict, remark, "")
        self.left += self.is_left(error) - was_left
        if seconds is not None:
            self.recent = [*self.recent, seconds][-RECENT:]

    def take_back(self, error):
        """Remove a verdict."""
        was_left = self.is_left(error)
        with opened(self.path, writing=True) as connection:
            connection.execute("DELETE FROM verdicts WHERE error_id = ?", (error.error_id,))
        self.verdicts.pop(error.error_id, None)
        self.left += self.is_left(error) - was_left

    def rejected(self):
        """The errors that were rejected: what the scores as judged depend on."""
        words = (NOT_AN_ERROR, REFERENCE_IS_WRONG)
        return frozenset(name for name, said in self.verdicts.items() if said.verdict in words)

    def seconds_left(self):
        """How long the rest takes, or None before the first verdict."""
        return statistics.median(self.recent) * self.left if self.recent else None

    def progress_in_words(self, say=str):
        """How much is judged, how much is left, and how long that takes; ``say`` translates."""
        seconds = self.seconds_left()
        text = say("{judged} of {all} judged, {left} left")
        if seconds is not None and self.left:
            text = say("{judged} of {all} judged, {left} left, about {time}")
        judged, every = f"{len(self.errors) - self.left:,}", f"{len(self.errors):,}"
        return text.format(judged=judged, all=every, left=f"{self.left:,}", time=duration(seconds or 0))


def duration(seconds):
    """A time for people."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def now():
    """The time, as the format wants it."""
    return dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
