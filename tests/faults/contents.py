"""What is in output: digests of files and folders, without what tells how long the run took."""

import hashlib
import json
from pathlib import Path


def digest(path: Path) -> str:
    """Of a file, or of a folder with all that is in it; empty where there is none."""
    if not path.exists():
        return ""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    content = [(one.relative_to(path).as_posix(), hashlib.sha256(_timeless(one)).hexdigest()) for one in files]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def digests(folder: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """Of several outputs; a shapefile with all its parts."""
    found = []
    for name in names:
        parts = sorted(folder.glob(f"{name[:-4]}.*")) if name.endswith(".shp") else [folder / name]
        found.append("".join(digest(part) for part in parts))
    return tuple(found)


def _timeless(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix != ".json":
        return data
    content = json.loads(data)
    return json.dumps({name: value for name, value in content.items() if name != "seconds"}).encode()
