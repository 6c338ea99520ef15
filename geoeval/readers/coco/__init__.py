"""COCO JSON: annotations and results of detectors, with outlines and runs of pixels."""
