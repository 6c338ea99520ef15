"""The scores of CosmiQ's apls, SpaceNet's road metric: APLS and TOPO of graphs whose edges are lines in metres."""
