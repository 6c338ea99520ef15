"""``python -m geoeval``: the command line."""

from geoeval.cli.main import run

run()
