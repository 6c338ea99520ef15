"""Metrics of vectorised drawings: one module per metric, and what they share."""
