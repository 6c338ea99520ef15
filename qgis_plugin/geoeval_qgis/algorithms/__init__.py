"""The algorithms, one file each; those whose command the engine does not have are left out."""

from importlib import import_module

NAMES = ("evaluateroads", "evaluateosm", "batchfolder",
         "exporterrorlayers", "setupenvironment")  # fmt: skip


def available(description):
    """A new object of every algorithm that the engine can serve."""
    found = []
    for name in NAMES:
        algorithm = import_module(f".{name}", __name__).ALGORITHM
        if set(algorithm.COMMANDS) <= set(description.commands):
            found.append(algorithm())
    return found
