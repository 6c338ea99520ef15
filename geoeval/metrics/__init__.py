"""What a metric is: its declaration, the registry, counts and scores, and cells with local scores."""
