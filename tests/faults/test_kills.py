"""A short share of the kills (``python -m tests.faults --kills 200``)."""

from tests.faults.kills import kills

TURNS = ("roads -o geojson", "convert .shp", "tiles")


def test_ten_kills_leave_old_or_new_output_and_resumed_runs_are_the_same(tmp_path):
    counts = kills(10, tmp_path, turns=(*TURNS * 3, "tiles, two workers"))
    assert set(counts) <= {"old or new", "absent", "resumed: the same"}, counts
    assert sum(counts.values()) == 10
