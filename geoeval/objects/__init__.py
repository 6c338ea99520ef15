"""Metrics of objects such as buildings: one module a metric, and what they share."""
