"""How much each listed error stands in the counts behind the scores: what is taken out where it is rejected.

For objects, for lines, and for roads whose maps were too large to keep; other roads are evaluated again without what
was rejected (``measured_again``). One rule for all: a rejected error is not counted as wrong, and not as right either.
Where what an error took from a metric cannot be told from the counts, there is a reason instead of a number;
``docs/review.md`` has the table.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from geoeval.arrays import Bools, Floats
from geoeval.contents import SIDES
from geoeval.model.error_kinds import error_kind
from geoeval.model.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

_MANY = "one error stands in many paths, places or pixels at once, so what it alone took from them cannot be told"
_LINE = "shares the quality of its line with other errors, so what it alone took cannot be told"
_PARTS = "counts there as missed objects and false alarms, which the list does not show"
_ALONE = "needs to be measured, and the run did not hold both maps to the end"
_NO_MAPS = "has to be measured again, and the run did not hold both maps to the end; evaluate at once, not in tiles"


@dataclass
class Shares:
    """What errors stand in.

    Attributes
    ----------
    rows
        ``(error_id, metric, count, amount)``: ``amount`` goes from the count where the error is rejected.
    not_judged
        By metric, or ``metric.score``: why it has no score as judged.
    still_counted
        By metric and kind: why an error of this kind stays in the counts although it is rejected.
    """

    rows: list[tuple[str, str, str, float]] = field(default_factory=list)
    not_judged: dict[str, str] = field(default_factory=dict)
    still_counted: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, ids: "pd.Series", metric: str, count: str, amounts: Floats | float) -> None:
        """Amounts of one count; those of zero are left out."""
        spread = np.broadcast_to(np.asarray(amounts, dtype=np.float64), (len(ids),))
        self.rows += [
            (str(name), metric, count, amount)
            for name, amount in zip(ids, spread.tolist(), strict=True)
            if amount and np.isfinite(amount)
        ]


def shares_of(result: Result) -> Shares:
    """The shares of all errors that a map shows, which have their ``error_id``. O(errors of all metrics)."""
    shares = Shares()
    if result.kind == "roads" and all(side in result.inputs for side in SIDES):
        return shares
    takers = {"ccq": _ccq, "opt-j": _opt_j, "iou": _iou, "max-overlap": _max_overlap, "hoover": _hoover, "bgm": _bgm,
              "vector": _vector}  # fmt: skip
    for metric in result.scores:
        if metric in takers and result.counts.get(metric):
            takers[metric](result, shares)
        elif metric != "time":
            shares.not_judged[metric] = _NO_MAPS if result.kind == "roads" else _MANY
    return shares


def _listed(result: Result) -> "Iterator[pd.DataFrame]":
    """The listed errors, frame by frame."""
    for frame in result.map_errors().values():
        yield frame[np.array([error_kind(kind).is_judged for kind in frame["kind"]], dtype=bool)]


def _ccq(result: Result, shares: Shares) -> None:
    """The unmatched metres of each side. Undecided errors are stretches that CCQ itself reports."""
    for frame in _listed(result):
        for side, kind in (("ref", "missing"), ("pred", "spurious")):
            if f"{side}_m" in frame:
                metres = frame[f"{side}_m"].to_numpy(dtype=np.float64)
            else:
                own = (frame["kind"] == kind) & (frame["metric"] == "ccq")
                metres = np.where(own, frame["length_m"].to_numpy(dtype=np.float64), 0.0)
            shares.add(frame["error_id"], "ccq", f"{side}_length", metres)


def _opt_j(result: Result, shares: Shares) -> None:
    """The arms of junctions that are wrong on each side."""
    for frame in _listed(result):
        if {"arms", "ref_arms"} <= set(frame):
            of_junction = frame[(frame["kind"] == "junction") & (frame["metric"] == "opt-j")]
            arms, ref_arms = (of_junction[name].to_numpy(dtype=np.float64) for name in ("arms", "ref_arms"))
            shares.add(of_junction["error_id"], "opt-j", "pp", np.maximum(arms - ref_arms, 0.0))
            shares.add(of_junction["error_id"], "opt-j", "ap", np.maximum(ref_arms - arms, 0.0))
    shares.still_counted["opt-j"] = {
        kind: _ALONE for kind in result.error_summary() if kind != "junction" and error_kind(kind).action is not None
    }


def _iou(result: Result, shares: Shares) -> None:
    for kind, count in (("missed", "fn"), ("false_alarm", "fp")):
        ids, _ = _standing_in(result, "iou", kind)
        shares.add(ids, "iou", count, 1.0)
    shares.still_counted["iou"] = dict.fromkeys(("split", "merge", "boundary"), _PARTS)
    shares.not_judged["iou.ap"] = "depends on the confidences of all predicted objects, which the run does not keep"


def _max_overlap(result: Result, shares: Shares) -> None:
    for kind, counts in (("missed", ("missed", "refs")), ("false_alarm", ("false_alarm", "preds"))):
        ids, _ = _standing_in(result, "max-overlap", kind)
        for count in counts:
            shares.add(ids, "max-overlap", count, 1.0)
    for kind, form in (("split", "one_to_many"), ("merge", "many_to_one")):
        ids, rows = _standing_in(result, "max-overlap", kind)
        shares.add(ids, "max-overlap", form, 1.0)
        if "mallows" in rows:
            shares.add(ids, "max-overlap", "mallows_sum", rows["mallows"].to_numpy(dtype=np.float64))
            shares.add(ids, "max-overlap", "compared", 1.0)
    shares.not_judged["max-overlap.overlap"] = "is the ground of all matches; errors have no share in it"
    shares.still_counted["max-overlap"] = {"boundary": "stands in no count: its object is found"}


def _hoover(result: Result, shares: Shares) -> None:
    details = result.details.get("hoover", {})
    for kind in ("missed", "false_alarm"):
        ids, _ = _standing_in(result, "hoover", kind)
        shares.add(ids, "hoover", kind, 1.0)
    for kind, form, parts in (("split", "over", "preds"), ("merge", "under", "refs")):
        if "instances" not in details:
            shares.still_counted.setdefault("hoover", {})[kind] = _ALONE
            continue
        several = np.flatnonzero(getattr(details["instances"], parts) > 1)
        ids, rows = _standing_in(result, "hoover", kind, score=details["score"][several])
        shares.add(ids, "hoover", form, 1.0)
        shares.add(ids, "hoover", "score_sum", rows["score"].to_numpy(dtype=np.float64))


def _bgm(result: Result, shares: Shares) -> None:
    for kind in ("missed", "false_alarm"):
        ids, _ = _standing_in(result, "bgm", kind)
        shares.add(ids, "bgm", kind, 1.0)
    shares.still_counted["bgm"] = dict.fromkeys(("split", "merge"), _PARTS)
    shares.not_judged["bgm.score"] = "is a share of ground that objects have in common; errors have no share in it"


def _vector(result: Result, shares: Shares) -> None:
    """All of a line that was missed or is a false alarm; quality is 1 minus severity."""
    shown: set[str] = set()
    for frame in _listed(result):
        own = (frame["metric"] == "vector").to_numpy()
        shown |= set(frame["kind"][own])
        for kind, side in (("missed", "ref"), ("false_alarm", "pred")):
            rows = frame[own & (frame["kind"] == kind).to_numpy()]
            length, wrong = (rows[name].to_numpy(dtype=np.float64) for name in ("length_m", "severity"))
            shares.add(rows["error_id"], "vector", f"{side}_length", length)
            shares.add(rows["error_id"], "vector", f"{side}_quality", length * (1 - wrong))
    shares.still_counted["vector"] = dict.fromkeys(sorted(shown - {"missed", "false_alarm"}), _LINE)


def _standing_in(result: Result, metric: str, kind: str, **columns: Floats) -> "tuple[pd.Series, pd.DataFrame]":
    """The listed errors of a kind that a metric reports as well, and the metric's own rows for them.

    ``columns`` are more columns for the rows of the metric, in the order in which it reports them.
    """
    listed = result.map_errors()["polygons"]
    listed = listed.loc[listed["kind"] == kind, ["error_id", "ref_id", "pred_id"]]
    own = result.errors["polygons"]
    of_metric: Bools = ((own["kind"] == kind) & (own["metric"] == metric)).to_numpy()
    rows = own[of_metric].drop(columns=["error_id", "geometry"], errors="ignore").assign(**columns)
    both = listed.merge(rows.drop_duplicates(["ref_id", "pred_id"]), on=["ref_id", "pred_id"], how="inner")
    return both["error_id"], both
