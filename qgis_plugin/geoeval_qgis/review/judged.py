"""What the verdicts say: scores as judged and the precision of each kind, computed by the engine."""

import html
import json
import re

from .. import environment, runner
from ..engine import description
from ..run_file import columns, record
from ..saying import headlines, number, score_title
from ..translation import said, tr
from .errors import duration

# Seconds that the scores as judged may take without being asked for.
AT_ONCE = 10.0
# Columns of both maps in a file whose networks can be measured again: the nodes that join their lines.
ENDS = {"ge_from", "ge_to"}
# Stands for a score that was not measured as judged; the notes say why.
NOT_JUDGED = "\N{EN DASH}"
# The note that is about verdicts, and not about one metric.
REJECTED = "rejected"
# The columns of the table of kinds, after the kind itself.
HEADS = ("judged", "true", "95 % interval")


def arguments_for(path, *, scores=True):
    """The arguments of the engine that print what verdicts say; of roads the scores are measured again."""
    return ["review", str(path), "--judged", "--json", "-", *([] if scores else ["--no-scores"])]


def seconds_of_scores(path):
    """How long the scores as judged of a result file are expected to take; raises RunFileError.

    What its evaluation took, where both road networks are measured again, and 0 where counts give them.
    """
    found = record(path)
    if found.get("kind") != "roads" or not all(columns(path, side) >= ENDS for side in ("reference", "prediction")):
        return 0.0
    took = found.get("seconds") or {}
    return sum(value for name, value in took.items() if name != "read" and isinstance(value, (int, float)))


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
        undefined = tr("undefined")
        shown = NOT_JUDGED if judged is None and given is not None else number(judged, undefined)
        shown = f"<b>{shown}</b>" if judged not in (None, given) else shown
        now = f"<td align='right'>{shown}</td>" if known else ""
        title = html.escape(score_title(metric, score))
        yield f"<tr><td>{title}</td><td align='right'>{number(given, undefined)}</td>{now}</tr>"
    yield "</table>"
    if not known:
        how_long = tr("Measure the scores as judged (about {time})").format(time=duration(seconds))
        yield f"<p><a href='measure'>{html.escape(how_long)}</a></p>"
    for why in dict.fromkeys(facts.get("notes", {}).values()):
        about = [name for name, one in facts["notes"].items() if one == why and name != REJECTED]
        names = f"{', '.join(map(str.upper, about))}: " if about else ""
        yield f"<p>{html.escape(names + _with_labels(why))}</p>"


def _with_labels(note):
    """A note of the engine that calls kinds of errors what the table of errors calls them."""
    kinds = description().error_kinds

    def labelled(found):
        kind = kinds.get(found[2])
        return found[0] if kind is None else f"{found[1]} {kind['label' if found[1] == '1' else 'plural'].lower()}"

    return re.sub(r"\b(\d+) (\w+)", labelled, note)


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
        text = tr("Errors of the reference: {count}").format(count=wrong)
        yield f"<p>{html.escape(text)}</p>"
