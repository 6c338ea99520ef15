"""The pictures of the tutorial *QGIS in ten pictures*, taken anew from the real desktop.

    python -m tests.qgis.ten_pictures [FOLDER]

QGIS runs on a screen that nobody sees, with a clean profile and the packaged plugin; the report is opened in Chromium.
They are kept as lossless WebP, which is small and leaves the colours of the errors as they are. The site is built from
the pictures that are there, without QGIS.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.conftest import CHROMIUM
from tests.qgis.desk import PLUGIN, PROJECT, QGIS_DESKTOP, SYSTEM_PATH, Desk

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description="Take the pictures of the QGIS tutorial.")
    parser.add_argument("folder", nargs="?", type=Path, default=PROJECT / "docs" / "pages" / "tutorials" / "qgis")
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as scratch:
        taken = Path(scratch) / "pictures"
        taken.mkdir()
        report = in_the_desktop(Path(scratch), taken)
        in_the_browser(report, taken / "10-report.png")
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(taken.glob("*.png")):
            print(keep_small(path, folder))


def in_the_desktop(scratch: Path, taken: Path) -> Path:
    """Nine pictures; returns the report of the run that they show."""
    subprocess.run([sys.executable, PLUGIN / "package", scratch / "zip"], check=True, capture_output=True)
    (zip_file,) = (scratch / "zip").glob("*.zip")
    demo = [sys.executable, "-m", "geoeval", "demo", scratch / "demo", "--progress", "none"]
    subprocess.run(demo, check=True, capture_output=True)
    desk = Desk(scratch / "desk", zip_file)
    job = {"run": str(scratch / "demo" / "run.gpkg"), "pictures": str(taken), "inside": str(HERE / "inside"),
           "answer": str(scratch / "answer.json"), "report": str(scratch / "report.html")}  # fmt: skip
    variables = {**desk.environment, **desk.variables, "GEOEVAL_TEST_JOB": json.dumps(job)}
    variables.pop("QT_QPA_PLATFORM")
    screen = shutil.which("xvfb-run", path=SYSTEM_PATH)
    command = [screen, "-a", "-s", "-screen 0 1280x900x24", QGIS_DESKTOP, "--nologo", "--noversioncheck"]
    done = subprocess.run(
        [*command, "--code", HERE / "inside" / "ten_pictures.py"], env=variables, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    answer = json.loads(Path(job["answer"]).read_text()) if Path(job["answer"]).exists() else {"error": done.stderr}
    if "error" in answer:
        sys.exit(answer["error"])
    return Path(job["report"])


def in_the_browser(report: Path, target: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(report.as_uri())
        page.wait_for_timeout(3000)
        page.screenshot(path=target)
        browser.close()


def keep_small(source: Path, folder: Path) -> str:
    """The picture as it is, in a small file; returns its name and size."""
    target = folder / f"{source.stem}.webp"
    with Image.open(source) as picture:
        picture.convert("RGB").save(target, lossless=True, quality=100, method=6)
    return f"{target} {target.stat().st_size / 1000:.0f} kB"


if __name__ == "__main__":
    main()
