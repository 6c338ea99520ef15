"""Downloads from a server on this machine that answers as Overpass and Nominatim do."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from geoeval.exceptions import DownloadError, EmptyInputError, ParameterError
from geoeval.readers.osm import download as osm_download
from geoeval.readers.osm.download import cache_folder, download_buildings, download_osm
from geoeval.readers.osm.osm_roads import read_osm
from geoeval.readers.osm.way_classes import way_rule
from geoeval.user_folders import user_cache
from tests.readers.osm.osm_files import node, way, write, xml

BOX = "7.40,43.72,7.44,43.75"
# A crossroads at node 3, the vertex of a bridge at the same place, and a road that leaves the box at node 9.
PLACES = {
    1: (7.420, 43.730), 2: (7.421, 43.730), 3: (7.422, 43.730), 4: (7.422, 43.731), 5: (7.421, 43.729),
    6: (7.422, 43.730), 7: (7.423, 43.731), 8: (7.4399, 43.730), 9: (7.4402, 43.730), 10: (7.4405, 43.730),
}  # fmt: skip
STREETS = {
    100: ([1, 2, 3], {"highway": "residential"}),
    101: ([3, 4], {"highway": "primary", "oneway": "yes"}),
    102: ([5, 6, 7], {"highway": "secondary", "bridge": "yes"}),
    103: ([3, 8, 9, 10], {"highway": "tertiary"}),
}
ROADS = {
    "version": 0.6,
    "elements": [
        *({"type": "node", "id": i, "lon": lon, "lat": lat} for i, (lon, lat) in PLACES.items()),
        *({"type": "way", "id": i, "nodes": refs, "tags": tags} for i, (refs, tags) in STREETS.items()),
    ],
}
AREA = {"type": "Polygon", "coordinates": [[[7.40, 43.72], [7.44, 43.72], [7.44, 43.75], [7.40, 43.75], [7.40, 43.72]]]}
PLACE = {
    "place_id": 1, "osm_type": "relation", "osm_id": 2, "lat": "43.73", "lon": "7.42", "class": "boundary",
    "type": "administrative", "place_rank": 4, "importance": 0.7, "addresstype": "country", "name": "Monaco",
    "display_name": "Monaco", "boundingbox": ["43.72", "43.75", "7.40", "7.44"], "geojson": AREA,
}  # fmt: skip


class Server:
    """Answers every request with what the test has put down, and keeps the questions."""

    def __init__(self):
        self.overpass = (200, ROADS)
        self.nominatim = (200, [PLACE])
        self.questions = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.questions.append(parse_qs(urlsplit(self.path).query).get("q", [self.path])[0])
                self._answer(*outer.nominatim)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                outer.questions.append(parse_qs(body)["data"][0])
                self._answer(*outer.overpass)

            def _answer(self, status, content):
                body = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def server(monkeypatch, tmp_path):
    running = Server()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GEOEVAL_OVERPASS_URL", f"{running.url}/api")
    monkeypatch.setenv("GEOEVAL_NOMINATIM_URL", running.url)
    yield running
    running.http.shutdown()
    running.http.server_close()


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """Seconds that osmnx wanted to wait; nobody waits."""
    asked = []
    monkeypatch.setattr("time.sleep", asked.append)
    return asked


def test_a_box_gives_the_network_of_its_ways(server, tmp_path):
    network = download_osm(BOX)
    expected = read_osm(
        write(
            tmp_path / "same.osm",
            xml(
                *(node(i, *place) for i, place in PLACES.items() if i != 10),
                *(way(i, *row) for i, row in STREETS.items()),
            ),
        )
    )  # node 10 lies beyond the first node outside
    assert np.allclose(network.nodes, expected.nodes, atol=2e-6, rtol=0)
    assert np.array_equal(network.segments, expected.segments)
    assert network.source_ids.tolist() == expected.source_ids.tolist()
    assert network.source_ids.dtype == np.int64
    assert network.components.max() == 1  # the bridge is not joined to the road below
    assert network.source == f"osm:{BOX}"
    assert network.problems == {}


def test_the_question_asks_for_the_box_and_the_same_ways_as_a_file(server):
    download_osm(BOX, network_type="walk")
    (question,) = server.questions
    assert way_rule("walk").overpass_filter()[0] in question
    assert "[timeout:180]" in question
    numbers = [float(x) for x in question.split("poly:'")[1].split("'")[0].split()]
    # osmnx asks for half a kilometre around, so that roads are not cut before they meet.
    assert 43.71 < min(numbers[0::2]) < 43.72
    assert 7.44 < max(numbers[1::2]) < 7.45


def test_buildings_of_a_box(server):
    corners = {1: (7.42, 43.73), 2: (7.4202, 43.73), 3: (7.4202, 43.7301), 4: (7.42, 43.7301)}
    nodes = [{"type": "node", "id": i, "lon": lon, "lat": lat} for i, (lon, lat) in corners.items()]
    ways = [
        {"type": "way", "id": number, "nodes": [1, 2, 3, 4, 1], "tags": {"building": tag}}
        for number, tag in ((7, "yes"), (8, "no"))
    ]
    server.overpass = (200, {"version": 0.6, "elements": nodes + ways})
    objects = download_buildings(BOX)
    assert objects.names.tolist() == ["way/7"]
    assert objects.area == pytest.approx(16.1 * 11.1, rel=0.01)
    assert "building" in server.questions[-1]
    server.overpass = (200, {"version": 0.6, "elements": []})
    with pytest.raises(EmptyInputError, match="has no building there"):
        download_buildings("7.0,43.0,7.01,43.01")


def test_explicit_classes(server):
    download_osm(BOX, network_type=["primary", "secondary"])
    assert 'way["highway"~"^(primary|secondary)$"]["area"' in server.questions[0]


def test_a_place_by_its_name(server, pauses):
    network = download_osm("Monaco")
    assert server.questions[0] == "Monaco"
    assert len(server.questions) == 2
    assert len(network.segments) == 7
    assert all(pause <= 1 for pause in pauses)


def test_what_was_downloaded_is_kept(server):
    first = download_osm("Monaco")
    assert len([*cache_folder().iterdir()]) == 2
    server.http.shutdown()
    server.http.server_close()
    again = download_osm("Monaco")
    assert np.array_equal(again.segments, first.segments)
    for path in cache_folder().iterdir():
        path.write_text("{")
    with pytest.raises(DownloadError, match="delete that folder"):
        download_osm("Monaco")


def test_osmnx_is_left_as_it_was(server):
    import osmnx

    names = [name for name in dir(osmnx.settings) if not name.startswith("_")]
    before = {name: getattr(osmnx.settings, name) for name in names}
    resolve = socket.getaddrinfo
    download_osm(BOX)
    server.overpass = (500, b"")
    with pytest.raises(DownloadError):
        download_osm("7.0,43.0,7.1,43.1")
    assert {name: getattr(osmnx.settings, name) for name in names} == before
    assert socket.getaddrinfo is resolve


@pytest.mark.parametrize(("query", "name"), [(BOX, "Overpass"), ("Monaco", "Nominatim")])
def test_without_internet_one_line_and_no_waiting(monkeypatch, tmp_path, pauses, query, name):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # a port where nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setenv("GEOEVAL_OVERPASS_URL", url)
        monkeypatch.setenv("GEOEVAL_NOMINATIM_URL", url + "/search-here")
        with pytest.raises(DownloadError) as caught:
            download_osm(query)
    message = str(caught.value)
    assert message.startswith(f"could not reach OpenStreetMap's {name} server at {url}")
    assert message.endswith("(no connection); check the connection, or give a downloaded extract (.osm.pbf)")
    assert sum(pauses) <= 1


def test_a_server_that_never_answers_is_given_up(server, monkeypatch):
    monkeypatch.setattr(osm_download, "ANSWER_TIMEOUT", 0.2)
    silent = threading.Event()
    original = server.http.RequestHandlerClass.do_POST
    monkeypatch.setattr(server.http.RequestHandlerClass, "do_POST", lambda handler: silent.wait(5) or original(handler))
    with pytest.raises(DownloadError, match=r"no answer within 0\.2 s"):
        download_osm(BOX)
    silent.set()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((429, b"Too Many Requests"), "429 .* busy, try again in a minute"),
        ((504, b"<html>"), "504 .* busy"),
        ((500, b"{}"), "answered 500"),
        ((400, b"<html>parse error"), "answered 400"),
        ((200, b"<html>maintenance</html>"), "other than JSON"),
        ((200, b""), "other than JSON"),
        ((200, {"elements": [], "remark": "runtime error: Query timed out"}), "Query timed out.*smaller area"),
    ],
)
def test_bad_answers_are_said_in_one_line_and_not_kept(server, pauses, answer, says):
    server.overpass = answer
    with pytest.raises(DownloadError, match=says) as caught:
        download_osm(BOX)
    assert "\n" not in str(caught.value)
    assert sum(pauses) == 0
    assert len(server.questions) == 1
    server.overpass = (200, ROADS)
    assert len(download_osm(BOX).segments) == 7


def test_a_tag_called_remark_is_no_remark_of_the_server(server):
    last = ROADS["elements"][-1]
    tagged = last | {"tags": last["tags"] | {"remark": "narrow"}}
    server.overpass = (200, {"elements": [*ROADS["elements"][:-1], tagged]})
    assert len(download_osm(BOX).segments) == 7


def test_places_that_are_unknown_or_have_no_area(server):
    server.nominatim = (200, [])
    with pytest.raises(DownloadError, match="knows no place 'Nowhere'"):
        download_osm("Nowhere")
    server.nominatim = (200, [PLACE | {"geojson": {"type": "Point", "coordinates": [7.42, 43.73]}}])
    with pytest.raises(DownloadError, match="only a point"):
        download_osm("The old tree")


@pytest.mark.parametrize(
    "elements",
    [[], ROADS["elements"][:3], [row | {"lat": 60.0} if row["type"] == "node" else row for row in ROADS["elements"]]],
)
def test_an_area_without_roads(server, elements):
    server.overpass = (200, {"elements": elements})
    with pytest.raises(EmptyInputError, match="no road of network type drive"):
        download_osm(BOX)


@pytest.mark.parametrize(
    "query", ["", " ", "1,2,3", "7.44,43.72,7.40,43.75", "7,91,8,92", "179,0,181,1", "nan,0,1,1", "5"]
)
def test_boxes_that_make_no_sense(query):
    with pytest.raises(ParameterError, match="west, south, east, north"):
        download_osm(query)


def test_the_network_type_is_checked_before_anything_is_asked():
    with pytest.raises(ParameterError, match="drive, walk, bike, all"):
        download_osm("Monaco", network_type="plane")


def test_a_cache_that_cannot_be_written(server, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(DownloadError, match="XDG_CACHE_HOME"):
        download_osm(BOX)


def test_where_replies_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "geoeval" / "osm"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == user_cache() / "osm"
    assert tmp_path not in cache_folder().parents
