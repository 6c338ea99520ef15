"""``geoeval info``: what a file holds."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.groups import inputs_of_one, takes, used
from geoeval.cli.guard import guarded
from geoeval.cli.terminal import say_json, say_table

if TYPE_CHECKING:
    from geoeval.model.road_network import RoadNetwork


@guarded
@takes(reading=inputs_of_one("roads"))
def info(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A road network, or osm: and a place name or box in degrees.")
    ],
    *,
    aoi: options.Aoi = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:
    """Say what a road network is: CRS, extent, counts, length, components, problems found."""
    from geoeval.readers.given import read_within

    facts = describe(read_within("roads", file, aoi, **used("roads", reading)))
    if as_json:
        say_json(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    say_table(["", ""], _lines(facts), header=False, bold=[0])


def describe(network: "RoadNetwork") -> dict[str, Any]:
    """The facts that ``info`` gives, as plain values."""
    from geoeval import crs as projections

    local = projections.is_local(network.crs)
    degrees = None
    if not network.is_empty and not local:
        lonlat = projections.to_lonlat(network.nodes, network.crs)
        west, east = projections.longitude_span(lonlat[:, 0])
        degrees = [west, float(lonlat[:, 1].min()), east, float(lonlat[:, 1].max())]
    roads = network.roads
    return {
        "source": network.source,
        "crs": projections.crs_name(network.crs),
        "scale_error": network.scale_error,
        "bounds_m": None if network.is_empty else list(network.bounds),
        "bounds_degrees": degrees,
        "nodes": len(network.nodes),
        "segments": len(network.segments),
        "roads": len(roads),
        "junctions": int((network.degrees >= 3).sum()),
        "dead_ends": int(((network.degrees == 1) & ~network.cut).sum()),
        "cut_ends": int(network.cut.sum()),
        "components": int(network.components.max()) + 1 if not network.is_empty else 0,
        "length_m": network.length,
        "problems": network.problems,
    }


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    error = facts["scale_error"]
    crs = facts["crs"] + ("" if error is None else f", lengths within {100 * error:.3f} % of the ground")
    lines = [("source", facts["source"]), ("measured in", crs)]
    if facts["bounds_m"]:
        minx, miny, maxx, maxy = facts["bounds_m"]
        lines.append(("extent", f"{(maxx - minx) / 1000:.2f} km x {(maxy - miny) / 1000:.2f} km"))
    if facts["bounds_degrees"]:
        lines.append(("degrees", ", ".join(f"{value:.5f}" for value in facts["bounds_degrees"])))
    lines += [
        ("length", f"{facts['length_m'] / 1000:,.3f} km"),
        ("roads", f"{facts['roads']:,} between {facts['junctions']:,} junctions and {facts['dead_ends']:,} dead ends"),
        ("graph", f"{facts['nodes']:,} nodes, {facts['segments']:,} segments, {facts['components']:,} components"),
    ]
    problems = [f"{count:,} {name.replace('_', ' ')}" for name, count in facts["problems"].items()]
    return [*lines, ("problems", "; ".join(problems) or "none found")]
