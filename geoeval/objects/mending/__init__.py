"""Edits of predicted objects: what each does, carrying them out, and what they gain."""
