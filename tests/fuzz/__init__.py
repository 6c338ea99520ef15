"""Files of strangers: hostile ones made by hand (``hostile_files``), and damaged ones made by chance (``mutators``)."""
