"""Simple scores for context, which must be named to be evaluated: ``pixel`` and ``distance``."""
