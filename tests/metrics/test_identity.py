"""A map against itself is right in every metric, also where roads and objects lie on each other."""

import numpy as np
import pytest
import shapely
from hypothesis import example, given, settings
from hypothesis import strategies as st

from geoeval import Drawing, ObjectMap
from geoeval.metrics.registry import registry_of
from geoeval.model.courses import bar
from tests.networks import network

# Of a metric and a score, why the published definition forbids that it is right; none does.
FORBIDDEN: dict[tuple[str, str], str] = {}
KINDS = ("roads", "objects", "lines")
HALF_SHARED = [((0, 0), (4, 0)), ((1, 0), (5, 0)), ((2, 0), (2, 3))]
CROSSING = [((0, 0), (4, 4)), ((4, 0), (0, 4)), ((2, 2), (6, 6)), ((1, 1), (3, 3))]
INSIDE = [((0, 0), (4, 0)), ((0, 0), (2, 0)), ((1, 0), (2, 0)), ((0, 0), (4, 0))]
PLACES = st.tuples(st.integers(0, 5), st.integers(0, 5))
PAIRS = st.lists(st.tuples(PLACES, PLACES).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=7)
PARAMETERS = {
    "tlts": {"pairs": 60}, "opt-p": {"decompositions": 2}, "subg": {"starts": 20}, "opt-g": {"starts": 20},
}  # fmt: skip


def made(kind, pairs, turn=0.0, corner=(0.0, 0.0)):
    """A map from pairs of places on a lattice: roads and lines between them, boxes spanned by them."""
    cosine, sine = np.cos(turn), np.sin(turn)

    def at(place):
        x, y = 40.0 * place[0], 40.0 * place[1]
        return (corner[0] + cosine * x - sine * y, corner[1] + sine * x + cosine * y)

    if kind == "roads":
        return network([[at(a), at(b)] for a, b in pairs])
    if kind == "lines":
        return Drawing([bar(at(a), at(b)) for a, b in pairs], width=8)
    boxes = [shapely.box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]) + 1, max(a[1], b[1]) + 1) for a, b in pairs]
    return ObjectMap.from_polygons(
        [shapely.Polygon([at(place) for place in one.exterior.coords]) for one in boxes], crs="EPSG:32610"
    )


def wrong_scores(kind, content):
    """Every score of every metric that does not say that the map is itself."""
    found = {}
    for name, metric in registry_of(kind).metrics.items():
        scores = metric.function(content, content, **PARAMETERS.get(name, {})).scores
        for score in metric.scores:
            value = scores.get(score.name)
            right = 1 if score.better == "higher" else 0
            told = value is not None and (score.better == "lower" or (score.better, score.range) == ("higher", (0, 1)))
            if told and value != right and (name, score.name) not in FORBIDDEN:
                found[name, score.name] = value
    return found


@pytest.mark.parametrize("kind", KINDS)
@example(HALF_SHARED, 0.0)
@example(CROSSING, 0.0)
@example(INSIDE, 0.3)
@settings(max_examples=25, deadline=None)
@given(pairs=PAIRS, turn=st.floats(0, 3))
def test_a_map_is_itself(kind, pairs, turn):
    assert wrong_scores(kind, made(kind, pairs, turn, (500_000.0, 5_000_000.0))) == {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pairs", [HALF_SHARED, CROSSING, INSIDE, HALF_SHARED * 2], ids=str)
def test_features_that_lie_on_each_other(kind, pairs):
    assert wrong_scores(kind, made(kind, pairs)) == {}


@settings(max_examples=40, deadline=None)
@given(PAIRS, PAIRS)
def test_no_share_is_above_1(one, other):
    """Whatever overlaps, and against another map."""
    maps = made("objects", one), made("objects", other)
    for name, metric in registry_of("objects").metrics.items():
        scores = metric.function(*maps).scores
        for score in metric.scores:
            if score.range == (0, 1) and scores.get(score.name) is not None:
                assert 0 <= scores[score.name] <= 1, (name, score.name)


@settings(max_examples=40, deadline=None)
@given(PAIRS, PAIRS)
def test_the_union_of_bgm_is_that_of_a_raster(one, other):
    """Each square of the lattice as often as both maps cover it, once if only one does, however often."""
    from geoeval.objects.bgm import bgm

    maps = [made("objects", pairs) for pairs in (one, other)]
    covers = []
    for pairs in (one, other):
        cover = np.zeros((8, 8))
        for a, b in pairs:
            cover[min(a[0], b[0]) : max(a[0], b[0]) + 1, min(a[1], b[1]) : max(a[1], b[1]) + 1] += 1
        covers.append(cover)
    often = np.where((covers[0] + covers[1]) > 0, np.maximum(np.minimum(*covers), 1), 0)
    assert bgm(*maps).counts["union"] == pytest.approx(1600 * often.sum())


@pytest.mark.parametrize("share", [0.5, 0.55, 0.6, 0.75, 0.8, 0.9])
@pytest.mark.parametrize("corner", [(0.0, 0.0), (500_000.0, 5_000_000.0)])
def test_an_iou_at_exactly_the_threshold_survives_turning(share, corner):
    metrics = registry_of("objects").metrics

    def scores(turn):
        cosine, sine = np.cos(turn), np.sin(turn)

        def turned(width):
            corners = np.array([(0, 0), (width, 0), (width, 10), (0, 10)], dtype=float)
            return shapely.Polygon(corners @ np.array([[cosine, sine], [-sine, cosine]]) + corner)

        maps = [ObjectMap.from_polygons([turned(width)], crs="EPSG:32610") for width in (20.0, 20.0 * share)]
        ap = metrics["ap"].function(*maps).scores
        return (
            metrics["iou"].function(*maps, threshold=share).scores["f1"],
            metrics["polis"].function(*maps, threshold=share).scores["matched"],
            metrics["hoover"].function(*maps, threshold=max(share, 0.55)).scores["correct"],
            round(ap["ap"], 6),
            len(metrics["max-overlap"].function(*maps, boundary=share).errors.geometries),
        )

    flat = scores(0.0)
    assert flat[:2] == (1, 1)
    assert {scores(turn) for turn in np.linspace(0, 6.28, 40)} == {flat}
