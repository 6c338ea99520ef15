"""Check first: what is off with a pair of maps, found before anything is scored, each with the option that mends it."""
