"""What comes of the runs of a campaign, counted; what is wrong is said at once, as a campaign is long."""

from collections import Counter

GOOD = {
    "old or new", "absent", "resumed: the same", "written", "one line, nothing left",
    "one line, what was there is there", "damaged: the same",
}  # fmt: skip


class Outcomes(Counter[str]):
    """How often each outcome was seen."""

    def note(self, outcome: str) -> None:
        """Count an outcome."""
        self[outcome] += 1
        if outcome not in GOOD:
            print(f"wrong: {outcome}", flush=True)
