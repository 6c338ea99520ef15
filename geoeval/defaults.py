"""Usual values that several parts share, so that each stands once."""

# Metres within which CCQ takes a stretch of road to be matched.
TOLERANCE = 5.0
# Metres within which the other road metrics take two places to be the same.
MAX_DISTANCE = 15.0
# Metres between the sample points of SUBG and OPT-G.
SAMPLE_SPACING = 6.0
