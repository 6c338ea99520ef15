"""What the verdicts say: scores as judged and the precision of each kind, computed by the engine."""

import html
import json

from .. import environment, runner
from ..engine import description
from ..run_file import record
from ..saying import headlines, score_title
from ..translation import said, tr
from .errors import duration

# Seconds that the scores as judged may take without being asked for.
AT_ONCE = 10.0
# The columns of the table of kinds, after the kind itself.
HEADS = ("judged", "true", "95 % interval")


def arguments_for(path, *, scores=True):
    """The arguments of the engine that print what verdicts say; of roads the scores are measured again."""
    return ["review", str(path), "--judged", "--json", "-", *([] if scores else ["--no-scores"])]


def seconds_of_scores(path):
    """How long the scores as judged of a result file are expected to take: what its evaluation took."""
    found = record(path)
    took = found.get("seconds", {}) if found.get("kind") == "roads" else {}
    return sum(value for name, value in took.items() if name != "read")


def ask(path, is_canceled=None, *, scores=True):
    """What the engine says about the verdicts of a run; raises EngineError."""
    lines = []
    found = environment.find()
    if found is None:
        raise runner.EngineError(environment.problem(ask=False))
    command = [*found.command, *arguments_for(path, scores=scores)]
    code, words = runner.run(command, on_line=lines.append, is_canceled=is_canceled)
    if code != 0:
        raise runner.EngineError(runner.how_it_ended(code, words))
    return json.loads("\n".join(lines))


def page(facts, seconds=0.0):
    """The same as a page for people; ``measure`` is the link of scores that were not measured, in so many seconds."""
    return "\n".join([*_scores(facts, seconds), *_kinds(facts), *_reference_errors(facts)])


def _scores(facts, seconds):
    rejected = facts["verdicts"].get("not-an-error", 0) + facts["verdicts"].get("reference-is-wrong", 0)
    known = facts["as_judged"] if facts["as_judged"] is not None else {} if rejected else facts["as_given"]
    yield f"<h4>{said('Scores')}</h4><table cellpadding='3'>"
    last = f"<th>{said('as judged')}</th>" if known else ""
    yield f"<tr><th align='left'>{said('score')}</th><th>{said('as given')}</th>{last}</tr>"
    for metric, score, given in headlines(facts["as_given"], facts["kind"]):
        judged = known.get(metric, {}).get(score)
        shown = ("<b>", "</b>") if judged != given else ("", "")
        now = f"<td align='right'>{shown[0]}{number(judged)}{shown[1]}</td>" if known else ""
        title = html.escape(score_title(metric, score))
        yield f"<tr><td>{title}</td><td align='right'>{number(given)}</td>{now}</tr>"
    yield "</table>"
    if not known:
        how_long = tr("Measure the scores as judged (about {time})").format(time=duration(seconds))
        yield f"<p><a href='measure'>{html.escape(how_long)}</a></p>"
    for why in dict.fromkeys(facts.get("notes", {}).values()):
        names = ", ".join(name.upper() for name, one in facts["notes"].items() if one == why)
        yield f"<p>{html.escape(f'{names}: {why}')}</p>"


def _kinds(facts):
    rows = [(kind, one) for kind, one in facts["kinds"].items() if one.get("judged")]
    if not rows:
        return
    heads = "".join(f"<th>{said(text)}</th>" for text in HEADS)
    yield f"<h4>{said('How often an error is one')}</h4><table cellpadding='3'>"
    yield f"<tr><th align='left'>{said('kind')}</th>{heads}</tr>"
    for kind, one in rows:
        low, high = one["interval"]
        judged = tr("{judged} of {all}").format(judged=one["judged"], all=one["listed"])
        between = tr("{low} to {high} %").format(low=f"{100 * low:.0f}", high=f"{100 * high:.0f}")
        yield (
            f"<tr><td>{said(description().label(kind))}</td><td align='right'>{html.escape(judged)}</td>"
            f"<td align='right'><b>{100 * one['precision']:.0f} %</b></td>"
            f"<td align='right'>{html.escape(between)}</td></tr>"
        )
    yield "</table>"


def _reference_errors(facts):
    wrong = facts["verdicts"].get("reference-is-wrong", 0)
    if wrong:
        text = tr("{count} of the judged errors are errors of the reference.").format(count=wrong)
        yield f"<p>{html.escape(text)}</p>"


def number(value):
    """A score with four digits."""
    return tr("undefined") if value is None else f"{value:.4f}"
