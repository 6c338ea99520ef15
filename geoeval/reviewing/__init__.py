"""Errors judged one by one: the file of a run, its verdicts, and what they say of the scores."""
