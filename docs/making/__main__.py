"""Build the site: ``python docs/making FOLDER``. Any warning is an error.

The written pages are in ``docs/pages``. The others are made from the code itself, so that no metric, protocol, kind of
error, command, option or reader can be missing or out of date. All are put together beside the site, and Sphinx makes
the rest.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(DOCS))


def main() -> int:
    """Put the pages together, and build them."""
    from sphinx.cmd.build import main as sphinx

    site = Path(sys.argv[1] if len(sys.argv) > 1 else DOCS / "site").resolve()
    with tempfile.TemporaryDirectory() as folder:
        source, settings = Path(folder) / "source", Path(folder) / "profile_default"
        # Notebooks run by the same settings everywhere, and say nothing but what goes wrong.
        settings.mkdir()
        (settings / "ipython_kernel_config.py").write_text("get_config().IPKernelApp.log_level = 40\n")
        os.environ["IPYTHONDIR"] = folder
        gather(source)
        made = Path(folder) / "site"
        paths = ["-c", str(DOCS), "-d", f"{folder}/doctrees", str(source), str(made)]
        failed = sphinx(["-q", "-W", "--keep-going", *paths])
        if not failed:
            shutil.copytree(made, site, dirs_exist_ok=True)
        return failed


def gather(source: Path) -> None:
    """Written and made pages in one folder."""
    from making import (
        command_pages,
        drawing_pages,
        examples,
        format_pages,
        gallery_pages,
        kind_pages,
        metric_pages,
        protocol_pages,
        reference_pages,
        root_pages,
    )  # fmt: skip

    makers = (
        command_pages, drawing_pages, examples, format_pages, gallery_pages, kind_pages, metric_pages,
        protocol_pages, reference_pages, root_pages,
    )  # fmt: skip
    shutil.copytree(DOCS / "pages", source)
    for maker in makers:
        for path, content in maker.pages():
            target = source / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    sys.exit(main())
