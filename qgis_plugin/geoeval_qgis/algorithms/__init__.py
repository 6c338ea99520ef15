"""The algorithms, one file each."""

from importlib import import_module

NAMES = ("evaluateroads", "evaluateosm", "evaluateobjects", "evaluatelines", "comparepredictions", "batchfolder",
         "perturbnetwork", "exporterrorlayers", "setupenvironment", "removeenvironment", "demodata")  # fmt: skip


def every():
    """A new object of every algorithm."""
    return [import_module(f".{name}", __name__).ALGORITHM() for name in NAMES]
