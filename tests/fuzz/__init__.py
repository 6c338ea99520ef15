"""Files of strangers: hostile ones made by hand (``hostile``), and damaged ones made by chance (``mutators``)."""
