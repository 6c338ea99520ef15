"""The page of error kinds: what each means, what to do about it, and how it looks on a tiny map."""

from collections.abc import Iterator
from io import StringIO

import matplotlib as mpl
from matplotlib.figure import Figure

from geoeval.contents import CONTENTS
from geoeval.model.error_kinds import KINDS, ErrorKind
from making.examples import draw_maps, mark
from making.texts import code, table
from making.worlds import kind_example

_HEAD = """# Kinds of errors

One row an error, with the same columns in every layer: `kind`, `metric`, `ref_id` and `pred_id` (the ids of your
features), `length_m`, `dist_m`, `severity` (0 to 1), `note`; for roads also `confidence`, `gain`, `effort_s` and
`rank`. Each place has one error, of its cause. The colours can be told apart with any common colour blindness.

In the pictures grey is the reference, the thin line the prediction, and the error is drawn in its colour.
"""
_COLUMNS = ("", "kind", "layer", "what it means", "what to do")


def pages() -> Iterator[tuple[str, str]]:
    """Path and content of the page and its pictures."""
    parts = [_HEAD]
    for content in CONTENTS:
        kinds = [kind for kind in KINDS.values() if any(layer.content == content for layer in kind.layers)]
        pictures = {kind.name: picture for kind in kinds if (picture := _picture(content, kind))}
        yield from ((f"errors/{content}-{name}.svg", picture) for name, picture in pictures.items())
        rows = [_row(kind, f"errors/{content}-{kind.name}.svg" if kind.name in pictures else "") for kind in kinds]
        parts += [f"## In {content}\n", table(_COLUMNS, rows)]
    others = [_row(kind, "") for kind in KINDS.values() if not kind.layers]
    parts += ["## Of published protocols\n", table(_COLUMNS, others)]
    yield "errors.md", "\n".join(parts)


def _row(kind: ErrorKind, picture: str) -> list[str]:
    swatch = f'<span class="swatch" style="background:{kind.colour}"></span>'
    shown = f"{swatch} ![{kind.label} on a tiny map]({picture})" if picture else swatch
    return [shown, code(kind.name), code(kind.layer or kind.name), kind.about, kind.instruction]


def _picture(content: str, kind: ErrorKind) -> str:
    """A tiny map with an error of this kind as SVG; empty where the tiny maps have none."""
    example = kind_example(content, kind.name)
    if example is None:
        return ""
    reference, prediction, errors = example
    with mpl.rc_context({"svg.hashsalt": "geoeval"}):
        figure = Figure(figsize=(1.9, 1.2), layout="constrained")
        axes = figure.subplots()
        draw_maps(axes, content, reference, prediction)
        mark(axes, errors, kind)
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
