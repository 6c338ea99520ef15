"""Images: masks of roads, labels of objects."""
