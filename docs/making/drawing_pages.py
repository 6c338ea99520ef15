"""The pictures of what each metric counts: a drawing, and the formula beside it."""

from collections.abc import Iterator

from making.drawings import SKETCHES, drawn, written

_LANGUAGE = (
    "Thick grey is the reference and thin dark the prediction. Green counts as right, orange is lost, blue is how far "
    "the metric looks. The scores of this map follow from the drawing; the tests compare them with the metric's."
)


def pages() -> Iterator[tuple[str, str]]:
    """Path and content of each picture."""
    for content, sketches in SKETCHES.items():
        for name, sketch in sketches.items():
            yield f"metrics/{content}-{name}-drawing.svg", drawn(sketch())
            yield f"metrics/{content}-{name}-formula.svg", written(sketch())


def counted(content: str, name: str) -> str:
    """The part of a metric's page with its drawing; empty for a metric that nobody has drawn."""
    if name not in SKETCHES[content]:
        return ""
    about = SKETCHES[content][name].__doc__
    return (
        "## What it counts\n\n:::{container} counted\n"
        f"![{about}]({content}-{name}-drawing.svg)\n![The formula of {name}]({content}-{name}-formula.svg)\n:::\n\n"
        f"{_LANGUAGE}\n"
    )
