"""A whole benchmark in one call: many places, one or several methods, one table.

``benchmark`` finds the pairs, evaluates each through :func:`geoeval.evaluate`, and puts the places together as
published scripts do and by adding up counts, with intervals.
"""
