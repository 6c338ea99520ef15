"""What the lines of drawings are to everything that is the same for all kinds of map."""


class LineContent:
    """Drawings; see :class:`geoeval.content.Content`."""

    name = "lines"
    has_ground = False
    plans = None
    tile_size = None


CONTENT = LineContent()
