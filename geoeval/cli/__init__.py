"""The command line: reads options, calls the library, prints; it holds no metric."""
