"""What all tests share."""

import json
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test asserts a time, and the same examples are tried everywhere: a failure here is a failure in CI.
settings.register_profile(
    "geoeval", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("geoeval")

# A shell that runs the tests in the background tells them to ignore Ctrl-C, and so every program that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def load_cases(name: str) -> list[dict]:
    """The closed-form cases of a metric."""
    return json.loads((HERE / "cases" / f"{name}.json").read_text())["cases"]


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of real files; tests that need it are skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"real data is not beside the project ({DATA.name} folder absent)")
    return DATA


@pytest.fixture(scope="session")
def browser():
    """A real browser."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--no-first-run", "--disable-quic"]  # fmt: skip
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()
