"""The algorithms, one file each; those that the engine cannot serve yet are left out."""

from importlib import import_module

NAMES = ("evaluateroads", "evaluateosm", "evaluateobjects", "evaluatelines", "comparepredictions", "batchfolder",
         "perturbnetwork", "exporterrorlayers", "setupenvironment")  # fmt: skip


def available(description):
    """A new object of every algorithm whose commands and kind of map content the engine knows."""
    found = []
    for name in NAMES:
        algorithm = import_module(f".{name}", __name__).ALGORITHM
        kind = getattr(algorithm, "KIND", None)
        if set(algorithm.COMMANDS) <= set(description.commands) and (kind is None or description.metrics(kind)):
            found.append(algorithm())
    return found
