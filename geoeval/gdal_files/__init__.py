"""GDAL for files of strangers: what leads to other files or addresses is refused, and the network is never used."""
