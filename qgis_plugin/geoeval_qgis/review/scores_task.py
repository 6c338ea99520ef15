"""Asks the engine in the background what the verdicts say."""

import threading

from qgis.core import QgsTask

from .. import runner
from ..compat import quiet_task
from ..translation import tr
from . import judged


class ScoresTask(QgsTask):
    """Asks outside the window's own thread, and calls ``tell`` with itself.

    ``rejected`` are the errors that were rejected when it was asked; ``facts`` is the answer, or None, and ``problem``
    what went wrong.
    """

    def __init__(self, path, tell, rejected, *, scores):
        super().__init__(f"geoeval: {tr('scores as judged')}", QgsTask.Flag.CanCancel | quiet_task())
        self.path, self.tell, self.rejected, self.scores = path, tell, rejected, scores
        self.facts, self.problem = None, ""
        self.stopped, self.done = threading.Event(), threading.Event()

    def run(self):
        try:
            self.facts = judged.ask(self.path, self.stopped.is_set, scores=self.scores)
        except runner.CanceledError:
            pass
        except Exception as problem:  # noqa: BLE001 - Qt ends the program if anything leaves a thread
            self.problem = str(problem)
        finally:
            self.done.set()
        return self.facts is not None

    def end(self):
        """Stop the engine and wait until it is gone."""
        self.stopped.set()
        self.done.wait(timeout=runner.PATIENCE + 2)

    def cancel(self):
        self.stopped.set()
        super().cancel()

    def finished(self, _fine):
        self.tell(self)
