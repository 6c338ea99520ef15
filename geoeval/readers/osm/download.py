"""Roads or buildings of a place or box, downloaded from OpenStreetMap with osmnx.

The servers are OpenStreetMap's public ones, or those named by ``GEOEVAL_OVERPASS_URL`` and ``GEOEVAL_NOMINATIM_URL``.
Replies are cached in the user's cache folder; delete the folder to get newer data.
"""

import json
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import shapely
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.exceptions import DownloadError, EmptyInputError, ParameterError
from geoeval.model.extent import Extent
from geoeval.model.object_map import ObjectMap
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.networkx_graphs import network_of_graph
from geoeval.readers.osm.way_classes import way_rule
from geoeval.readers.reader import Reader
from geoeval.user_folders import user_cache

# Seconds to reach a server, and seconds that it may take to answer.
CONNECT_TIMEOUT = 10
ANSWER_TIMEOUT = 180
_INSTEAD = "check the connection, or give a downloaded extract (.osm.pbf)"


def download_osm(query: str, *, network_type: str | Sequence[str] = "drive") -> RoadNetwork:
    """Download the roads of a place, joined where their ways share a node and nowhere else.

    Parameters
    ----------
    query
        The name of a place with an area (``"Monaco"``), or ``"minx,miny,maxx,maxy"`` in degrees.
    network_type
        As in ``read_osm``. The ways are the same, except that areas without ``area=yes`` are not recognised.

    Returns
    -------
    RoadNetwork
        Roads that cross the border of the area are kept up to their first node outside.

    Raises
    ------
    DownloadError
        A server cannot be reached, is busy or refuses, or does not know the place.
    EmptyInputError
        There is no such road in the area.
    ParameterError
        The box or the network type is not valid.

    Notes
    -----
    One request per 2,500 square kilometres. A server that cannot be reached is given up after seconds, a busy one at
    once.
    """
    rule = way_rule(network_type)
    box = _box(query)
    with _osmnx() as osmnx:
        area = box or _area_of(osmnx, query)
        try:
            graph = osmnx.graph_from_polygon(
                area,
                simplify=False,
                retain_all=True,
                truncate_by_edge=True,
                custom_filter=rule.overpass_filter(),
            )
        except json.JSONDecodeError:
            raise
        except ValueError as error:
            # Of all that osmnx calls a wrong value, only an answer without roads is left at this point.
            msg = (
                f"osm:{query}: OpenStreetMap has no road of network type {rule.name} there; choose another area or type"
            )
            raise EmptyInputError(msg) from error
    # An edge in both directions is how osmnx says that a street is not one-way.
    network = network_of_graph(graph, source=f"osm:{query}", ignored=("edges_in_both_directions",))
    if network.is_empty:
        raise EmptyInputError(f"osm:{query}: no road of network type {rule.name} there; choose another area or type")
    return network.with_extent(Extent(area, projections.WGS84))


def download_buildings(query: str, *, class_column: str | None = None) -> ObjectMap:
    """Download the buildings of a place: closed ways and multipolygon relations with the tag ``building``.

    Parameters
    ----------
    query
        As for ``download_osm``.
    class_column
        The tag that says what each building is, such as ``building``; one without it has no class.

    Returns
    -------
    ObjectMap
        Whole buildings, also where they cross the border of the area. Ids are ``way/n`` and ``relation/n``. Nodes that
        are tagged as buildings are counted in ``problems``.

    Raises
    ------
    DownloadError
        A server cannot be reached, is busy or refuses, or does not know the place.
    EmptyInputError
        There is no building in the area.
    ParameterError
        The box is not valid.
    """
    box = _box(query)
    with _osmnx() as osmnx:
        area = box or _area_of(osmnx, query)
        try:
            frame = osmnx.features_from_polygon(area, {"building": True})
        except json.JSONDecodeError:
            raise
        except ValueError as error:
            # Of all that osmnx calls a wrong value, only an answer without buildings is left at this point.
            msg = f"osm:{query}: OpenStreetMap has no building there; choose another area"
            raise EmptyInputError(msg) from error
    frame = frame[frame["building"] != "no"]
    classes = None
    if class_column is not None:
        classes = frame[class_column].tolist() if class_column in frame else [None] * len(frame)
    objects = ObjectMap.from_polygons(
        frame.geometry.to_numpy(), crs=projections.WGS84, ids=[f"{kind}/{number}" for kind, number in frame.index],
        classes=classes, source=f"osm:{query}", extent=Extent(area, projections.WGS84),
    )  # fmt: skip
    if objects.is_empty:
        raise EmptyInputError(f"osm:{query}: OpenStreetMap has no building there; choose another area")
    return objects


def cache_folder() -> Path:
    """Where replies are cached."""
    return user_cache() / "osm"


def _box(query: str) -> BaseGeometry | None:
    """The box given in numbers; ``None`` for a name."""
    try:
        numbers = [float(part) for part in query.split(",")]
    except ValueError:
        if query.strip():
            return None
        numbers = []
    order = "give minx,miny,maxx,maxy in degrees (west, south, east, north), or the name of a place"
    if len(numbers) != 4:
        raise ParameterError(f"osm:{query} is neither a place nor a box; {order}")
    west, south, east, north = numbers
    if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
        raise ParameterError(f"osm:{query} is not a box on Earth; {order}")
    return shapely.box(west, south, east, north)


def _area_of(osmnx: Any, place: str) -> BaseGeometry:
    try:
        return osmnx.geocode_to_gdf(place).geometry.iloc[0]
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        msg = f"OpenStreetMap knows no place {place!r}; add its country, or give minx,miny,maxx,maxy in degrees"
        raise DownloadError(msg) from error
    except TypeError as error:
        msg = f"OpenStreetMap has no area for {place!r}, only a point; give minx,miny,maxx,maxy in degrees"
        raise DownloadError(msg) from error


@contextmanager
def _osmnx() -> Iterator[Any]:
    """Give osmnx with short timeouts and our cache folder; its settings are restored afterwards."""
    import osmnx
    import requests

    settings: dict[str, Any] = {
        "cache_folder": cache_folder(),
        "use_cache": True,
        "overpass_url": os.environ.get("GEOEVAL_OVERPASS_URL") or osmnx.settings.overpass_url,
        "nominatim_url": os.environ.get("GEOEVAL_NOMINATIM_URL") or osmnx.settings.nominatim_url,
        # osmnx would wait a minute for a server that is away, and ask another server for its address.
        "overpass_rate_limit": False,
        "doh_url_template": None,
        "overpass_settings": f"[out:json][timeout:{ANSWER_TIMEOUT}]{{maxsize}}",
        "requests_timeout": (CONNECT_TIMEOUT, ANSWER_TIMEOUT),
        "requests_kwargs": {**osmnx.settings.requests_kwargs, "hooks": {"response": _refuse_bad_answer}},
    }
    before = {name: getattr(osmnx.settings, name) for name in settings}
    resolve = socket.getaddrinfo  # osmnx puts its own in place
    for name, value in settings.items():
        setattr(osmnx.settings, name, value)
    try:
        yield osmnx
    except requests.exceptions.RequestException as error:
        url = str(error.request.url) if error.request is not None else settings["overpass_url"]
        raise DownloadError(f"could not reach {_server(url, settings)} ({_reason(error)}); {_INSTEAD}") from error
    except json.JSONDecodeError as error:
        raise DownloadError(f"a reply cached in {cache_folder()} is damaged; delete that folder") from error
    except OSError as error:
        msg = f"cannot cache OpenStreetMap's replies in {cache_folder()} ({error.strerror}); set XDG_CACHE_HOME"
        raise DownloadError(msg) from error
    finally:
        socket.getaddrinfo = resolve
        for name, value in before.items():
            setattr(osmnx.settings, name, value)


def _refuse_bad_answer(response: Any, *_: Any, **__: Any) -> None:
    """Stop at once where osmnx would wait and ask again, or continue with half an answer."""
    server = response.url.partition("?")[0]
    content = response.content  # read to its end, so that the connection is closed
    if not response.ok:
        wait = "it is busy, try again in a minute" if response.status_code in {429, 504} else "try again later"
        msg = f"{server} answered {response.status_code} {response.reason}; {wait}, or give an extract (.osm.pbf)"
        raise DownloadError(msg)
    if content.lstrip()[:1] not in {b"{", b"["}:
        raise DownloadError(f"{server} answered with something other than JSON; {_INSTEAD}")
    if b'"remark"' in content[-2000:] and content.lstrip()[:1] == b"{" and (remark := response.json().get("remark")):
        why = " ".join(str(remark).split())
        raise DownloadError(f"{server} gave up ({why}); ask for a smaller area, or give an extract (.osm.pbf)")


def _server(url: str, settings: dict[str, Any]) -> str:
    name = "Nominatim" if url.startswith(settings["nominatim_url"]) else "Overpass"
    return f"OpenStreetMap's {name} server at {url.partition('?')[0]}"


def _reason(error: Exception) -> str:
    """Why there was no answer, without the object addresses in the messages of requests."""
    from requests import exceptions

    known: dict[type[Exception], str] = {
        exceptions.ReadTimeout: f"no answer within {ANSWER_TIMEOUT} s",
        exceptions.Timeout: f"no answer within {CONNECT_TIMEOUT} s",
        exceptions.SSLError: "its certificate is not accepted",
        exceptions.ProxyError: "the proxy does not let it through",
        exceptions.ConnectionError: "no connection",
    }
    return next((text for kind, text in known.items() if isinstance(error, kind)), type(error).__name__)


READER = Reader(
    "osm-place",
    reads={"roads": download_osm, "objects": download_buildings},
    refuses={"lines": "is a place, of which roads and buildings are downloaded; give a drawing or a layer of lines"},
    scheme="osm:",
)
