"""A dict that is filled when somebody looks into it behaves as the dict would."""

import copy
import pickle

import pytest

from geoeval.model.later import LaterDict


def test_it_is_made_once_and_when_looked_at():
    made = []
    later = LaterDict(lambda: made.append(1) or {"a": 1})
    assert made == []
    assert later["a"] == 1
    assert dict(later) == {"a": 1}
    assert made == [1]


def test_joined_with_others_it_is_a_plain_dict():
    later = LaterDict(lambda: {"a": 1, "b": 2})
    assert later | {"b": 3} == {"a": 1, "b": 3}
    assert {"b": 3} | later == {"a": 1, "b": 2}
    assert type(later | {}) is type({} | later) is type(later.copy()) is dict


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_need_no_maker(copied):
    """Before the first look, which makes it, and after."""
    later = LaterDict(lambda: {"a": [1]})
    for _ in range(2):
        own = copied(later)
        assert type(own) is dict
        assert own == {"a": [1]}
        assert (own["a"] is later["a"]) == (copied is copy.copy)
