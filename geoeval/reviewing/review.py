"""The review of a run in Python: judge errors, carry verdicts over, see scores as judged, export what was confirmed."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.model.result import Result
from geoeval.reviewing.carrying import carried_verdicts, newest, on_error
from geoeval.reviewing.export import export_confirmed
from geoeval.reviewing.judged import judged
from geoeval.reviewing.run_database import RunDatabase
from geoeval.reviewing.run_file import write_run
from geoeval.reviewing.verdicts import (
    COLUMNS,
    ERROR,
    REMARK_CHARACTERS,
    Verdict,
    check_word,
    now,
    read_verdicts,
    user_name,
    write_verdicts,
)
from geoeval.writers.tables import clean_text

if TYPE_CHECKING:
    import pandas as pd


def review(run: Any, path: str | Path | None = None, *, overwrite: bool = False) -> "Review":
    """Open a run to judge its errors one by one.

    Parameters
    ----------
    run
        The GeoPackage that ``geoeval roads --result`` or ``Result.write_run`` wrote, a folder with one such file, or a
        ``Result``, which is written first.
    path
        For a result: the file to write it to, which keeps the verdicts.
    overwrite
        For a result: replace an existing file; the verdicts of an earlier run in it are carried over.

    Returns
    -------
    Review
        Every verdict is kept in the file at once.

    Raises
    ------
    UnreadableInputError
        The file is missing or no run.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate, review
    >>> reference = RoadNetwork.from_lines([[(0, 0), (800, 0)], [(400, 0), (400, 200)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (800, 2)]], crs="EPSG:32610")
    >>> found = review(evaluate(reference, prediction, metrics="ccq", aoi="all"), "run.gpkg", overwrite=True)
    >>> found.judge(found.errors["error_id"][0], "reference-is-wrong", remark="the house was pulled down")
    >>> found.judged()["as_judged"]["ccq"]["quality"]
    1.0
    """
    if isinstance(run, Result):
        if path is None:
            raise ParameterError("give the .gpkg file that keeps the verdicts: review(result, 'run.gpkg')")
        write_run(run, path, overwrite=overwrite)
        return Review(path)
    return Review(_run_in(Path(run)))


class Review:
    """A run with its verdicts; every change is in the file at once.

    Parameters
    ----------
    path
        The GeoPackage of the run.
    """

    def __init__(self, path: str | Path) -> None:
        self.run = RunDatabase(path)

    def __repr__(self) -> str:
        facts = self.judged(scores=False)
        return f"<Review {self.run.path}: {facts['listed']:,} errors, {facts['left']:,} left>"

    @cached_property
    def errors(self) -> "pd.DataFrame":
        """The errors in the order of the review: the largest gain first."""
        return self.run.errors()

    @property
    def verdicts(self) -> "pd.DataFrame":
        """The verdicts as they are in the file now."""
        import pandas as pd

        return pd.DataFrame([one.as_row() for one in self.run.verdicts().values()], columns=list(COLUMNS))

    def judge(
        self, error_id: str, verdict: str, *, remark: str = "", judged_by: str | None = None,
        seconds: float | None = None,
    ) -> None:  # fmt: skip
        """Judge an error: ``error``, ``not-an-error``, ``reference-is-wrong`` or ``later``; a new verdict replaces one.

        Raises
        ------
        ParameterError
            The word is none of the four, or the run has no such error.
        """
        check_word(verdict)
        error = self.run.error(error_id)
        if error is None:
            raise ParameterError(f"the run has no error {str(error_id)[:40]!r}; its ids are in errors['error_id']")
        given = Verdict(
            error_id, verdict, clean_text(remark)[:REMARK_CHARACTERS], now(),
            user_name() if judged_by is None else clean_text(judged_by)[:100], seconds,
        )  # fmt: skip
        self.run.write([on_error(given, error, self.run.crs)])

    def take_back(self, error_id: str) -> None:
        """Remove the verdict on an error; nothing happens where there is none."""
        self.run.take_back(error_id)

    def judged(self, *, scores: bool = True) -> dict[str, Any]:
        """Scores as given and as judged, the precision of each kind, and what is left; see ``docs/review.md``.

        Scores of roads as judged take as long as the evaluation; without ``scores``, ``as_judged`` is ``None``.
        """
        return judged(self.run, scores=scores)

    def carry_from(self, earlier: "str | Path | Review") -> dict[str, int]:
        """Take over the verdicts of an earlier run; gives how many were found by ``id``, by ``place``, or are ``gone``.

        A verdict of this run stays where it was given later.
        """
        source = earlier if isinstance(earlier, Review) else review(earlier)
        if source.run.path.resolve() == self.run.path.resolve():
            raise ParameterError(f"{self.run.path} is this run itself; give an earlier one")
        if source.run.kind != self.run.kind:
            raise ParameterError(f"{source.run.path} is a run of {source.run.kind}, not of {self.run.kind}")
        return self._take(source.run.verdicts().values(), keep_how=True)

    def read_verdicts(self, path: str | Path) -> dict[str, int]:
        """Take over a verdict file, as ``carry_from`` does with a run."""
        return self._take(read_verdicts(path), keep_how=False)

    def write_verdicts(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the verdicts to a file (CSV) that the page, the command and QGIS read."""
        self.run.refuse_to_replace(path)
        return write_verdicts(self.run.verdicts().values(), path, overwrite=overwrite)

    def export(self, path: str | Path, *, verdict: str = ERROR, overwrite: bool = False) -> int:
        """Write what was confirmed: ``.geojson`` for MapRoulette, ``.osm`` for JOSM, ``.shp``, ``.gpkg`` or ``.csv``.

        ``verdict="reference-is-wrong"`` writes the errors of the reference instead. Gives their number.
        """
        return export_confirmed(self.run, path, verdict=check_word(verdict), overwrite=overwrite)[0]

    def _take(self, verdicts: Iterable[Verdict], *, keep_how: bool) -> dict[str, int]:
        carried = carried_verdicts(list(verdicts), self.errors, self.run.crs)
        told = {"id": 0, "place": 0, "gone": 0}
        for one in carried:
            told[one.carried or "gone"] += 1
        # What is found in a file by its id was judged in this run.
        ours = carried if keep_how else [replace(one, carried="" if one.carried == "id" else one.carried)
                                         for one in carried]  # fmt: skip
        self.run.write(newest((one for one in ours if one.error_id), self.run.verdicts()))
        return told


def _run_in(path: Path) -> Path:
    """The file of a run, which may be the only one in a folder."""
    if not path.is_dir():
        return path
    found = []
    for file in sorted(path.glob("*.gpkg")):
        try:
            found.append(RunDatabase(file).path)
        except UnreadableInputError:
            continue
    if len(found) != 1:
        what = "no run" if not found else f"{len(found)} runs"
        raise UnreadableInputError(f"{path} holds {what}; give a run that geoeval wrote (RUN.gpkg)")
    return found[0]
