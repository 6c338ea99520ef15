"""Runs whose stores, or whose kept tiles, were damaged in one byte before.

Whatever byte it is, the run says so and gives the scores and the layers of one that nobody disturbed.
"""

from pathlib import Path
from random import Random

from tests.faults.commands import METRICS, Maps
from tests.faults.contents import digests
from tests.faults.forge import Forge
from tests.faults.outcomes import Outcomes

OUTPUTS = ("scores.json", "layers")


def damaged(count: int, folder: Path, *, seed: int = 0) -> Outcomes:
    """Damage a random byte of a store, and every third time one of a kept tile, and evaluate; counts by outcome."""
    outcomes = Outcomes()
    rng, maps = Random(seed), Maps.make(folder / "maps", size=4)
    environment = {"XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder)}
    kept, out = folder / "kept", folder / "out"
    out.mkdir()
    plain = ["roads", *maps.pair("town"), "--metrics", METRICS, "--tile-size", "400", "--progress", "none", "-o",
             str(out / "layers"), "--format", "geojson", "--json", str(out / "scores.json"), "--overwrite"]  # fmt: skip
    resumed = [*plain, "--resume", str(kept)]
    with Forge() as forge:
        forge.seconds(*resumed, environment=environment)
        whole = digests(out, OUTPUTS)
        for number in range(count):
            harmed = [("store", "*/stores/*.parquet", folder / "cache", plain)]
            if number % 3 == 0:
                harmed.append(("tile", "tiles/*", kept, resumed))
            for what, pattern, place, command in harmed:
                file = rng.choice(sorted(place.glob(pattern)))
                before = _spoil(file, rng)
                ended = forge.run(*command, environment=environment)
                same = digests(out, OUTPUTS) == whole
                # Tiles also hold how long they took.
                mended = file.read_bytes() == before if what == "store" else file.exists()
                fine = ended.code == 0 and "is damaged and is made again" in ended.said and same and mended
                outcomes.note("damaged: the same" if fine else f"{what} {number} {ended} {same} {mended}")
    return outcomes


def _spoil(file: Path, rng: Random) -> bytes:
    """Change one byte of a file; what it held before."""
    before = file.read_bytes()
    content = bytearray(before)
    content[rng.randrange(len(content))] ^= rng.randrange(1, 256)
    file.write_bytes(content)
    return before
