"""What roads are to everything that is the same for all kinds of map."""


class RoadContent:
    """Networks of roads; see :class:`geoeval.content.Content`."""

    name = "roads"
    has_ground = True
    plans = True
    tile_size = 10_000.0


CONTENT = RoadContent()
