"""GraphML, and what is refused in it."""

import itertools

import pytest

from geoeval.exceptions import UnreadableInputError, UnsafeFileError
from geoeval.readers.graph.graphml import read_graphml
from tests.readers.graph.graph_files import save, streets, written

BILLION = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "ha">{}]><graphml>&z;</graphml>'.format(
    "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in itertools.pairwise("abcdefghijklmnopqrstuvwxyz"))
)
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY z SYSTEM "file:///etc/passwd">]><graphml>&z;</graphml>'
PARAMETER = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY % z SYSTEM "file:///etc/passwd"> %z;]><graphml/>'


@pytest.mark.parametrize("text", [BILLION, OUTSIDE, PARAMETER])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_entities_are_refused(tmp_path, text, encoding):
    declared = text.replace('"1.0"', f'"1.0" encoding="{encoding}"')
    with pytest.raises(UnsafeFileError, match="entity"):
        read_graphml(save(tmp_path, "bomb.graphml", declared.encode(encoding)))


def test_doctype_without_entities_is_read(tmp_path):
    path = written(streets(), tmp_path, "graphml")
    text = path.read_text()
    path.write_text(text.replace("<graphml", "<!DOCTYPE graphml>\n<graphml", 1))
    assert len(read_graphml(path).roads) == 4


@pytest.mark.parametrize(("text", "word"), [("<graphml>", "XML"), ("", "XML"), ("<html></html>", "GraphML")])
def test_damaged_graphs_are_refused_in_one_line(tmp_path, text, word):
    with pytest.raises(UnreadableInputError, match=word) as caught:
        read_graphml(save(tmp_path, "a.graphml", text), crs="EPSG:32610")
    assert "\n" not in str(caught.value)
