"""The review's page: nobody else can talk to it, and a person can review by keyboard in a real browser."""

import http.client
import io
import json
import socket
import threading
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from geoeval import Drawing, evaluate, review
from geoeval.exceptions import OutputError
from geoeval.model.courses import bar
from geoeval.reviewing.page_server import HOST, PageServer
from tests.report.hostile import EVIL

SHOWN = "document.documentElement.dataset.shown"


@pytest.fixture
def server(opened):
    with PageServer(opened, judged_by="Ada") as running:
        thread = running.start()
        yield running
        running.shutdown()
        thread.join()


def ask(server, path, *, method="GET", body=None, **headers):
    """Status, headers and body; ``path`` after the secret word."""
    line = http.client.HTTPConnection(HOST, server.server_port, timeout=30)
    try:
        target = path if path.startswith("/") else f"/{server.secret}/{path}"
        line.request(
            method, target, body=body, headers={key.replace("_", "-"): value for key, value in headers.items()}
        )
        answer = line.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        line.close()


def judge(server, content, **headers):
    kept = {"Content_Type": "application/json"} | headers
    return ask(
        server, "judge", method="POST", body=content if isinstance(content, bytes) else json.dumps(content), **kept
    )


def test_only_this_page_is_answered(server, opened):
    name = opened.errors["error_id"][0]
    verdict = {"id": name, "verdict": "error"}
    assert ask(server, "")[0] == 200
    assert server.server_address[0] == "127.0.0.1"
    for path in ("/", "/list", "/wrong/list", f"/{server.secret}x/list", "//list", f"/{server.secret[:-1]}/"):
        assert ask(server, path)[0] == 403, path
    foreign = ({"Host": "evil.example"}, {"Host": f"evil.example:{server.server_port}"}, {"Origin": "null"},
               {"Origin": "http://evil.example"}, {"Sec_Fetch_Site": "cross-site"})  # fmt: skip
    for headers in foreign:
        assert ask(server, "list", **headers)[0] == 403, headers
        assert judge(server, verdict, **headers)[0] == 403, headers
    assert judge(server, verdict, Content_Type="text/plain")[0] == 404
    assert ask(server, "judge")[0] == 404
    assert ask(server, "../../etc/passwd")[0] == 404
    assert ask(server, "list", method="PUT")[0] == 501
    assert len(opened.verdicts) == 0
    origin = f"http://{HOST}:{server.server_port}"
    assert judge(server, verdict, Origin=origin, Sec_Fetch_Site="same-origin")[0] == 200
    assert opened.verdicts["judged_by"].tolist() == ["Ada"]
    policy = ask(server, "")[1]["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_bad_requests_are_refused_and_change_nothing(server, opened):
    name = opened.errors["error_id"][0]
    for body, status in ((b"{", 400), (b"[1]", 400), (b"[" * 50_000, 400), (b"x" * 100_001, 413)):
        assert judge(server, body)[0] == status
    for content in ({"id": name, "verdict": "maybe"}, {"id": "none", "verdict": "error"}, {"verdict": "error"}):
        status, _, body = judge(server, content)
        assert status == 400
        assert json.loads(body)["error"]
    paths = ("error?id=none", "error", "around?xmin=1", "around?xmin=0&ymin=0&xmax=1e9&ymax=1e9",
             "around?xmin=nan&ymin=0&xmax=1&ymax=1", "download?what=../run.gpkg",
             "download?what=confirmed.exe")  # fmt: skip
    for path in paths:
        assert ask(server, path)[0] == 400, path
    assert len(opened.verdicts) == 0


def spoken(server, request: bytes) -> bytes:
    """The whole answer to bytes as they are, from somebody who then says no more."""
    with socket.create_connection((HOST, server.server_port), timeout=30) as line:
        line.sendall(request)
        line.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: line.recv(65536), b""))


@pytest.mark.parametrize(
    ("length", "status"),
    [("-1", 411), ("\u0663", 411), ("\u00b2", 411), ("1e3", 411), ("", 411), ("0x10", 411), ("nan", 411),
     ("9" * 5_000, 400), ("1" + "0" * 20, 400), ("7", 400), ("0", 400), ("2", 200)],
)  # fmt: skip
def test_absurd_lengths_have_an_answer(server, capfd, length, status):
    head = f"POST /{server.secret}/judge HTTP/1.0\r\nHost: {HOST}:{server.server_port}\r\n"
    request = f"{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode() + b"{}"
    assert spoken(server, request).split(b" ")[1] == str(status).encode()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "line",
    [b"GET //[::1 HTTP/1.0", b"GET http://[x/list HTTP/1.0", b"GET /\xff\xfe HTTP/1.0", b"GET / HTTP/99999999999.1",
     b"POST / HTTP/1.0", b"\x16\x03\x01\x02", b"GET /" + b"a" * 60_000 + b" HTTP/1.0", b"GET /" + b"a" * 70_000,
     b"X" * 100 + b" / HTTP/1.0"],
)  # fmt: skip
def test_absurd_requests_have_an_answer(server, capfd, line):
    assert b"Error" in (answer := spoken(server, line + b"\r\n\r\n")) or b" 403 " in answer
    assert ask(server, "list")[0] == 200
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("field", "value"),
    [("id", "\ud800"), ("id", float("nan")), ("id", None), ("id", ["a"]), ("id", "a" * 90_000), ("id", "a\x00b"),
     ("verdict", {"a": 1}), ("verdict", 7), ("verdict", "\ud800"), ("remark", 5), ("remark", ["x"])],
)  # fmt: skip
def test_values_of_another_type_are_refused(server, opened, capfd, field, value):
    content = {"id": opened.errors["error_id"][0], "verdict": "error", field: value}
    status, _, body = judge(server, content)
    assert status == 400
    assert json.loads(body)["error"]
    assert len(opened.verdicts) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("seconds", [10**400, -(10**400), float("inf"), float("nan"), "7", [1], True])
def test_seconds_that_are_none_are_left_out(server, opened, seconds):
    content = {"id": opened.errors["error_id"][0], "verdict": "error", "remark": "\ud800", "seconds": seconds}
    assert judge(server, content)[0] == 200
    assert opened.verdicts["seconds"].tolist() in ([None], [1.0])


def test_numbers_of_a_box_that_are_none_are_refused(server):
    wide = {"xmin": "0", "ymin": "0", "xmax": "1", "ymax": "1"}
    for name in wide:
        for value in ("inf", "-inf", "nan", "1e400", "9" * 5_000, "x", ""):
            query = "&".join(f"{key}={one}" for key, one in {**wide, name: value}.items())
            assert ask(server, f"around?{query}")[0] == 400, (name, value[:20])
    for path in ("error?id=" + "a" * 50_000, "error?id=%ED%A0%80", "error?id=%00", "error?id=nan"):
        assert ask(server, path)[0] == 400, path[:40]


def test_downloads_hold_what_was_confirmed(server, opened):
    names = opened.errors["error_id"]
    opened.judge(names[0], "error", remark="=1+1")
    opened.judge(names[1], "reference-is-wrong")
    status, headers, body = ask(server, "download?what=confirmed.csv")
    assert (status, headers["Content-Disposition"]) == (200, 'attachment; filename="run-confirmed.csv"')
    assert names[0] in body.decode()
    assert "'=1+1" in body.decode()
    assert names[1] not in body.decode()
    assert names[1] in ask(server, "download?what=reference.csv")[2].decode()
    (task,) = json.loads(ask(server, "download?what=confirmed.geojson")[2])["features"]
    assert task["properties"]["remark"] == "=1+1"
    assert b'upload="never"' in ask(server, "download?what=confirmed.osm")[2]
    with zipfile.ZipFile(io.BytesIO(ask(server, "download?what=confirmed.shp")[2])) as packed:
        assert "run-confirmed.shp" in packed.namelist()
    assert len(ask(server, "download?what=verdicts")[2].decode().splitlines()) == 3


def test_a_damaged_run_is_said_and_the_review_goes_on(server, opened):
    first, second = opened.errors["error_id"][:2]
    with opened.run._writing() as database:
        database.execute("UPDATE errors SET \"row\" = 'x', layer = 'missing' WHERE error_id = ?", (first,))
        database.execute("UPDATE errors SET layer = 'x\" y' WHERE error_id = ?", (second,))
    for name, status, said in ((first, 500, "damaged"), (second, 400, "no layer")):
        answer = ask(server, f"error?id={name}")
        assert answer[0] == status
        assert said in json.loads(answer[2])["error"]
    assert ask(server, "list")[0] == 200


def test_a_port_that_is_in_use_is_one_line(server, opened):
    with pytest.raises(OutputError, match=f"port {server.server_port} cannot be used"):
        PageServer(opened, port=server.server_port)


def test_what_lies_around_an_error(server, opened, result):
    row = opened.errors.iloc[0]
    found = json.loads(ask(server, f"error?id={row['error_id']}")[2])
    box = found["around"]["box"]
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    frame = result.map_errors()["lines"].set_index("error_id")
    xy = [(x + middle[0], y + middle[1]) for piece in found["shape"]["pieces"]
          for x, y in zip(piece[::2], piece[1::2], strict=True)]  # fmt: skip
    assert np.array(xy) == pytest.approx(np.array(frame.geometry[row["error_id"]].coords), abs=0.011)
    for side in ("reference", "prediction"):
        lines = result.inputs[side].to_geodataframe().geometry
        length = sum(
            sum(
                ((a - c) ** 2 + (b - d) ** 2) ** 0.5
                for a, b, c, d in zip(p[::2], p[1::2], p[2::2], p[3::2], strict=False)
            )
            for p in found["around"][side]
        )
        assert length == pytest.approx(lines.clip_by_rect(*box).length.sum(), abs=1.0)


# ---------------------------------------------------------------------- in a browser


def watched(browser, server, **options):
    page = browser.new_page(**({"viewport": {"width": 1300, "height": 900}} | options))
    page.problems, page.elsewhere = [], []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda entry: page.problems.append(entry.text) if entry.type in {"error", "warning"} else None)
    page.on("dialog", lambda dialog: (page.problems.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: page.elsewhere.append(request.url)
            if not request.url.startswith((server.url, "data:")) else None)  # fmt: skip
    page.goto(server.url)
    page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
    return page


def press(page, key):
    """One verdict: the next error is there when this is back."""
    before = page.evaluate(SHOWN)
    page.keyboard.press(key)
    until(page, f"{SHOWN} && {SHOWN} !== {before!r}")


def measured(page):
    """Scores are measured by themselves, or on demand where the machine was so busy that they took long."""
    if page.is_visible("#measure"):
        page.click("#measure")
    until(page, "!document.getElementById('scores').classList.contains('old')")


def until(page, expression):
    """Wait until something holds on the page; its own policy forbids Playwright to wait inside it."""
    for _ in range(2400):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never true: {expression}")


def score(page, name):
    row = page.locator("#scores tbody tr", has_text=name)
    return [float(text) for text in row.locator("td").all_inner_texts()[1:]]


def test_a_review_by_keyboard(browser, server, opened):
    """Ten errors, two of them rejected, the score as judged; undo, a remark, moving, blinking, filters."""
    names = opened.errors["error_id"].tolist()
    page = watched(browser, server)
    assert page.evaluate(SHOWN) == names[0]
    assert page.inner_text("#left") == f"{len(names)} of {len(names)} left"
    given = score(page, "ccq quality")
    assert given[0] == given[1]
    for key in "1e2e14r1n1":
        press(page, key)
    words = opened.verdicts.set_index("error_id")["verdict"]
    expected = ["error", "error", "not-an-error", "error", "error", "later", "reference-is-wrong", "error",
                "not-an-error", "error"]  # fmt: skip
    assert [words[name] for name in names[:10]] == expected
    assert page.evaluate(SHOWN) == names[10]
    press(page, "u")
    assert page.evaluate(SHOWN) == names[9]
    assert names[9] not in set(opened.verdicts["error_id"])
    press(page, "ArrowLeft")
    page.wait_for_selector("#verdicts [aria-pressed=true][data-word=not-an-error]")
    press(page, "1")
    assert opened.run.verdict(names[8]).verdict == "error"
    press(page, "k")
    press(page, "j")
    facts = opened.judged()
    measured(page)
    now = score(page, "ccq quality")
    assert now == [pytest.approx(facts[key]["ccq"]["quality"], abs=5e-5) for key in ("as_given", "as_judged")]
    assert now[1] > now[0]
    assert page.inner_text("#left").startswith(f"{facts['left']} of {len(names)} left, about ")
    # A remark that would be markup or a key is neither.
    page.keyboard.press("m")
    page.keyboard.type(f"1 n u {EVIL}")
    before = page.evaluate(SHOWN)
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    until(page, f"{SHOWN} && {SHOWN} !== {before!r}")
    assert opened.run.verdict(before).remark == f"1 n u {EVIL}"
    assert all(0 < one < 600 for one in opened.verdicts["seconds"].dropna())
    page.keyboard.press("b")
    both = page.evaluate("ErrorMap.shown()")
    until(page, f"ErrorMap.shown().reference !== {json.dumps(both['reference'])}")
    assert both != page.evaluate("ErrorMap.shown()")
    page.keyboard.press("b")
    assert page.evaluate("ErrorMap.shown()") == {"reference": True, "prediction": True}
    page.select_option("#by-verdict", "not-an-error")
    until(page, f"{SHOWN} === {names[2]!r}")
    assert page.inner_text("#place") == "1 of 1"
    page.select_option("#by-verdict", "all")
    page.select_option("#order", "random")
    until(page, "document.getElementById('place').textContent.endsWith('21')")
    page.select_option("#by-kind", label="Break (8)")
    until(page, "document.getElementById('place').textContent.endsWith(' of 8')")
    with page.expect_download() as download:
        page.click("text=MapRoulette")
    assert download.value.suggested_filename == "run-confirmed.geojson"
    assert page.problems == page.elsewhere == []
    page.close()
    # Another visit shows what was judged.
    again = watched(browser, server, viewport={"width": 390, "height": 800})
    assert again.evaluate(SHOWN) not in names[:9]
    assert again.evaluate("document.documentElement.scrollWidth") <= 390
    assert again.problems == []
    again.close()


def test_text_of_data_never_becomes_markup(browser, result, tmp_path):
    frames = {}
    for name, frame in result.map_errors().items():
        texts = {column: [f"{EVIL}{i}" for i in range(len(frame))] for column in ("ref_id", "pred_id", "note")}
        kinds = [EVIL if i % 2 == 0 else kind for i, kind in enumerate(frame["kind"])]
        frames[name] = frame.assign(kind=kinds, **texts)
    opened = review(replace(result, decided=frames, plan=None), tmp_path / f"{EVIL.replace('/', '_')[:60]}.gpkg")
    opened.judge(opened.errors["error_id"][0], "later", remark=EVIL, judged_by=EVIL)
    with PageServer(opened) as running:
        thread = running.start()
        page = watched(browser, running)
        for _ in range(4):
            press(page, "j")
        assert EVIL in page.inner_text("#note")
        assert page.problems == page.elsewhere == []
        assert page.locator("img").count() == 0
        page.close()
        running.shutdown()
        thread.join()


def test_a_drawing_is_reviewed_too_and_what_cannot_be_saved_is_said(browser, tmp_path):
    """Pixels have no place on Earth, so there is nothing for MapRoulette; the page says so in words."""
    drawn = [bar((0, y), (80, y)) for y in (0, 40, 80)]
    result = evaluate(Drawing(drawn, width=4), Drawing(drawn[:1], width=4), kind="lines")
    with PageServer(review(result, tmp_path / "lines.gpkg")) as running:
        thread = running.start()
        page = watched(browser, running)
        inked = "[...document.getElementById('map').getContext('2d').getImageData(0, 0, 900, 800).data].some((c) => c)"
        assert page.evaluate(inked)
        press(page, "2")
        assert score(page, "vector vri") == [pytest.approx(given, abs=5e-5) for given in (2 / 3, 3 / 4)]
        page.click("text=MapRoulette")
        page.wait_for_selector("#trouble:not([hidden])")
        assert "these coordinates are local" in page.inner_text("#trouble")
        assert page.elsewhere == []
        page.close()
        running.shutdown()
        thread.join()


def test_a_review_that_ended_is_said(browser, opened):
    running = PageServer(opened)
    running.start()
    page = watched(browser, running)
    running.shutdown()
    running.server_close()
    page.keyboard.press("1")
    page.wait_for_selector("#trouble:not([hidden])")
    assert "does not answer" in page.inner_text("#trouble")
    page.close()


def test_two_pages_at_once_both_keep_their_verdicts(server, opened):
    names = opened.errors["error_id"].tolist()
    jobs = [threading.Thread(target=judge, args=(server, {"id": name, "verdict": "error"})) for name in names]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert sorted(opened.verdicts["error_id"]) == sorted(names)
