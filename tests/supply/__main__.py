"""Make the lock of the plugin's environment or the list of licences, or look for known weaknesses of what is locked.

``python -m tests.supply lock|licences|audit``. The audit needs pip-audit, and advisories that can be reached.
"""

import subprocess
import sys

from tests.supply.installed import ROOT, everything

LOCK = ROOT / "qgis_plugin" / "geoeval_qgis" / "locked.txt"
LICENCES = ROOT / "docs" / "licences.md"
EXTRAS = ("demo", "drawings", "plot", "raster", "report")
_HEAD = """# Licences of what geoeval stands on

Made by `python -m tests.supply licences` from what the packages that come with `geoeval[all]` state.

geoeval is under the GPL, version 2 or later. All licences below may be combined with it. Apache-2.0 (pyarrow, requests,
tornado and others) may be combined with version 3 of the GPL, not with version 2: geoeval together with these packages
is therefore used under **version 3 or later**, which "or later" allows. Wheels of shapely carry GEOS (LGPL-2.1), those
of pyogrio and rasterio carry GDAL (MIT) and its libraries.

| package | licence |
| --- | --- |
"""


def lock() -> int:
    """Write the versions and digests that the plugin installs, for all platforms."""
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    command = ["uv", "pip", "compile", "pyproject.toml", "--universal", "--python-version", "3.11", "--generate-hashes",
               "--only-binary", ":all:", "--no-header", "--no-annotate", "--quiet", *extras, "--output-file",
               str(LOCK)]  # fmt: skip
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode


def licences() -> int:
    """Write the list of licences."""
    rows = [f"| {name} | {stated} |\n" for name, stated in everything().items()]
    LICENCES.write_text(_HEAD + "".join(rows), encoding="utf-8")
    return 0


def audit() -> int:
    """Ask for known weaknesses of the locked versions; 2 where that cannot be known here, which is no pass."""
    asked = ["--requirement", str(LOCK), "--require-hashes", "--disable-pip", "--progress-spinner", "off"]
    done = subprocess.run([sys.executable, "-m", "pip_audit", *asked], capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).splitlines()
    unknown = [line for line in said if "could not be audited" in line]
    if unknown or (done.returncode != 0 and not any(line.startswith("Found ") for line in said)):
        why = f"{len(unknown)} packages are unknown there" if unknown else " ".join(said[-1:])[:200]
        print(f"audit: not done: the advisories cannot be reached from here, or pip-audit is not installed ({why})")
        return 2
    print("\n".join(said))
    return done.returncode


if __name__ == "__main__":
    sys.exit({"lock": lock, "licences": licences, "audit": audit}[sys.argv[1]]())
