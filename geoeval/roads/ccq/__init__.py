"""CCQ (``ccq``): completeness, correctness and quality of road lengths."""
