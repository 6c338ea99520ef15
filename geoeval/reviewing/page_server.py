"""The review's page on this machine: a small server that nobody else can talk to.

It listens on the loopback address alone, its address holds a secret word, and it answers only requests that this page
itself made: another site that the browser has open cannot read or judge anything.
"""

import json
import os
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl

from geoeval.exceptions import GeoevalError, OutputError
from geoeval.reviewing.page_answers import PageAnswers
from geoeval.reviewing.review import Review

HOST = "127.0.0.1"
_MOST_BYTES, _MOST_DIGITS = 100_000, 18
_FILES = {
    "": ("review.html", "text/html"), "review.css": ("review.css", "text/css"),
    "review.js": ("review.js", "text/javascript"), "map.js": ("map.js", "text/javascript"),
    "panel.js": ("panel.js", "text/javascript"),
}  # fmt: skip
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                               "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}  # fmt: skip


class PageServer(ThreadingHTTPServer):
    """Serves one review; ``url`` is what a browser opens.

    Parameters
    ----------
    review
        The run that is reviewed.
    port
        Where to listen; 0 for any that is free.
    judged_by
        Who judges; ``None`` for the name of the user.

    Raises
    ------
    OutputError
        The port is in use or not allowed.
    """

    daemon_threads = True
    # Two reviews on one port would each get half of the verdicts; on Windows this option allows just that.
    allow_reuse_address = os.name == "posix"
    allow_reuse_port = False
    # A browser asks for several things at once.
    request_queue_size = 128

    def __init__(self, review: Review, *, port: int = 0, judged_by: str | None = None) -> None:
        self.answers = PageAnswers(review, judged_by)
        self.secret = secrets.token_urlsafe(18)
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise OutputError(
                f"port {port} cannot be used ({reason}); give another {{option:port}}, or none for one that is free"
            ) from error
        self.names = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}

    @property
    def url(self) -> str:
        """The address of the page, with its secret word."""
        return f"http://{HOST}:{self.server_port}/{self.secret}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: who asked has gone before the answer, and a person watches the terminal."""

    def start(self) -> threading.Thread:
        """Serve in a thread of its own, until ``shutdown``."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        return thread


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    # One request a connection, so that nothing is answered any more after the end.
    protocol_version = "HTTP/1.0"
    timeout = 60

    def do_GET(self) -> None:
        self._answer_whatever(self._get)

    def do_POST(self) -> None:
        self._answer_whatever(self._post)

    def _answer_whatever(self, handle: Callable[[], None]) -> None:
        """Answer a request, also one that nobody has thought of, in one line and without a traceback."""
        try:
            handle()
        except TimeoutError:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        except ConnectionError:  # who asked has gone
            return
        except Exception:  # noqa: BLE001 - whatever it was, the review goes on
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR)

    def _get(self) -> None:
        path, _, asked = self.path.partition("?")
        name = self._asked_name(path)
        if name is None:
            return
        query = dict(parse_qsl(asked.partition("#")[0]))
        answers = self.server.answers
        if name in _FILES:
            file, kind = _FILES[name]
            self._send((files("geoeval.reviewing") / "page" / file).read_bytes(), f"{kind}; charset=utf-8")
        elif name == "list":
            self._answer(answers.listed)
        elif name == "judged":
            self._answer(lambda: answers.review.judged(scores=False))
        elif name == "scores":
            self._answer(answers.scores)
        elif name == "error":
            self._answer(lambda: answers.error(query.get("id", "")))
        elif name == "around":
            self._answer(lambda: answers.around(query))
        elif name == "download":
            self._download(query.get("what", ""))
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def _post(self) -> None:
        name = self._asked_name(self.path.partition("?")[0])
        if name is None:
            return
        announced = self.headers.get("Content-Length", "")
        if not (announced.isascii() and announced.isdigit()):
            self._refuse(HTTPStatus.LENGTH_REQUIRED)
            return
        # One byte more than is allowed tells that there is too much; numbers of thousands of digits are no numbers.
        length = min(int(announced[:_MOST_DIGITS]), _MOST_BYTES + 1)
        body = self.rfile.read(length)
        if name != "judge" or self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.NOT_FOUND)
        elif len(body) > _MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            try:
                given = json.loads(body)
            except (ValueError, RecursionError):
                given = None
            if isinstance(given, dict) and len(body) == length:
                self._answer(lambda: self.server.answers.judge(given))
            else:
                self._refuse(HTTPStatus.BAD_REQUEST)

    def _asked_name(self, path: str) -> str | None:
        """What is asked for, where this page asks; otherwise refuses and gives ``None``."""
        _, secret, *rest = [*path.split("/", 2), ""]
        origin = self.headers.get("Origin")
        host = self.headers.get("Host", "")
        own = (
            host in self.server.names
            and (origin is None or origin in {f"http://{name}" for name in self.server.names})
            and self.headers.get("Sec-Fetch-Site", "none") in {"none", "same-origin"}
        )
        if own and secrets.compare_digest(secret.encode(), self.server.secret.encode()):
            return rest[0]
        self._refuse(HTTPStatus.FORBIDDEN)
        return None

    def _answer(self, ask: Callable[[], Any]) -> None:
        try:
            text, status = _as_json(ask()), HTTPStatus.OK
        except GeoevalError as error:
            text, status = _as_json({"error": str(error)}), HTTPStatus.BAD_REQUEST
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a run, the review goes on
            why = f"the run seems to be damaged ({type(error).__name__}: {str(error)[:100]}); evaluate again"
            text, status = _as_json({"error": why}), HTTPStatus.INTERNAL_SERVER_ERROR
        self._send(text.encode("utf-8", "replace"), "application/json; charset=utf-8", status)

    def _download(self, wanted: str) -> None:
        try:
            name, content = self.server.answers.download(wanted)
        except GeoevalError as error:
            self._send(f"{error}\n".encode(), "text/plain; charset=utf-8", HTTPStatus.BAD_REQUEST)
            return
        safe = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "_" for letter in name)
        self._send(content, "application/octet-stream", name=safe)

    def _refuse(self, status: HTTPStatus) -> None:
        self._send(f"{status.phrase}\n".encode(), "text/plain; charset=utf-8", status)

    def _send(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK, *, name: str | None = None) -> None:
        # A page that was closed or has moved on does not wait for the answer.
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if name is not None:
                self.send_header("Content-Disposition", f'attachment; filename="{name}"')
            for header, value in _HEADERS.items():
                self.send_header(header, value)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: a person watches the terminal."""


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
