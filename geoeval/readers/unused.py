"""Options of reading that nothing would be read with: refused where they make no sense, else said."""

import inspect
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from geoeval.exceptions import GeoevalError, GeoevalWarning, ParameterError
from geoeval.readers.options import COMMON, INPUT_OPTIONS, flag_of
from geoeval.readers.patterns import is_scene
from geoeval.readers.registry import recognise


def check_use(content: str, inputs: Iterable[tuple[Any, Mapping[str, Any]]]) -> None:
    """Look for options that would be ignored: those of another content, and those that no input is read with.

    Callers that always give every option give defaults, which ask for nothing. An option for two inputs is used if one
    of them is read with it: a reference from OpenStreetMap beside a predicted layer needs its kind of roads.

    Parameters
    ----------
    content
        What is read.
    inputs
        Each input, and the options it is to be read with.

    Raises
    ------
    ParameterError
        An option is for other contents.

    Warns
    -----
    GeoevalWarning
        No input is read with an option.
    """
    inputs = list(inputs)
    asked = {(name, repr(value)): value for _, options in inputs for name, value in options.items()}
    for (name, written), value in asked.items():
        if name in COMMON or name not in INPUT_OPTIONS or value is None or value == INPUT_OPTIONS[name].default:
            continue
        check_content(content, name)
        read = [one for one in inputs if name in one[1] and repr(one[1][name]) == written]
        if not any(_uses(content, given, name, options) for given, options in read):
            names = list(dict.fromkeys(_name_of(given) for given, _ in read))
            more = [f"{len(names) - 2:,} more"] if len(names) > 2 else []
            inputs_said = " and ".join(names[:2] + more)
            warnings.warn(
                f"{{option:{flag_of(name)}}} {written} changes nothing: {inputs_said} cannot be read with it; "
                "leave it out",
                GeoevalWarning,
                stacklevel=3,
            )


def check_content(content: str, name: str) -> None:
    """Raise ``ParameterError`` for an option of reading that this content does not have."""
    contents = INPUT_OPTIONS[name].contents
    if content not in contents:
        raise ParameterError(
            f"{{option:{flag_of(name)}}} is for {' and '.join(contents)}, not for {content}; leave it out"
        )


def _uses(content: str, given: Any, name: str, options: Mapping[str, Any]) -> bool:
    """Whether an input is read with an option; also where that cannot be told before it is read."""
    if hasattr(given, "to_crs") and hasattr(given, "problems"):  # a map of ours, which was read already
        return False
    if not isinstance(given, str | Path):
        return _of_memory(given, name)
    try:
        if is_scene(given, options):
            return True
        reader = recognise(given, content)
    except (GeoevalError, OSError, ValueError):  # whoever reads it says what is wrong
        return True
    return content not in reader.reads or name in inspect.signature(reader.reads[content]).parameters


def _of_memory(given: Any, name: str) -> bool:
    """Whether rows, graphs or arrays in memory are read with an option."""
    if hasattr(given, "geometry"):
        return name not in {"network_type", "layer", "pixel_size", "georeference", "threshold", "min_spur", "simplify"}
    return name not in {"network_type", "layer", "node", "id_column"}


def _name_of(given: Any) -> str:
    return str(given) if isinstance(given, str | Path) else f"a {type(given).__name__}"
