"""Text that would be harmful if it became markup or script, and a browser page that notices."""

import re
from dataclasses import replace

from geoeval.model.result import Result

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{7*7}}</style></svg></title>"
EVIL_FILE = EVIL.replace("/", "\\")


def hostile(result: Result) -> Result:
    """The same result with hostile text wherever text can come from data."""
    errors = {}
    for name, frame in result.errors.items():
        texts = {column: [f"{EVIL}{i}" for i in range(len(frame))] for column in ("ref_id", "pred_id", "note")}
        kinds = [EVIL if i % 3 == 0 else kind for i, kind in enumerate(frame["kind"])]
        errors[name] = frame.assign(kind=kinds, **texts)
    facts = {"source": EVIL_FILE, "sha256": EVIL, "problems": {EVIL: 1}}
    return replace(
        result,
        errors=errors,
        reference=result.reference | facts,
        prediction=result.prediction | facts,
        notes={
            EVIL: EVIL,
            **{f"{metric}.{score}": EVIL for metric in result.scores for score in result.scores[metric]},
        },
        parameters={metric: {EVIL: EVIL} for metric in result.parameters},
        scores=result.scores | {EVIL: {EVIL: 0.5, f"{EVIL} undefined": None}},
        seconds={EVIL: 1.0},
    )


def watch(page) -> None:
    """Collect errors, warnings, dialogs and requests of a browser page; requests are not let through."""
    page.problems, page.asked = [], []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda entry: page.problems.append(entry.text) if entry.type in {"error", "warning"} else None)
    page.on("dialog", lambda dialog: (page.problems.append(dialog.message), dialog.dismiss()))
    page.route(re.compile("^https?:"), lambda route: (page.asked.append(route.request.url), route.abort()))


def addresses(text: str) -> set[str]:
    """The hosts that a page and its scripts name, but those of XML's names and of what a reader may turn on or open."""
    hosts = set(re.findall(r"(?:https?|wss?):(?:\\?/){2}([\w.-]*)", text))
    return hosts - {"www.w3.org", "tile.openstreetmap.org", "www.openstreetmap.org"}
