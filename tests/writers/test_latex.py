"""Text from data in LaTeX is text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from geoeval.writers.latex import booktabs, latex_text

# What TeX gives a meaning: outside of the commands that the escape itself writes, none may be left.
_WRITTEN = re.compile(r"\\text[a-z]+\{\}|\\[{}$&%#_]|\{-\}|\{\[\}|\{\]\}")


@given(st.text(max_size=60))
def test_nothing_in_a_text_is_a_command(text):
    left = _WRITTEN.sub("", latex_text(text))
    assert not set(left) & set("\\{}$&%#_~^<>|\"`'-[]\n\r\t")


def test_known_texts():
    assert latex_text(r"\input{/etc/passwd}") == r"\textbackslash{}input\{/etc/passwd\}"
    assert latex_text("a & b \\\\ 50 %\nnext") == r"a \& b \textbackslash{}\textbackslash{} 50 \% next"
    assert latex_text("U-Net [1]") == r"U{-}Net {[}1{]}"
    assert latex_text(0.5) == "0.5"


def test_a_table():
    text = booktabs(["method", "f1"], [["a", "0.5"], ["b", "0.7"]])
    lines = text.splitlines()
    assert lines[1] == r"\begin{tabular}{lr}"
    assert [line for line in lines if line.endswith(r"\\")] == [r"method & f1 \\", r"a & 0.5 \\", r"b & 0.7 \\"]
    assert lines[-1] == r"\end{tabular}"
