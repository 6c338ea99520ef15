"""The CRS that a GeoJSON file names itself.

The standard of 2016 knows longitude and latitude alone, but many programs still write the member ``crs`` of the
standard before it. GDAL follows the usual forms; whatever it does not understand, it takes for longitude and latitude.
"""

import json
import re
from pathlib import Path
from typing import Any

# Bytes at both ends of a file where the member may stand; between them are features.
_ENDS = 1 << 16
_MEMBER = re.compile(r'"crs"\s*:\s*')


def crs_of_geojson(path: Path, understood: Any) -> Any:
    """The CRS as the file names it, if GDAL takes it for degrees; ``None`` where the file says that it has none.

    Parameters
    ----------
    path
        The file.
    understood
        What GDAL says.
    """
    if understood not in (None, "EPSG:4326", "OGC:CRS84"):
        return understood
    try:
        with path.open("rb") as stream:
            start = stream.read(_ENDS).decode("utf-8", "replace")
            stream.seek(max(0, path.stat().st_size - _ENDS))
            end = stream.read().decode("utf-8", "replace")
    except OSError:
        return understood
    for text in (re.split(r'"(?:features|geometry|geometries|coordinates)"\s*:', start)[0], end.rpartition("]")[2]):
        for found in _MEMBER.finditer(text):
            try:
                member, _ = json.JSONDecoder().raw_decode(text, found.end())
            except ValueError:
                continue
            return _named(member)
    return understood


def _named(member: Any) -> Any:
    """The name in a member, or all of it as text, so that a message can show what is not understood."""
    if member is None:
        return None
    facts = member.get("properties") if isinstance(member, dict) else None
    if not isinstance(facts, dict):
        return member if isinstance(member, str) else json.dumps(member)
    if "code" in facts:
        return f"EPSG:{facts['code']}"
    return str(facts.get("name", json.dumps(member)))
