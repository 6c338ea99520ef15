"""Scores of roads as judged: both maps without what was rejected, evaluated again.

What only one of the maps has at a rejected error is taken away from it, and where both have something, the prediction
gets what the reference has (``geoeval.roads.mending.taking_out``). So a rejected error is in no metric any more, and
everything else is scored as before.
"""

from collections import Counter
from collections.abc import Collection

import numpy as np

from geoeval.model.scores import ScoreValue
from geoeval.reviewing.kept_maps import kept_result
from geoeval.reviewing.run_database import RunDatabase
from geoeval.roads.edit_plan import expected_edits
from geoeval.roads.evaluate import evaluate_roads
from geoeval.roads.mending.taking_out import take_out
from geoeval.roads.registry import METRICS

Scores = dict[str, dict[str, ScoreValue]]
_NO_EDIT = "nothing of either map belongs to it alone"
_OTHER = "is no metric that can be measured again on the two maps of this file"


def scores_without(run: RunDatabase, rejected: Collection[str]) -> tuple[Scores, dict[str, str]]:
    """The scores of a road run without some errors, by their ids, and what has to be said of them.

    Takes as long as the metrics of the run took. Metrics that the registry of roads does not have, such as those of a
    protocol, have no score, and a reason.
    """
    result = kept_result(run)
    edits, patches = expected_edits(result)
    frames = result.map_errors()
    names = [frames[layer]["error_id"].iloc[row] for layer, row in zip(edits["layer"], edits["row"], strict=True)]
    chosen = np.array([name in rejected for name in names], dtype=bool)
    known = [name for name in result.scores if name in METRICS]
    again, notes = {}, dict.fromkeys((name for name in result.scores if name not in known), _OTHER)
    if patches is not None and known:
        found = evaluate_roads(
            *take_out(patches, chosen), metrics=known, seed=result.seed,
            parameters={name: values for name, values in result.parameters.items() if name in known},
        )  # fmt: skip
        again = found.scores
        notes |= {name: text for name, text in found.notes.items() if name.partition(".")[0] in known}
    staying = Counter(row["kind"] for name in set(rejected) - set(names) if (row := run.error(name)) is not None)
    if staying:
        some = ", ".join(f"{count} {kind}" for kind, count in sorted(staying.items()))
        notes["rejected"] = f"still counted although rejected: {some}; {_NO_EDIT}"
    return {name: again.get(name, dict.fromkeys(own)) for name, own in result.scores.items()}, notes
