"""The options of an evaluation in tiles."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Tiles:
    """How the work is cut and who does it."""

    size: float | None
    workers: int = 1
    scheduler: str | None = None
    resume: Path | None = None

    @property
    def wanted(self) -> bool:
        """Whether any option asks for tiles."""
        return any(option is not None for option in (self.size, self.scheduler, self.resume))
