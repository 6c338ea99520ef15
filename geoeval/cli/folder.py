"""What the studies share: the folder they write, and the table they print."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geoeval.cli.terminal import say, say_frame

if TYPE_CHECKING:
    import pandas as pd

Folder = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="DIR", help="Folder for tables (CSV), plot (PNG, SVG) and page (HTML)."),
]


def check_folder(output: Path | None, *, overwrite: bool) -> None:
    """Refuse, before any work, to write over what is there or to draw without the means."""
    from geoeval.files import check_directory
    from geoeval.writers.pictures import new_figure

    if output is not None:
        check_directory(output, overwrite=overwrite)
        new_figure(1, 1)


def print_table(table: "pd.DataFrame", output: Path | None) -> None:
    """Print a table, and where its page is."""
    say_frame(table)
    if output is not None:
        say(f"page (open in a browser): {output / 'page.html'}")
