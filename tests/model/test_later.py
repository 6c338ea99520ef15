"""A dict that is filled when somebody looks into it behaves as the dict would."""

import copy
import pickle

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


def test_copies_need_no_maker():
    later = LaterDict(lambda: {"a": 1})
    assert pickle.loads(pickle.dumps(later)) == copy.copy(later) == {"a": 1}
