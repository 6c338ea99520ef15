"""Node-link JSON that is damaged."""

import pytest

from geoeval.exceptions import (
    EmptyInputError,
    UnreadableInputError,
)
from geoeval.readers.graph.node_link import read_node_link
from tests.readers.graph.graph_files import save


@pytest.mark.parametrize(
    ("text", "error", "word"),
    [
        ("{", UnreadableInputError, "JSON"),
        ("[1, 2]", UnreadableInputError, "node-link"),
        ('{"nodes": []}', UnreadableInputError, "node-link"),
        ('{"nodes": [], "links": []}', EmptyInputError, "without any node"),
        ('{"nodes": [{"id": 1}], "links": []}', UnreadableInputError, "node 1 has no place"),
        ('{"nodes": [{"id": 1, "x": NaN, "y": 0}], "links": []}', UnreadableInputError, "nan"),
        ('{"nodes": [{"id": 1, "x": "e", "y": 0}], "links": []}', UnreadableInputError, "no place"),
        ('{"nodes": [{"id": 1, "x": 1, "y": 0}, {"id": 2, "x": 1}], "links": []}', UnreadableInputError, "2"),
        ('{"nodes": [{"id": {}}], "links": []}', UnreadableInputError, "node-link"),
        ('{"nodes": [], "links": [{"source": 1, "target": 2}]}', UnreadableInputError, "not a node"),
        ("[" * 100_000, UnreadableInputError, "JSON"),
    ],
)
def test_damaged_graphs_are_refused_in_one_line(tmp_path, text, error, word):
    with pytest.raises(error, match=word) as caught:
        read_node_link(save(tmp_path, "a.json", text), crs="EPSG:32610")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(tmp_path))
