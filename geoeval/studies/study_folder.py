"""Write a study to a folder: tables as CSV, the plot as PNG and SVG, and an HTML page."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from geoeval._version import __version__
from geoeval.files import new_directory
from geoeval.writers.pictures import save_figure
from geoeval.writers.tables import write_csv

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.figure import Figure

_STYLE = (
    "body{margin:0 auto;max-width:1100px;padding:1.2rem;font:15px/1.45 system-ui,sans-serif;color:#1c2127;"
    "background:#fff}"
    "table{border-collapse:collapse;margin:.6rem 0}th,td{text-align:left;padding:.25rem .8rem .25rem 0;"
    "border-bottom:1px solid #d9dde2;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}"
    ".wide{overflow-x:auto}"
)


def write_study(
    directory: str | Path,
    *,
    title: str,
    figure: "Figure",
    tables: "Mapping[str, pd.DataFrame]",
    about: str = "",
    shown: tuple[str, ...] = (),
    overwrite: bool = False,
) -> Path:
    """Write a study to a folder, which appears when it is complete.

    Parameters
    ----------
    directory
        The folder to create.
    title, about
        Heading of the page, and a sentence or two below it.
    figure
        The plot, written as ``plot.png`` and ``plot.svg``.
    tables
        Tables by name, each written as ``NAME.csv``.
    shown
        Names of the tables that the page shows.
    overwrite
        Replace the folder if it exists and holds only files that geoeval wrote.

    Raises
    ------
    OutputError
        The folder exists already, or cannot be written.
    """
    with new_directory(directory, overwrite=overwrite) as made:
        for name, table in tables.items():
            write_csv(table, made / f"{name}.csv")
        save_figure(figure, made / "plot.png")
        picture = save_figure(figure, made / "plot.svg").read_text(encoding="utf-8")
        parts = [f"<h2>{escape(name)}</h2>{_html(tables[name])}" for name in shown]
        (made / "page.html").write_text(
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>geoeval: {escape(title)}</title>'
            f'<meta name="generator" content="geoeval {__version__}"><style>{_STYLE}</style></head><body>'
            f"<h1>{escape(title)}</h1><p>{escape(about)}</p>{picture[picture.index('<svg') :]}{''.join(parts)}"
            "</body></html>\n",
            encoding="utf-8",
        )
    return Path(directory)


def _html(table: "pd.DataFrame") -> str:
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in table.columns)
    rows = (
        "".join(f"<td>{escape(_cell(value))}</td>" for value in row) for row in table.itertuples(index=False, name=None)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
