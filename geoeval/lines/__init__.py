"""Metrics of vectorised drawings, one module a level of the protocol."""
