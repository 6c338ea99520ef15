"""Published protocols a second time, slowly: plain dictionaries and loops, written from their definitions alone."""
