"""The road metrics: one module a metric, and the few tools that they share."""
