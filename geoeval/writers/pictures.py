"""Figures as picture files: the same figure gives the same bytes."""

from pathlib import Path
from typing import TYPE_CHECKING

from geoeval.exceptions import MissingExtraError, OutputError
from geoeval.writers.aside import new_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of this size in inches, or an error that names the extra that is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError('a plot needs matplotlib; pip install "geoeval[plot]"') from error
    return Figure(figsize=(width, height), layout="constrained")


def check_picture(path: Path) -> Path:
    """The path, or an ``OutputError`` where no picture of its kind can be written."""
    if path.suffix.lower() not in SUFFIXES:
        raise OutputError(f"{path.name}: no picture of this kind can be written; use {', '.join(SUFFIXES)}")
    return path


def save_figure(figure: "Figure", path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a figure, aside and renamed; the suffix says as which kind of picture."""
    import warnings

    from matplotlib import rc_context

    final = check_picture(Path(path))
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(final.suffix.lower())
    fixed = rc_context({"svg.hashsalt": "geoeval"})
    with new_file(final, overwrite=overwrite) as aside, fixed, warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes, which everyone sees.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(aside, dpi=150, metadata=undated)
    return final
