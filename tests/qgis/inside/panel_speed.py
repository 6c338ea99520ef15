"""Run by tests/qgis/panel_speed.py in the Python of QGIS: opens the review panel and walks through errors."""

import statistics
import sys
import time

from qgis.core import QgsApplication, QgsProject, QgsVectorLayer
from qgis.gui import QgsMapCanvas
from qgis.PyQt.QtWidgets import QApplication


def main(path):
    application = QgsApplication([], True)
    application.initQgis()
    from geoeval_qgis.engine import description
    from geoeval_qgis.review.dock import ReviewPanel

    # The plugin knows its engine since it was loaded.
    description()
    canvas = QgsMapCanvas()
    layer = QgsVectorLayer(f"{path}|layername=missing", "missing", "ogr")
    QgsProject.instance().addMapLayer(layer)
    canvas.setDestinationCrs(layer.crs())
    canvas.setLayers([layer])
    canvas.resize(1000, 800)
    canvas.show()
    panel = ReviewPanel(canvas)
    panel.show()
    # A new profile first looks for the fonts of the system, which is no work of the panel.
    ready = time.perf_counter() + 5
    while time.perf_counter() < ready:
        QApplication.processEvents()
        time.sleep(0.02)
    start, worked = time.perf_counter(), time.thread_time()
    panel.open(path)
    QApplication.processEvents()
    opened, worked = time.perf_counter() - start, time.thread_time() - worked
    steps, verdicts = [], []
    for times, act in ((steps, panel.next), (verdicts, lambda: panel.judge("error"))):
        for _ in range(100):
            start = time.perf_counter()
            act()
            QApplication.processEvents()
            times.append(time.perf_counter() - start)
    print(f"{len(panel.errors.errors):,} errors: open {opened:.2f} s, {worked:.2f} s of work in the window")
    for name, times in (("next", steps), ("verdict and next", verdicts)):
        print(f"{name}: median {statistics.median(times):.3f} s, largest {max(times):.3f} s")
    panel.close_run()


main(sys.argv[1])
