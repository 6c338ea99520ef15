"""A file of any supported kind becomes one ``RoadNetwork`` in metres."""

from geoeval.readers.network import read_network

__all__ = ["read_network"]
