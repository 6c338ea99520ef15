"""Vector files: whatever GDAL opens, GeoParquet, SpaceNet tables."""
