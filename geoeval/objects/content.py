"""What objects, such as buildings, are to everything that is the same for all kinds of map."""


class ObjectContent:
    """Maps of polygons; see :class:`geoeval.content.Content`."""

    name = "objects"
    has_ground = True
    plans = True
    tile_size = 2000.0


CONTENT = ObjectContent()
