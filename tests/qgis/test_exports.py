"""What is handed to mappers, opened by QGIS itself: every feature with its place and its attributes."""

import json
import subprocess

import pytest
from geoeval import write_josm, write_maproulette

from tests.qgis.desk import SYSTEM_PYTHON, clean_environment, needs_qgis
from tests.writers.results import roads_with_errors

pytestmark = needs_qgis

# In the Python of QGIS: of each layer of a file how many features, how many without a place, and the first one.
_READ = """
import json, os, sys
from qgis.core import QgsApplication, QgsProviderRegistry, QgsProviderSublayerDetails, QgsCoordinateTransformContext
app = QgsApplication([], False)
app.initQgis()
options = QgsProviderSublayerDetails.LayerOptions(QgsCoordinateTransformContext())
found = []
for details in QgsProviderRegistry.instance().querySublayers(sys.argv[1]):
    layer = details.toLayer(options)
    rows = list(layer.getFeatures())
    first = dict(zip(layer.fields().names(), map(str, rows[0].attributes()))) if rows else {}
    found.append([layer.isValid(), len(rows), sum(row.geometry().isNull() for row in rows), first])
print(json.dumps(found), flush=True)
os._exit(0)  # QGIS crashes where it is taken down before its layers
"""


@pytest.mark.parametrize(
    ("write", "name", "told"), [(write_maproulette, "t.geojson", "id"), (write_josm, "t.osm", "other_tags")]
)
def test_qgis_reads_every_task(tmp_path, write, name, told):
    count = write(roads_with_errors(), tmp_path / name)
    done = subprocess.run(
        [SYSTEM_PYTHON, "-c", _READ, tmp_path / name], env=clean_environment(tmp_path / "home"), capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    layers = json.loads(done.stdout.splitlines()[-1])
    assert all(is_valid and without == 0 for is_valid, _, without, _ in layers)
    assert sum(rows for _, rows, _, _ in layers) == count
    assert all("geoeval-" in first[told] for _, rows, _, first in layers if rows)
