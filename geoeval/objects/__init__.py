"""Metrics of objects such as buildings: one module per metric, and what they share."""
