"""``geoeval convert``: any readable network into any writable one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.groups import inputs_of_one, takes, used
from geoeval.cli.guard import guarded
from geoeval.cli.terminal import say


@guarded
@takes(reading=inputs_of_one("roads"))
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A road network of any readable kind.")],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="The file to write: .shp, .gpkg, .geojson, .fgb, .parquet, .graph, .graphml or .json."
        ),
    ],
    *,
    crs: options.TargetCrs = "auto",
    aoi: options.Aoi = None,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:
    """Read a road network, and write it in another format and CRS; what was lost or mended is said."""
    from geoeval.readers.given import read_within
    from geoeval.writers.network_files import check_network_file, write_network

    check_network_file(target, overwrite=overwrite)
    network = read_within("roads", source, aoi, **used("roads", reading))
    write_network(network, target, crs=None if crs == "auto" else crs, overwrite=overwrite)
    problems = "; ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in network.problems.items())
    say(
        f"{target}: {network.length / 1000:,.3f} km, {len(network.roads):,} roads"
        + (f" (found: {problems})" if problems else "")
    )
