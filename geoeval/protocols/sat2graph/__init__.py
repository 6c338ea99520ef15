"""TOPO and APLS as Sat2Graph (He et al., ECCV 2020) and its many copies compute them."""
