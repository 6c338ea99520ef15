"""What can be done with the file of a review: open, save, exchange verdicts, export what was confirmed."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from qgis.PyQt.QtWidgets import QFileDialog, QMenu

from .. import environment, run_file, runner
from ..destinations import why_not_writable
from ..translation import tr

# Title and form of what can be exported.
EXPORTS = (
    ("Confirmed errors as MapRoulette tasks...", "MapRoulette (*.geojson)"),
    ("Confirmed errors for JOSM...", "JOSM (*.osm)"),
    ("Confirmed errors as shapefiles...", "Shapefile (*.shp)"),
    ("Confirmed errors as a table...", "Table (*.csv)"),
)


class FileMenu(QMenu):
    """The menu of the review."""

    def __init__(self, review, dock):
        super().__init__(dock)
        self.review, self.dock = review, dock
        self.addAction(tr("Open a result file..."), self.open)
        self.addAction(tr("Save the result file as..."), self.save_as)
        self.addSeparator()
        for title, pattern in EXPORTS:
            self.addAction(tr(title), lambda form=pattern: self.export(form))
        self.addSeparator()
        self.addAction(tr("Save the verdicts..."), self.save_verdicts)
        self.addAction(tr("Read verdicts..."), self.read_verdicts)

    def open(self):
        """Let the user choose a result file."""
        path, _ = QFileDialog.getOpenFileName(self.dock, tr("Open a result file"), "", "GeoPackage (*.gpkg)")
        if path:
            try:
                self.dock.open_file(path)
            except run_file.RunFileError as problem:
                self.dock.say(str(problem))

    def save_as(self):
        """Keep a run, which may be in a temporary file, with its verdicts."""
        path = self._target("GeoPackage (*.gpkg)", ".gpkg")
        if path:
            copy_run(self.review.errors.path, path)
            self.review.open(path)

    def export(self, pattern):
        """Write what was confirmed."""
        path = self._target(pattern, pattern.rpartition("*")[2].rstrip(")"))
        if path and self.run(["--export", path, "--overwrite"]) is None:
            self.dock.tell(tr("Written: {file}").format(file=path))

    def save_verdicts(self):
        """Write the verdicts to a file that geoeval reads anywhere."""
        path = self._target("Table (*.csv)", ".csv")
        if path and self.run(["--save-verdicts", path, "--overwrite"]) is None:
            self.dock.tell(tr("Written: {file}").format(file=path))

    def read_verdicts(self):
        """Take over verdicts from a file."""
        path, _ = QFileDialog.getOpenFileName(self.dock, tr("Read verdicts"), "", "Table (*.csv)")
        if not path or self.review.errors is None:
            return
        if self.run(["--verdicts", path, "--judged", "--no-scores"]) is None:
            self.review.open(self.review.errors.path)

    def run(self, options):
        """Let the engine do something with the run; say and return what went wrong, or None."""
        found = environment.find()
        if found is None:
            why = environment.problem(ask=False)
        else:
            command = [*found.command, "review", str(self.review.errors.path), *options]
            try:
                code, words = runner.run(command, on_line=lambda _line: None)
                why = None if code == 0 else runner.how_it_ended(code, words)
            except runner.EngineError as error:
                why = str(error)
        if why is not None:
            self.dock.say(why)
        return why

    def _target(self, pattern, suffix):
        """Where to write, or None."""
        if self.review.errors is None:
            self.dock.say(tr("There is no run to save; evaluate two layers first"))
            return None
        path, _ = QFileDialog.getSaveFileName(self.dock, tr("Save"), "", pattern)
        if not path:
            return None
        path = path if path.lower().endswith(suffix) else path + suffix
        why = why_not_writable(Path(path), tr("File"))
        if why is not None:
            self.dock.say(why)
        return None if why else path


def copy_run(source, target):
    """A copy of a result file, complete even while QGIS has it open."""
    part = f"{target}.part"
    with closing(sqlite3.connect(str(source))) as old, closing(sqlite3.connect(part)) as new:
        old.backup(new)
    shutil.move(part, str(target))
