"""Polygons on pixels against GEOS point by point, depths against all pixels outside, scores against POT."""

import numpy as np
import ot
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from geoeval.model.rings import rings_of
from geoeval.objects.mallows import scores_of_polygons
from geoeval.objects.pixel_shapes import add_depths, fill_mask


def mask_of(polygon, low_x, low_y, cell, shape):
    rings = rings_of(np.array([polygon], dtype=object))
    mask = np.ones(shape, dtype=bool)  # whatever was there before
    assert fill_mask(rings.xy, rings.begin, low_x, low_y, cell, mask) == mask.sum()
    return mask


def slow_mask(polygon, low_x, low_y, cell, shape):
    """Each centre in turn, by GEOS."""
    return np.array(
        [
            [shapely.contains_xy(polygon, low_x + (c + 0.5) * cell, low_y + (r + 0.5) * cell) for c in range(shape[1])]
            for r in range(shape[0])
        ]
    ).reshape(shape)


@settings(max_examples=200)
@given(st.integers(0, 2**31), st.sampled_from([0.0, 4_649_776.22]), st.sampled_from([1.0, 0.6, 0.1]))
def test_pixels_are_those_that_geos_finds(seed, far, cell):
    """Corners in the centres of pixels and on the lines between them, holes, several parts; far from the origin too."""
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 12, (rng.integers(3, 9), 2)) / rng.choice([1, 2])
    drawn = shapely.make_valid(shapely.Polygon(far + cell * corners))
    drawn = drawn.difference(shapely.box(*(far + cell * np.array([3.5, 3.5, 6, 6.5]))))
    parts = [part for part in shapely.get_parts([drawn]) if part.geom_type == "Polygon"]
    polygon = shapely.MultiPolygon(parts)
    if not polygon.is_valid:
        return
    given_grid = (far, far, cell, (12, 12))
    assert (mask_of(polygon, *given_grid) == slow_mask(polygon, *given_grid)).all()


def test_a_centre_on_the_outline_is_outside():
    diamond = shapely.Polygon([(0.5, 2.5), (2.5, 0.5), (4.5, 2.5), (2.5, 4.5)])
    assert mask_of(diamond, 0, 0, 1, (5, 5)).sum() == 5  # the middle and its four neighbours; eight are on the outline


def test_centres_next_to_a_side_are_decided_exactly():
    """Centres a few steps of floats beside the line y = x, where rounded products do not know the side."""
    step = 2.0**-53
    triangle = shapely.Polygon([(-12, -12), (24, -12), (24, 24)])
    for i, j in np.ndindex(12, 12):
        assert mask_of(triangle, i * step, j * step, 1.0, (1, 1)).item() == (0.5 + i * step > 0.5 + j * step)


@given(st.integers(0, 2**31), st.integers(1, 9), st.integers(1, 9), st.floats(0.3, 1))
def test_depths_are_the_distances_to_the_nearest_pixel_outside(seed, rows, columns, share):
    mask = np.random.default_rng(seed).random((rows, columns)) < share
    depth = np.full((rows, columns), 2.0)
    add_depths(mask, depth)
    outside = np.argwhere(~np.pad(mask, 1)) - 1
    for place in np.ndindex(rows, columns):
        expected = cdist([place], outside).min() if mask[place] else 0.0
        assert depth[place] == 2.0 + expected


def slow_score(refs, preds, cell):
    """The definition, with the masks of GEOS and all of both distributions moved by POT."""
    low_x, low_y, high_x, high_y = shapely.total_bounds([*refs, *preds])
    shape = (round((high_y - low_y) / cell + 0.499999), round((high_x - low_x) / cell + 0.499999))
    sides = []
    for side in (refs, preds):
        weight = np.zeros(shape)
        for one in side:
            mask = slow_mask(one, low_x, low_y, cell, shape)
            if not mask.any():
                x, y = shapely.get_coordinates(shapely.point_on_surface(one))[0]
                mask[int((y - low_y) / cell), int((x - low_x) / cell)] = True
            inside, outside = np.argwhere(mask), np.argwhere(~np.pad(mask, 1)) - 1
            weight[tuple(inside.T)] += cdist(inside, outside).min(axis=1)
        sides.append((np.argwhere(weight > 0), weight[weight > 0] / weight.sum()))
    (u, have), (v, want) = sides
    distance = cdist(u, v)
    return 1 - ot.emd2(have, want, distance, numItermax=10**7) / distance.max()


def house(rng, x, y):
    """A turned L or a turned box of about ten metres, off the grid."""
    w, d = rng.uniform(8, 14, 2)
    drawn = shapely.box(0, 0, w, d)
    if rng.random() < 0.5:
        drawn = drawn.difference(shapely.box(w / 2, d / 2, w, d))
    return shapely.affinity.translate(shapely.affinity.rotate(drawn, rng.uniform(0, 90)), x, y)


def test_scores_of_polygons_agree_with_the_definition():
    """One to one, one to many, many to one, and an object that contains no centre of a pixel."""
    rng = np.random.default_rng(7)
    matches = [([house(rng, 0, 0)], [house(rng, *rng.normal(0, 1.5, 2))]) for _ in range(12)]
    matches.append(([house(rng, 0, 0), house(rng, 15, 0)], [shapely.box(-1, -1, 26, 11)]))
    matches.append(([shapely.box(0, 0, 20, 8)], [shapely.box(0, 0, 8, 8), shapely.box(9.5, 1, 21, 8)]))
    matches.append(([shapely.Polygon([(0, 0), (9, 8.9), (9, 9)])], [shapely.box(0, 0, 9, 9)]))
    polygons = np.array([one for match in matches for side in match for one in side], dtype=object)
    refs, preds = (np.array([len(match[side]) for match in matches]) for side in (0, 1))
    start = np.concatenate([[0], np.cumsum(refs + preds)])
    found, coarser = scores_of_polygons(polygons, start, start[:-1] + refs, 1.0, 1, 2500)
    assert found == pytest.approx([slow_score(*match, 1.0) for match in matches], abs=1e-9)
    assert not coarser.any()


def test_large_and_small_matches_have_other_pixels():
    polygons = np.array([shapely.box(0, 0, 40, 40), shapely.box(0, 0, 40, 50)] * 2 + [shapely.box(0, 0, 2, 3)] * 2)
    polygons[2:4] = shapely.transform(polygons[2:4], lambda xy: xy * 10)
    scores, coarser = scores_of_polygons(polygons, np.array([0, 2, 4, 6]), np.array([1, 3, 5]), 1.0, 8, 2500)
    assert coarser.tolist() == [False, True, False]
    # On as many pixels, ten times as large, the same shapes score the same; 50 pixels across are 2,500 of the larger.
    assert scores[1] == pytest.approx(slow_score(polygons[2:3], polygons[3:4], np.sqrt(200_000 / 2500)), abs=1e-9)
    assert scores[2] == 1
