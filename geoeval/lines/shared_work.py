"""What several metrics of lines need, computed once and only when asked for."""

from dataclasses import dataclass
from functools import cached_property

from geoeval.lines.line_matching import LineMatching, match_lines
from geoeval.lines.rendering import PixelCounts, count_pixels, usual_resolution
from geoeval.model.drawing import Drawing, PixelImage


@dataclass
class SharedWork:
    """The two drawings with their pixel counts and line matching, the weights of the indices, and the time it took."""

    reference: Drawing
    prediction: Drawing
    image: PixelImage | None = None
    resolution: float | None = None
    alpha: float = 0.5
    beta: float = 0.5
    even_width: float | None = None
    seconds: float | None = None

    @cached_property
    def pixels(self) -> PixelCounts:
        """The numbers of black pixels."""
        size = usual_resolution(self.reference) if self.resolution is None else self.resolution
        return count_pixels(self.reference, self.prediction, image=self.image, resolution=size)

    @cached_property
    def matching(self) -> LineMatching:
        """The overlaps of the lines."""
        return match_lines(self.reference, self.prediction)
