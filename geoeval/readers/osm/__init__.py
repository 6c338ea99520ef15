"""OpenStreetMap: files, downloads, roads and buildings."""
