"""LaTeX in which text from data is text and never a command."""

from collections.abc import Iterable, Sequence
from typing import Any

from geoeval.writers.tables import clean_text

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "-": r"{-}", "[": "{[}", "]": "{]}",
}  # fmt: skip
_TABLE = str.maketrans(_ESCAPES)


def latex_text(value: Any) -> str:
    r"""The value as text of a LaTeX table: nothing in it is a command, a comment, a new cell or a new line.

    Examples
    --------
    >>> from geoeval.writers.latex import latex_text
    >>> print(latex_text("50 % of a_b"))
    50 \% of a\_b
    """
    return " ".join(clean_text(value).split()).translate(_TABLE)


def booktabs(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with the rules of booktabs; cells are LaTeX already, the first column text and the others numbers."""
    lines = [
        r"% \usepackage{booktabs,textcomp}",
        rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
        r"\toprule",
        rf"{' & '.join(header)} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"
