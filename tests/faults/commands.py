"""Every command that writes, on small maps of its own."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.readers.osm.osm_files import node, way, xml

METRICS = "ccq,opt-j"


def town(seed: int, size: int = 10) -> str:
    """A grid of streets with gaps, as OpenStreetMap XML."""
    rng = Random(seed)
    nodes = [node(1 + 10 * i + j, 8.6 + i / 500, 49.4 + j / 700) for i in range(size) for j in range(size)]
    ways = [way(200 + 10 * i + j, [1 + 10 * i + j, 2 + 10 * i + j], {"highway": "residential"})
            for i in range(size) for j in range(size - 1) if rng.random() < 0.9]  # fmt: skip
    ways += [way(400 + 10 * i + j, [1 + 10 * i + j, 11 + 10 * i + j], {"highway": "residential"})
             for i in range(size - 1) for j in range(size) if rng.random() < 0.9]  # fmt: skip
    return xml(*nodes, *ways)


def houses(seed: int) -> str:
    """Rows of houses, some of them left out, as GeoJSON."""
    rng = Random(seed)
    places = [(8.6 + i / 2000, 49.4 + j / 3000) for i in range(5) for j in range(5) if rng.random() < 0.8]
    rings = [[[x, y], [x + 1e-4, y], [x + 1e-4, y + 1e-4], [x, y + 1e-4], [x, y]] for x, y in places]
    features = [
        {
            "type": "Feature",
            "properties": {"use": "barn" if ring[0][0] > 8.6008 else "house"},
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }
        for ring in rings
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


@dataclass(frozen=True)
class Maps:
    """Small inputs in a folder: two towns and a third, houses, drawings, and scores to rank."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, size: int = 10) -> "Maps":
        folder.mkdir(exist_ok=True)
        for seed in range(3):
            (folder / f"town{seed}.osm").write_text(town(seed, size))
            (folder / f"houses{seed}.geojson").write_text(houses(seed))
        (folder / "lines0.txt").write_text("10 20 90 20 8\n10 60 90 60 8\n")
        (folder / "lines1.txt").write_text("10 20 49 20 8\n51 20 90 20 8\n10 120 90 120 8\n")
        (folder / "lines2.txt").write_text("10 20 49 20 8\n10 120 90 120 8\n")
        (folder / "scores.csv").write_text("name,a,b,c\nx,1,2,9\ny,2,4,1\nz,3,6,5\n")
        return cls(folder)

    def pair(self, name: str, number: int = 1) -> list[str]:
        """Two maps: the first one, and the one of a number."""
        suffix = {"town": "osm", "houses": "geojson", "lines": "txt"}[name]
        return [str(self.folder / f"{name}{one}.{suffix}") for one in (0, number)]

    def one(self, name: str, number: int = 0) -> str:
        return self.pair(name, number)[1]


@dataclass(frozen=True)
class Writing:
    """A command that writes: its arguments and its outputs, by the folder of the outputs and the maps."""

    arguments: Callable[[Maps, Path, int], list[str]]
    outputs: tuple[str, ...]


def _evaluation(content: str, *options: str, suffix: str = "", extra: tuple[str, ...] = ()) -> Writing:
    """An evaluation with some of the options that write, each of which is a suffix after its dashes."""
    names = tuple(f"out{suffix if option == '-o' else _SUFFIXES[option]}" for option in options)

    def arguments(maps: Maps, out: Path, number: int) -> list[str]:
        given = [word for option, name in zip(options, names, strict=True) for word in (option, str(out / name))]
        metrics = ["--metrics", METRICS] if content == "roads" else []
        kind = {"roads": "town", "objects": "houses", "lines": "lines"}[content]
        return [content, *maps.pair(kind, number), *metrics, *given, *extra, "--overwrite", "--progress", "none"]

    return Writing(arguments, names)


def _converted(suffix: str) -> Writing:
    return Writing(
        lambda maps, out, number: ["convert", maps.one("town", number), str(out / f"out{suffix}"), "--overwrite"],
        (f"out{suffix}",),
    )


def _study(*words: str) -> Writing:
    return Writing(lambda maps, out, number: [
        "study", words[0], *(maps.one("town", number) if word == "MAP" else maps.one("town") if word == "REFERENCE" else
        str(maps.folder / "scores.csv") if word == "SCORES" else word for word in words[1:]), "-o", str(out / "out"),
        "--overwrite"], ("out",))  # fmt: skip


_SUFFIXES = {"--report": ".html", "--json": ".json", "--card": ".png", "--maproulette": ".geojson", "--josm": ".osm"}
_ALL = ("-o", *_SUFFIXES)
WRITING: dict[str, Writing] = {
    **{f"roads -o {one}": _evaluation("roads", "-o", extra=("--format", one))
       for one in ("shp", "gpkg", "geojson", "parquet")},
    **{f"roads {option}": _evaluation("roads", option) for option in _SUFFIXES},
    "roads, all at once": _evaluation("roads", *_ALL, extra=("--format", "geojson")),
    "roads in tiles": _evaluation("roads", "-o", "--json", extra=("--tile-size", "400", "--format", "geojson")),
    "objects, all at once": _evaluation("objects", "-o", "--report", "--json"),
    "lines, all at once": _evaluation("lines", "-o", "--report", "--json"),
    **{f"convert {one}": _converted(one) for one in (".shp", ".gpkg", ".geojson", ".fgb", ".parquet", ".graph",
                                                     ".graphml", ".json")},
    "perturb": Writing(lambda maps, out, number: [
        "perturb", maps.one("town", number), "--error", "interruptions", "--count", "5", "-o", str(out / "out.gpkg"),
        "--features", str(out / "done.shp"), "--overwrite"], ("out.gpkg", "done.shp")),
    "apply": Writing(lambda maps, out, number: [
        "apply", *maps.pair("town", number), "--metrics", METRICS, "-o", str(out / "out.shp"), "--overwrite",
        "--progress", "none"], ("out.shp",)),
    "rank": Writing(lambda maps, out, number: [
        "rank", str(maps.folder / "scores.csv"), "--plot", str(out / "out.svg"), "-o", str(out / "out.csv"), "--json",
        str(out / "out.json"), "--overwrite"], ("out.svg", "out.csv", "out.json")),
    "curve": Writing(lambda maps, out, number: [
        "curve", *maps.pair("town", number), "--tolerance", "5:10:5", "--plot", str(out / "out.png"), "-o",
        str(out / "out.csv"), "--overwrite", "--progress", "none"], ("out.png", "out.csv")),
    "study sensitivity": _study("sensitivity", "MAP", "--errors", "interruptions", "--counts", "2", "--seeds", "1",
                                "--metrics", "ccq", "--workers", "1"),
    "study stability": _study("stability", "REFERENCE", "MAP", "--metrics", "opt-j", "--repetitions", "2"),
    "study detection": _study("detection", "MAP", "--errors", "interruptions", "--count", "2"),
    "study correlation": _study("correlation", "SCORES"),
}  # fmt: skip
DEMO = Writing(lambda maps, out, number: ["demo", str(out / "out"), "--overwrite", "--progress", "none"], ("out",))
