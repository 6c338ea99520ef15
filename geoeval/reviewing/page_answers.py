"""What the review's page asks for, as plain values: the list, one error with its surroundings, verdicts, downloads."""

import io
import math
import threading
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from geoeval.arrays import Box
from geoeval.exceptions import ParameterError
from geoeval.metrics.registry import declarations_of
from geoeval.model.error_kinds import error_kind
from geoeval.reviewing.export import EXPORTS, export_confirmed
from geoeval.reviewing.review import Review
from geoeval.reviewing.surroundings import error_shape, surroundings
from geoeval.reviewing.verdicts import ERROR, REFERENCE_IS_WRONG, WORDS, write_verdicts

# Metres around an error that the map shows: at least these, or this share of its size.
_ROOM, _SHARE = 120.0, 0.8
# What is loaded beyond that on each side, as a share of its width.
_WIDER = 0.75
# The widest box that is asked for at once, in metres.
_WIDEST = 20_000.0
_TABLE = (
    "SELECT errors.error_id, errors.kind, class, severity, gain, errors.length_m, verdict "
    "FROM errors LEFT JOIN verdicts USING (error_id) ORDER BY errors.fid"
)


class PageAnswers:
    """Answers to the page of one review.

    Parameters
    ----------
    review
        The run that is reviewed.
    judged_by
        Who judges; ``None`` for the name of the user.
    """

    def __init__(self, review: Review, judged_by: str | None = None) -> None:
        self.review, self.run, self.judged_by = review, review.run, judged_by
        self._measuring = threading.Lock()

    def listed(self) -> dict[str, Any]:
        """All errors by column, in the order of the review; texts that repeat are numbers into lists. O(n)."""
        rows = self.run.rows(_TABLE)
        kinds, classes = ({str(row[name] or ""): None for row in rows} for name in ("kind", "class"))
        names = {name: {text: number for number, text in enumerate(one)} for name, one in
                 (("kind", kinds), ("class", classes), ("verdict", WORDS))}  # fmt: skip
        return {
            "title": self.run.path.name,
            "content": self.run.kind,
            "unit": self.run.unit,
            "kinds": [_kind_facts(name) for name in kinds],
            "classes": list(classes),
            "words": WORDS,
            "scores": self._headlines(),
            "id": [row["error_id"] for row in rows],
            "kind": [names["kind"][str(row["kind"] or "")] for row in rows],
            "class": [names["class"][str(row["class"] or "")] for row in rows],
            "severity": [_short(row["severity"], 3) for row in rows],
            "gain": [_short(row["gain"], 6) for row in rows],
            "length": [_short(row["length_m"], 1) for row in rows],
            "verdict": [names["verdict"].get(row["verdict"], -1) for row in rows],
        }

    def error(self, error_id: str) -> dict[str, Any]:
        """One error: its facts, its verdict, its shape and what lies around it."""
        facts = self.run.error(_known_text(error_id))
        if facts is None:
            raise ParameterError("the run has no such error; load the page again")
        given = self.run.verdict(error_id)
        home = _box_around(facts)
        # More than is shown at first, so that a broad window and a first move are filled.
        box = _wider(home)
        return {
            "facts": {name: facts[name] for name in ("kind", "metric", "ref_id", "pred_id", "length_m", "dist_m",
                                                     "severity", "confidence", "gain", "class", "note", "x", "y")},
            "verdict": None if given is None else {"verdict": given.verdict, "remark": given.remark,
                                                   "carried": given.carried, "judged_by": given.judged_by},
            "shape": error_shape(self.run, str(facts["layer"]), int(facts["row"]), box),
            "around": {**surroundings(self.run, box), "home": home},
        }  # fmt: skip

    def around(self, query: Mapping[str, str]) -> dict[str, Any]:
        """What lies in a box that the page names, after a zoom or a move."""
        try:
            west, south, east, north = (float(query[name]) for name in ("xmin", "ymin", "xmax", "ymax"))
        except (KeyError, ValueError):
            raise ParameterError("a box has xmin, ymin, xmax and ymax") from None
        if not (0 < east - west <= _WIDEST and 0 < north - south <= _WIDEST):
            raise ParameterError("this view is too wide to be drawn; zoom in")
        return surroundings(self.run, (west, south, east, north))

    def judge(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Keep one verdict, or take it back where the word is empty; gives what all verdicts say then, but scores."""
        error_id, word = given.get("id", ""), given.get("verdict") or ""
        remark = given.get("remark") or ""
        if not all(isinstance(text, str) for text in (error_id, word, remark)):
            raise ParameterError("a verdict has an id, a word and a remark, each a text; load the page again")
        error_id = _known_text(error_id)
        if word:
            self.review.judge(
                error_id, word, remark=remark, judged_by=self.judged_by,
                seconds=_seconds(given.get("seconds")),
            )  # fmt: skip
        else:
            self.review.take_back(error_id)
        return self.review.judged(scores=False)

    def scores(self) -> dict[str, Any]:
        """What all verdicts say, scores as judged too; one at a time, as those of roads are an evaluation."""
        with self._measuring:
            return self.review.judged()

    def download(self, wanted: str) -> tuple[str, bytes]:
        """The name and content of a file: what was confirmed, the errors of the reference, or the verdicts."""
        stem = self.run.path.stem
        with TemporaryDirectory() as folder:
            if wanted == "verdicts":
                file = Path(folder) / f"{stem}-verdicts.csv"
                write_verdicts(self.run.verdicts().values(), file)
                return file.name, file.read_bytes()
            what, _, suffix = wanted.partition(".")
            if what not in {"confirmed", "reference"} or f".{suffix}" not in EXPORTS:
                raise ParameterError(f"there is no download {wanted[:40]!r}; load the page again")
            file = Path(folder) / f"{stem}-{what}.{suffix}"
            export_confirmed(self.run, file, verdict=REFERENCE_IS_WRONG if what == "reference" else ERROR)
            made = sorted(Path(folder).iterdir())
            if len(made) == 1:
                return file.name, file.read_bytes()
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for part in made:
                    archive.write(part, part.name)
            return f"{stem}-{what}-{suffix}.zip", packed.getvalue()

    def _headlines(self) -> list[dict[str, Any]]:
        """The score that stands for each metric; those that can be judged first."""
        metrics = declarations_of(self.run.kind)
        names = [name for name in self.run.record["scores"] if name in metrics]
        names.sort(key=lambda name: name in self.run.not_judged)
        return [{"metric": name, "score": metrics[name].headline, "about": metrics[name].about} for name in names]


def _kind_facts(name: str) -> dict[str, str]:
    kind = error_kind(name)
    return {"name": name, "label": kind.label, "about": kind.about, "colour": kind.colour}


def _box_around(facts: Mapping[str, Any]) -> Box:
    west, south, east, north = (float(facts[name] or 0.0) for name in ("xmin", "ymin", "xmax", "ymax"))
    room = max(_ROOM, _SHARE * max(east - west, north - south))
    return west - room, south - room, east + room, north + room


def _wider(box: Box) -> Box:
    width, height = (_WIDER * (box[k + 2] - box[k]) for k in (0, 1))
    return box[0] - width, box[1] - height, box[2] + width, box[3] + height


def _known_text(error_id: str) -> str:
    """An id that could be in a run: halves of characters cannot."""
    return error_id.encode("utf-8", "replace").decode()


def _seconds(value: Any) -> float | None:
    # Whole numbers may be beyond all floats.
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e6 else None


def _short(value: Any, digits: int) -> float | None:
    return round(float(value), digits) if isinstance(value, int | float) and math.isfinite(value) else None
