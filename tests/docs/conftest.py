"""Makes what builds the site importable, after everything that is installed."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "docs"))
