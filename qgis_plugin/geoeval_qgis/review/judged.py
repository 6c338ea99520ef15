"""What the verdicts say: scores as judged and the precision of each kind, computed by the engine. No QGIS here."""

import html
import json

from .. import environment, runner
from ..engine import description
from ..saying import headlines, score_title


def arguments_for(path):
    """The arguments of the engine that print the scores as judged."""
    return ["review", str(path), "--judged", "--json", "-"]


def ask(path, is_canceled=None):
    """What the engine says about the verdicts of a run; raises EngineError."""
    lines = []
    found = environment.find()
    if found is None:
        raise runner.EngineError(environment.problem(ask=False))
    code, words = runner.run([*found.command, *arguments_for(path)], on_line=lines.append, is_canceled=is_canceled)
    if code != 0:
        raise runner.EngineError(runner.how_it_ended(code, words))
    return json.loads("\n".join(lines))


def page(facts):
    """The same as a page for people."""
    return "\n".join([*_scores(facts), *_kinds(facts), *_reference_errors(facts)])


def _scores(facts):
    yield "<h4>Scores</h4><table cellpadding='3'>"
    yield "<tr><th align='left'>score</th><th>as given</th><th>as judged</th></tr>"
    notes = facts.get("notes", {})
    without = []
    for metric, score, given in headlines(facts["as_given"], facts["kind"]):
        judged = facts["as_judged"].get(metric, {}).get(score)
        if judged is None:
            without.append((metric, notes.get(metric) or notes.get(f"{metric}.{score}", "")))
            continue
        yield (
            f"<tr><td>{html.escape(score_title(metric, score))}</td><td align='right'>{_number(given)}</td>"
            f"<td align='right'><b>{_number(judged)}</b></td></tr>"
        )
    yield "</table>"
    if without:
        names = ", ".join(metric.upper() for metric, _why in without)
        why = next((why for _metric, why in without if why), "")
        yield f"<p>No score as judged: {html.escape(names)}{': ' + html.escape(why) if why else ''}</p>"


def _kinds(facts):
    rows = [(kind, one) for kind, one in facts["kinds"].items() if one.get("judged")]
    if not rows:
        return
    yield (
        "<h4>How often an error is one</h4><table cellpadding='3'>"
        "<tr><th align='left'>kind</th><th>judged</th><th>true</th><th>95 % interval</th></tr>"
    )
    for kind, one in rows:
        low, high = one["interval"]
        yield (
            f"<tr><td>{html.escape(description().label(kind))}</td><td align='right'>{one['judged']} of {one['listed']}"
            f"</td><td align='right'><b>{100 * one['precision']:.0f} %</b></td>"
            f"<td align='right'>{100 * low:.0f} to {100 * high:.0f} %</td></tr>"
        )
    yield "</table>"


def _reference_errors(facts):
    wrong = facts["verdicts"].get("reference-is-wrong", 0)
    if wrong:
        yield f"<p>{wrong} {'is an error' if wrong == 1 else 'are errors'} of the reference.</p>"


def _number(value):
    return "undefined" if value is None else f"{value:.4f}"
