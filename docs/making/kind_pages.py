"""The page of error kinds: what each means, what to do about it, and how it looks."""

from collections.abc import Iterator
from functools import cache

from geoeval.contents import CONTENTS
from geoeval.model.error_kinds import KINDS, ErrorKind
from making.texts import code, table
from making.worlds import cases, evaluated

_PAGE = "errors.md"
_HEAD = """# Kinds of errors

One row an error, with the same columns in every layer: `kind`, `metric`, `ref_id` and `pred_id` (the ids of your
features), `length_m`, `dist_m`, `severity` (0 to 1), `note`; for roads also `confidence`, `gain`, `effort_s` and
`rank`. Each place has one error, of its cause. The colours can be told apart with any common colour blindness.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of the page."""
    parts = [_HEAD]
    for content in CONTENTS:
        kinds = [kind for kind in KINDS.values() if any(layer.content == content for layer in kind.layers)]
        parts += [f"## In {content}\n", table(["", "kind", "layer", "what it means", "what to do"], map(_row, kinds))]
    others = [kind for kind in KINDS.values() if not kind.layers]
    parts += [
        "## Of published protocols\n",
        table(["", "kind", "layer", "what it means", "what to do"], map(_row, others)),
    ]
    yield _PAGE, "\n".join(parts)


def _row(kind: ErrorKind) -> list[str]:
    swatch = f'<span class="swatch" style="background:{kind.colour}"></span>'
    return [swatch, code(kind.name), code(kind.layer or kind.name), kind.about, kind.instruction]


@cache
def case_of(content: str, kind: str) -> str | None:
    """The tiny map that shows an error of this kind; ``None`` where none does."""
    for case in cases(content):
        if len(evaluated(content, case, "all").errors_of(kind)):
            return case
    return None
