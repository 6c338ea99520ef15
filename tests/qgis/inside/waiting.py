"""Lets QGIS work while something is awaited."""

import time

from qgis.PyQt.QtWidgets import QApplication

# Seconds that anything may take on a busy machine.
LIMIT = 400


def settle(until, limit=LIMIT):
    """Let QGIS work until something is so."""
    end = time.monotonic() + limit
    while not until():
        if time.monotonic() > end:
            raise TimeoutError("QGIS did not come to an end")
        QApplication.processEvents()
        time.sleep(0.02)


def rest(seconds):
    """Let QGIS work for a while."""
    end = time.monotonic() + seconds
    settle(lambda: time.monotonic() > end)
