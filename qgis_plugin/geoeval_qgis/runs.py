"""What an evaluation found, for the panels of the desktop; in qgis_process nobody listens."""

import datetime as dt
from pathlib import Path

from .translation import tr

# Called in the main thread with every Run that is put on the map.
listeners = []
_names = set()
# The runs of this session, the latest last.
_told = []


class Run:
    """One evaluation: its name, the engine's JSON, and the files it gave.

    ``said`` are the warnings that the user has to know of, ``reference`` is what the user calls the reference, and
    ``before`` the scores of the earlier run that it is compared with, by metric, or None.
    """

    def __init__(self, name, content, result, *, file=None, report=None, said=(), reference="", before=None):
        self.name, self.content, self.result = name, content, result
        self.file, self.report, self.said = file, report, list(said)
        self.reference, self.before = reference, before


def tell(run):
    """Show a run in the panels."""
    _told.append(run)
    for listener in listeners:
        listener(run)


def forget():
    """Forget all runs: their project was closed."""
    _told.clear()
    _names.clear()


def last_file():
    """The result file of the latest run of this session that is still there, or None."""
    return next((run.file for run in reversed(_told) if run.file and Path(run.file).is_file()), None)


def last_like(content, reference):
    """The latest run of this session of the same content against the same reference, or None."""
    return next((run for run in reversed(_told) if (run.content, run.reference) == (content, reference)), None)


def unique_name(wanted, project=None):
    """A name that no other run of this session and no group of the project has."""
    taken = set(_names)
    if project is not None:
        taken |= {group.name() for group in project.layerTreeRoot().findGroups()}
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted} ({number})", number + 1
    _names.add(name)
    return name


def dated(prediction, reference):
    """The usual name of a run."""
    names = tr("{prediction} against {reference}").format(prediction=prediction, reference=reference)
    return f"{dt.datetime.now():%H:%M} {names}"  # noqa: DTZ005 - the user's clock
