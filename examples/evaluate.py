"""Evaluate a road network in Python: scores, the worst errors, and layers for QGIS.

    python examples/evaluate.py                      central Helsinki against a copy with known errors
    python examples/evaluate.py REFERENCE PREDICTION

Needs geoeval[demo] for the first form.
"""

import sys

from geoeval import evaluate_roads, read_network
from geoeval.roads.plan import edit_plan
from geoeval.synthetic.perturb import perturb

if len(sys.argv) == 3:
    reference, prediction = (read_network(path) for path in sys.argv[1:])
else:
    from geoeval.cli.demo import helsinki

    reference = read_network(helsinki())
    prediction = perturb(reference, "interruptions", 20, seed=1).prediction
    prediction = perturb(prediction, "missing", 10, seed=2).prediction

print("reference ", reference)
print("prediction", prediction)

result = evaluate_roads(reference, prediction, metrics="ccq,opt-p,opt-j,opt-g", seed=0)
for metric, scores in result.scores.items():
    print(metric, {name: round(value, 3) for name, value in scores.items() if isinstance(value, float)})

# Every error is a feature with the ids of the input's own rows.
lines = result.map_errors()["lines"]
print(lines.groupby("kind")["length_m"].agg(["count", "sum"]).round(1))

# What to fix first: the gain in score of each edit, and the seconds it takes.
plan = edit_plan(result)
print(plan.edits[["rank", "action", "kind", "gain", "effort_s", "note"]].head(10).to_string(index=False))
print(plan.summary())
