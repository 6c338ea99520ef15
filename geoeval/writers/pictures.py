"""Figures as picture files: the same figure gives the same bytes."""

from pathlib import Path
from typing import TYPE_CHECKING

from geoeval.exceptions import MissingExtraError
from geoeval.files import check_output, new_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_matplotlib() -> None:
    """Raise ``MissingExtraError`` where matplotlib is not installed."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        raise MissingExtraError('a plot needs matplotlib; pip install "geoeval[plot]"') from error


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of this size in inches; ``MissingExtraError`` without matplotlib."""
    check_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: "Figure", path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a figure; the suffix chooses the kind of picture."""
    import warnings

    from matplotlib import rc_context

    final = check_output(path, "pictures", overwrite=overwrite)
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(final.suffix.lower())
    fixed = rc_context({"svg.hashsalt": "geoeval"})
    with new_file(final, overwrite=overwrite) as unfinished, fixed, warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes, which everyone sees.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(unfinished, dpi=150, metadata=undated)
    return final
