"""The pictures of the tutorial *QGIS in ten pictures*, taken anew from the real desktop.

    python -m tests.qgis.ten_pictures [FOLDER]

QGIS runs on a screen that nobody sees, with a clean profile and the packaged plugin; the report is opened in Chromium.
They are kept as lossless WebP, which is small and leaves the colours of the errors as they are. The site is built from
the pictures that are there, without QGIS.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.conftest import CHROMIUM
from tests.qgis.desk import PLUGIN, PROJECT, Desk, in_the_desktop

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description="Take the pictures of the QGIS tutorial.")
    parser.add_argument("folder", nargs="?", type=Path, default=PROJECT / "docs" / "pages" / "tutorials" / "qgis")
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as scratch:
        taken = Path(scratch) / "pictures"
        taken.mkdir()
        report = nine_pictures(Path(scratch), taken)
        in_the_browser(report, taken / "10-report.png")
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(taken.glob("*.png")):
            print(keep_small(path, folder))


def nine_pictures(scratch: Path, taken: Path) -> Path:
    """Those of the desktop; returns the report of the run that they show."""
    subprocess.run([sys.executable, PLUGIN / "package", scratch / "zip"], check=True, capture_output=True)
    (zip_file,) = (scratch / "zip").glob("*.zip")
    report = scratch / "report.html"
    script = HERE / "inside" / "ten_pictures.py"
    in_the_desktop(Desk(scratch / "desk", zip_file), script, taken, size="1280x900", report=str(report))
    return report


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
