"""Maps do not change once they are made, nor do their copies."""

import copy
import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import shapely

from geoeval import Drawing, ObjectMap, RoadNetwork
from geoeval.model.courses import arc, bar
from geoeval.model.immutable import Counts
from tests.networks import TEE, network


def maps():
    return {
        "network": network([*TEE, TEE[0]], source="a.gpkg"),
        "objects": ObjectMap(
            [shapely.box(0, 0, 10, 10), shapely.box(5, 5, 20, 20), shapely.Polygon()],
            crs="EPSG:32610", confidence=[0.5, 0.7, 0.1], source="a.gpkg",
        ),
        "labels": ObjectMap.from_labels(np.array([[1, 1, 0], [0, 2, 2]]), source="a.gpkg"),
        "drawing": Drawing([bar((0, 0), (9, 0)), arc((0, 0), 5), bar((1, 1), (1, 1))], source="a.gpkg"),
    }  # fmt: skip


CACHED = {
    "network": ["segment_lengths", "degrees", "features", "adjacency", "roads", "components", "lines", "tree"],
    "objects": ["areas", "centroids", "overlapping"],
    "labels": ["areas", "centroids", "overlapping"],
    "drawing": ["middles"],
}
names = pytest.mark.parametrize("name", list(CACHED))


def with_caches(name):
    one = maps()[name]
    for cached in CACHED[name]:
        getattr(one, cached)
    return one


def arrays_in(value, path=""):
    """Every array that can be reached from a value, by its path."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from arrays_in(item, f"{path}[{number}]")
    elif hasattr(value, "__dict__") and type(value).__module__.startswith("geoeval"):
        for key, item in vars(value).items():
            yield from arrays_in(item, f"{path}.{key}")


@names
def test_no_attribute_can_be_set_or_deleted(name):
    one = maps()[name]
    for attribute in [*vars(one), *CACHED[name], "something_new"]:
        with pytest.raises(
            AttributeError, match=f"cannot set '{attribute}': {type(one).__name__} objects are immutable"
        ):
            setattr(one, attribute, None)
    with pytest.raises(AttributeError, match="cannot delete 'source'"):
        del one.source
    with pytest.raises(AttributeError, match=r"use with_source\(\)"):
        one.source = "elsewhere"


def in_another_process(one):
    return sorted(path for path, array in arrays_in(one) if array.flags.writeable), one


@names
@pytest.mark.parametrize("copied", ["not", "copied", "deeply", "pickled"])
def test_every_array_is_read_only(name, copied):
    one = with_caches(name)
    how = {"copied": copy.copy, "deeply": copy.deepcopy, "pickled": lambda it: pickle.loads(pickle.dumps(it))}
    again = how.get(copied, lambda it: it)(one)
    found = dict(arrays_in(again))
    assert len(found) >= 4
    assert [path for path, array in found.items() if array.flags.writeable] == []
    assert set(vars(again)) == set(vars(one))
    for path, array in arrays_in(one):
        assert np.array_equal(found[path], array)


def test_a_worker_process_gets_the_same_map():
    one = with_caches("network")
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        writable, again = pool.submit(in_another_process, one).result()
    assert writable == []
    assert np.array_equal(again.nodes, one.nodes)
    assert again.problems == one.problems
    with pytest.raises(AttributeError):
        again.crs = None


@names
def test_the_input_s_own_arrays_stay_writable(name):
    given = {
        "network": (np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0, 1]])),
        "objects": (np.array([shapely.box(0, 0, 1, 1)], dtype=object),),
        "labels": (np.array([[1, 0]]),),
        "drawing": ([bar((0, 0), (1, 0))],),
    }[name]
    makers = {"network": RoadNetwork, "objects": ObjectMap, "labels": ObjectMap.from_labels, "drawing": Drawing}
    makers[name](*given)
    assert all(array.flags.writeable for array in given if isinstance(array, np.ndarray))


@names
def test_problems_are_read_only_and_nobody_else_s(name):
    given = {"not_lines": 2}
    options = {"problems": given}
    one = {
        "network": lambda: RoadNetwork([(0, 0), (1, 0)], [(0, 1)], **options),
        "objects": lambda: ObjectMap([shapely.box(0, 0, 1, 1)], **options),
        "labels": lambda: ObjectMap.from_labels(np.array([[1]]), **options),
        "drawing": lambda: Drawing([bar((0, 0), (1, 0))], **options),
    }[name]()
    given["not_lines"] = 99
    assert one.problems == {"not_lines": 2}
    with pytest.raises(TypeError, match=r"read-only; copy them with dict\(\)"):
        one.problems["not_lines"] = 3
    # A copy is an ordinary dict, and so is a union.
    assert dict(one.problems) | {"more": 1} == one.problems | {"more": 1} == {"not_lines": 2, "more": 1}
    assert json.dumps(one.problems) == '{"not_lines": 2}'


def test_counts_refuse_every_change():
    counts = Counts(a=1)
    changes = [
        counts.clear,
        counts.popitem,
        lambda: counts.pop("a"),
        lambda: counts.update(b=2),
        lambda: counts.setdefault("b"),
        lambda: counts.__delitem__("a"),
        lambda: counts.__ior__({"b": 2}),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="read-only"):
            change()
    assert counts == {"a": 1}
    again = pickle.loads(pickle.dumps(counts))
    assert again == counts
    assert type(again) is Counts


@names
def test_with_source_shares_everything_else(name):
    one = with_caches(name)
    other = one.with_source("b.gpkg")
    assert (one.source, other.source) == ("a.gpkg", "b.gpkg")
    assert type(other) is type(one)
    assert all(vars(other)[key] is value for key, value in vars(one).items() if key != "source")


def test_taken_objects_are_immutable_too():
    one = maps()["objects"]
    assert len(one.overlapping) == 1
    taken = one.take([1])
    with pytest.raises(AttributeError, match="ObjectMap objects are immutable"):
        taken.crs = None
    assert [path for path, array in arrays_in(taken) if array.flags.writeable] == []
    assert taken.problems == one.problems
