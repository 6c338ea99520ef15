"""HTML from templates: text from data is escaped and never becomes markup or script."""

from typing import Any

from geoeval.exceptions import MissingExtraError


def check_extra() -> None:
    """Raise ``MissingExtraError`` where bokeh or Jinja2 is not installed."""
    try:
        import bokeh  # noqa: F401
        import jinja2  # noqa: F401
    except ImportError as error:
        raise MissingExtraError('a report needs bokeh and Jinja2; pip install "geoeval[report]"') from error


def render_template(name: str, *, figures: dict[str, Any], **data: Any) -> str:
    """A page from a template; every value is escaped.

    ``figures`` are bokeh's, by the id of the element that shows each, the map first.
    """
    from bokeh.embed import json_item
    from bokeh.resources import Resources
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("geoeval.report", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    # Items keep their order, the map first. Bokeh encodes NaN in its own way, so plain JSON is enough.
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
    return environment.get_template(name).render(
        items={name: json_item(figure) for name, figure in figures.items()},
        bokeh=Resources(mode="inline", components=["bokeh"]).render_js(),
        **data,
    )
