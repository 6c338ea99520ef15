"""Each place has one error, of its cause: one pass over what the metrics found, and over both networks, decides."""
