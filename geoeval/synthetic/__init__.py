"""Controlled errors: networks made worse on purpose, with every error known."""
