"""Where results go: what the user asked for, whether it can be written, and names that every file system takes."""

import contextlib
import os
import re
import tempfile
from pathlib import Path

LONGEST_NAME = 80


def is_wanted(value):
    """Whether a value of a destination parameter asks for anything; the batch window hands over empty definitions."""
    if value is None or value == "":
        return False
    sink = getattr(value, "sink", None)  # of a QgsProcessingOutputLayerDefinition
    return sink is None or sink.staticValue() not in (None, "")


def text_of(value):
    """The text of a destination; an empty one if there is none."""
    sink = getattr(value, "sink", None)
    return str((value if sink is None else sink.staticValue()) or "")


def file_of(value):
    """The file that a destination names, or None: for memory layers, temporary ones and tables of a database."""
    text = text_of(value).partition("|")[0]
    if text.startswith("ogr:") and "dbname=" in text:
        found = re.search(r"dbname='([^']+)'", text)
        text = found.group(1) if found else ""
    if not text or text == "TEMPORARY_OUTPUT" or text.startswith("memory:") or "=" in text.partition(os.sep)[0]:
        return None
    return Path(text)


def why_not_writable(path, title):
    """The message for a file that could not be written at the end of the work, or None."""
    if path.is_dir():
        return f'{path} ("{title}") is a folder; give a file'
    if path.exists() and not os.access(path, os.W_OK):
        return f'{path} ("{title}") cannot be written: it is protected; choose another file'
    return _why_no_new_file(path.parent, path, title)


def why_folder_not_usable(path, title):
    """The message for a folder into which nothing can be written, or None."""
    if path.exists() and not path.is_dir():
        return f'{path} ("{title}") is a file; give a folder'
    return _why_no_new_file(path, path, title)


def _why_no_new_file(folder, what, title):
    """Try it: permissions alone do not tell what disks, networks and sandboxes allow."""
    near = folder
    while not near.exists() and near != near.parent:
        near = near.parent
    if not near.is_dir():
        return f'{what} ("{title}") cannot be written: {near} is not a folder; choose another place'
    try:
        handle, name = tempfile.mkstemp(prefix=".geoeval-", dir=near)
    except OSError as error:
        return f'{what} ("{title}") cannot be written: {error.strerror or error}; choose another place'
    os.close(handle)
    with contextlib.suppress(OSError):
        Path(name).unlink()
    return None


def file_name(title, suffix=""):
    """A title as the name of a file."""
    name = re.sub(r'[\\/:*?"<>|\x00-\x1f]', "_", title).strip(". ")[:LONGEST_NAME].rstrip(". ")
    return f"{name or 'layer'}{suffix}"
