"""Two words that the whole house uses: what a map can show, and the two sides of a comparison."""

CONTENTS = ("roads", "objects", "lines")
SIDES = ("reference", "prediction")
