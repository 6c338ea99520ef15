"""``geoeval convert``: any readable network into any writable one."""

from pathlib import Path
from typing import Annotated

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded


@guarded
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
    input_crs: options.InputCrs = None,
    layer: options.Layer = None,
    pixel_size: options.PixelSize = None,
    network_type: options.NetworkType = "drive",
    aoi: options.Aoi = None,
    node: options.Node = options.NodeChoice.ends,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Read a road network, and write it in another format and CRS; what was lost or mended is said."""
    from geoeval.cli.inputs import read_input
    from geoeval.writers.network import write_network

    network = read_input(
        source, crs=input_crs, layer=layer, pixel_size=pixel_size, network_type=network_type, aoi=aoi, node=node
    )
    write_network(network, target, crs=None if crs == "auto" else crs, overwrite=overwrite)
    problems = "; ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in network.problems.items())
    typer.echo(
        f"{target}: {network.length / 1000:,.3f} km, {len(network.roads):,} roads"
        + (f" (found: {problems})" if problems else "")
    )
