"""Maps on disk that can be read by place."""
