"""A message is one line that can be read, whatever text of a file is in it."""

from hypothesis import given
from hypothesis import strategies as st

from geoeval.exceptions import GeoevalError


@given(st.text(max_size=3000))
def test_a_message_is_one_line_with_its_start_and_its_end(text):
    line = str(GeoevalError(f"the start {text} the end"))
    assert len(line.splitlines()) == 1
    assert len(line) <= 1000
    assert line.startswith("the start ")
    assert line.endswith(" the end")


def test_a_message_of_usual_length_is_kept():
    text = "/" + "/".join(["a" * 100] * 8) + " cannot be read; check the file"
    assert str(GeoevalError(text)) == text
