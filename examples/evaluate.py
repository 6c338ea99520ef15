"""Evaluate a road network in Python: scores, the worst errors, and what to fix first.

    python examples/evaluate.py                      central Helsinki against a copy with known errors
    python examples/evaluate.py REFERENCE PREDICTION

Needs geoeval[demo] for the first form.
"""

import sys

import geoeval

if len(sys.argv) == 3:
    reference, prediction = sys.argv[1:]
else:
    from geoeval.cli.demo import helsinki

    reference = helsinki()
    streets = geoeval.read_network(reference)
    made = geoeval.perturb(streets, "interruptions", 20, seed=1)
    prediction = geoeval.perturb(made, "missing", 10, seed=2).prediction

# Paths, GeoDataFrames, networkx graphs and networks can be given, in any combination.
result = geoeval.evaluate(reference, prediction, metrics="ccq,opt-p,opt-j,opt-g")
print(result)
print(result.table()[["metric", "score", "value", "better", "about"]].round(3).to_string(index=False))

# Every error is a feature with the ids of the input's own rows.
print(result.errors_of("break")[["pred_id", "length_m", "note"]].head().to_string(index=False))

# What to fix first: the gain in score of each edit, and the seconds it takes.
print(result.plan.edits[["rank", "action", "kind", "gain", "effort_s", "note"]].head(10).to_string(index=False))
print(result.plan.summary())
