"""The Python reference: every public name."""

import inspect
from collections.abc import Iterator

import geoeval

_HEAD = """# Python reference

Everything public is `geoeval.NAME`. Names are loaded when they are first used, so that `import geoeval` is quick.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of the page."""
    named = {name: getattr(geoeval, name) for name in geoeval.__all__ if name != "__version__"}
    functions = [name for name, one in named.items() if not inspect.isclass(one)]
    errors = [name for name, one in named.items() if inspect.isclass(one) and issubclass(one, Exception)]
    classes = [name for name, one in named.items() if inspect.isclass(one) and name not in errors]
    # The one door comes first.
    functions.sort(key=lambda name: (name != "evaluate", name))
    parts = [_HEAD]
    for title, names, directive in (
        ("Functions", functions, "autofunction"),
        ("Classes", classes, "autoclass"),
        ("Errors and warnings", errors, "autoexception"),
    ):
        parts.append(f"## {title}\n")
        members = "\n   :members:" if directive == "autoclass" else ""
        parts += [f"### {name}\n\n```{{eval-rst}}\n.. {directive}:: geoeval.{name}{members}\n```\n" for name in names]
    yield "reference/index.md", "\n".join(parts)
