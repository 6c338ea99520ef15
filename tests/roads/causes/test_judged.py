"""Errors of real maps that a person looked at in pictures of both maps: they stay listed, and most are agreed with.

``judged.csv`` has for each listed error the pair of maps, the kind, the middle in metres of the evaluation's CRS, and
whether the person agreed that it is an error of that kind.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import shapely

from geoeval import evaluate
from tests.conftest import DATA

ROADS = DATA / "roads"
PAIRS = {
    "dc": ("dc/DcGisRoads.osm", "dc/DcTigerRoads.osm"),
    "apa": ("apalachicola_original.gpkg", "apalachicola_simplified_standard.gpkg"),
    **{f"v{chip}": (f"vegas/img{chip}_spacenetroads.geojson", f"vegas/img{chip}_osm.geojson")
       for chip in (99, 990, 991, 995)},
}  # fmt: skip
JUDGED = pd.read_csv(Path(__file__).with_name("judged.csv"))
# How far, in metres, the middle of an error may move and still be the same.
SAME = 15.0


def test_at_least_85_of_100_of_each_kind_are_agreed_with():
    share = (JUDGED["agreed"] == "yes").groupby(JUDGED["kind"]).mean()
    assert (share >= 0.85).all()
    assert (JUDGED["agreed"] == "yes").mean() >= 0.9


@pytest.mark.parametrize("name", PAIRS)
def test_the_list_is_still_the_judged_one(name):
    reference, prediction = (ROADS / path for path in PAIRS[name])
    if not (reference.exists() and prediction.exists()):
        pytest.skip("the real maps are not beside the project")
    result = evaluate(reference, prediction, metrics="ccq,opt-j", aoi="all")
    rows = [(row["kind"], shapely.centroid(row["geometry"])) for frame in result.map_errors().values()
            for row in frame.to_dict("records") if row["kind"] != "duplicate"]  # fmt: skip
    judged = JUDGED[JUDGED["pair"] == name]
    known = Counter()
    for kind, place in rows:
        same = judged[judged["kind"] == kind]
        far = np.hypot(same["x"] - place.x, same["y"] - place.y)
        known[kind, bool((far[same["agreed"] == "yes"] <= SAME).any())] += 1
    for kind in {kind for kind, _ in rows}:
        assert known[kind, True] >= 0.85 * (known[kind, True] + known[kind, False])
    assert len(rows) >= 0.95 * (judged["agreed"] == "yes").sum()
