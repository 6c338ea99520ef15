"""A constant offset between two maps: how far one lies from the other, how sure that is, and whether it is real."""
