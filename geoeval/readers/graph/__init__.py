"""Graph files: RoadTracer, map construction, GraphML, node-link JSON, pickles."""

# What graph files say where objects are asked for.
NO_OBJECTS = {"objects": "holds a graph; give polygons or a labelled image"}
