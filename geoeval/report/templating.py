"""HTML from templates: text from data is escaped and never becomes markup or script; no page loads a script."""

import re
from typing import Any

from geoeval.exceptions import MissingExtraError


def check_extra() -> None:
    """Raise ``MissingExtraError`` where bokeh or Jinja2 is not installed."""
    try:
        import bokeh  # noqa: F401
        import jinja2  # noqa: F401
    except ImportError as error:
        raise MissingExtraError('a report needs bokeh and Jinja2; pip install "geoeval[report]"') from error


def render_template(name: str, *, figure: Any, **data: Any) -> str:
    """A page from a template; every value is escaped. ``figure`` is bokeh's, the map."""
    from bokeh.embed import json_item
    from bokeh.resources import Resources

    return render_plain(
        name,
        figure=_numbered_anew(json_item(figure)),
        bokeh=_without_addresses(Resources(mode="inline", components=["bokeh"]).render_js()),
        **data,
    )


def _numbered_anew(item: Any) -> Any:
    """A figure whose models are numbered from 1 on: bokeh counts on through a session, but the same map is one page."""
    numbers: dict[str, str] = {}

    def visit(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: visit(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [visit(part) for part in value]
        if key in ("id", "root_id") and isinstance(value, str) and _MODEL.fullmatch(value):
            return numbers.setdefault(value, f"p{len(numbers) + 1}")
        return value

    return visit(item)


_MODEL = re.compile(r"p\d+")


def _without_addresses(script: str) -> str:
    """Bokeh's script without the places from which it would load other scripts (MathJax, Google's maps) and fonts.

    No map of ours needs them. Names of XML are addresses too, but nobody loads what is there.
    """
    return _ADDRESS.sub("about:blank#", script)


_ADDRESS = re.compile(r"(?:https?|wss?):(?:\\?/){2}(?!www\.w3\.org/)")


def render_plain(name: str, **data: Any) -> str:
    """A page from a template without a map; every value is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("geoeval.report", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    # Bokeh encodes NaN in its own way, so plain JSON is enough.
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment.get_template(name).render(**data)
