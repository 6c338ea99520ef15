"""Whether whole networks fit into memory: said before the work, because a worker that runs out of it is killed."""

import os
from collections.abc import Iterable
from pathlib import Path

from geoeval.exceptions import ParameterError

# What a metric needs for a segment of a whole network: 600 to 850 bytes, as measured on generated countries.
BYTES_PER_SEGMENT = 1000


def available_memory() -> float | None:
    """Bytes of memory that this machine can still give, as far as the system tells; ``None`` where it does not."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return None


def check_memory(segments: int, available: float | None, metrics: Iterable[str]) -> None:
    """Refuse whole networks of so many segments where there is clearly too little memory for them."""
    needed = segments * BYTES_PER_SEGMENT
    if available is not None and needed > available:
        *others, last = metrics
        names = f"{', '.join(others)} and {last}" if others else last
        raise ParameterError(
            f"{names} on whole networks need about {needed / 1e9:.1f} GB of memory, and {available / 1e9:.1f} GB are "
            f"available; {{give:whole-networks=tiles}}, or leave {names} out"
        )
