"""Pictures of the plugin in the real desktop, to be looked at.

    python -m tests.qgis.pictures FOLDER [--language de]

They are those of the day that ``test_desktop.py`` has: the dialog, the scores, the review, the review of a second run,
and the batch window.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.qgis.desk import PLUGIN, Desk
from tests.qgis.test_desktop import day_of_a_mapper


def main() -> None:
    parser = argparse.ArgumentParser(description="Take pictures of the plugin.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", default="en")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        subprocess.run([sys.executable, PLUGIN / "package", place], check=True, stdout=subprocess.DEVNULL)
        (file,) = place.glob("*.zip")
        (place / "day").mkdir()
        day_of_a_mapper(Desk(place / "desk", file), place / "day", given.language)
        given.folder.mkdir(parents=True, exist_ok=True)
        for picture in sorted((place / "day").glob("*.png")):
            print((given.folder / picture.name).resolve())
            (given.folder / picture.name).write_bytes(picture.read_bytes())


if __name__ == "__main__":
    main()
