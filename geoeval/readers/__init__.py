"""A file of any supported kind becomes a ``RoadNetwork``, an ``ObjectMap`` or a ``Drawing`` in metres.

One folder per family: ``osm``, ``vector``, ``graph``, ``raster``, ``drawing``. ``registry`` lists all readers and
``options`` all options.
"""

from geoeval.readers.reading import read_drawing, read_image, read_network, read_objects
from geoeval.readers.registry import read_map

__all__ = ["read_drawing", "read_image", "read_map", "read_network", "read_objects"]
